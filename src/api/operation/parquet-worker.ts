/** The thread that `parquet-thread.ts` starts: it answers each message of items, or of none at the end, with bytes. */

import { parentPort, workerData } from 'node:worker_threads'

import { assert } from '../../core/fault.ts'
import { parquetList } from './parquet-list.ts'

assert(parentPort !== null, 'this is the first module of a thread')
const port = parentPort
const file = parquetList(workerData)

const answer = async (items: readonly unknown[] | undefined): Promise<void> =>
  port.postMessage(items === undefined ? await file.end() : file.rows(items))

port.on('message', (items: readonly unknown[] | undefined) => void answer(items))
