/** A list as a Parquet file by a thread of its own: a group of rows is encoded at once, which takes a second. */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { entryFile } from '../../core/installation.ts'
import type { ListColumn, ListFile } from './list-columns.ts'

/** Old heap of the thread, MiB: it holds a group of rows. */
const heapMib = 256

/** Writes `columns` of items; `close` ends the thread, whether the file has ended or not. */
export function parquetThread(columns: readonly ListColumn[]): ListFile {
  const worker = new Worker(entryFile('api/operation/parquet-worker'), {
    name: 'parquet',
    workerData: columns,
    resourceLimits: { maxOldGenerationSizeMb: heapMib },
  })
  const bytesOf = async (items?: readonly unknown[]): Promise<Uint8Array> => {
    worker.postMessage(items)
    const [bytes]: Uint8Array[] = await once(worker, 'message')
    return bytes ?? new Uint8Array()
  }
  return {
    begin: () => '',
    rows: bytesOf,
    end: () => bytesOf(),
    close: () => void worker.terminate(),
  }
}
