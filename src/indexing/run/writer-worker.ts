/** Entry of the thread that writes every store. */

import { mergingThread } from '../evm/freeze/merge-thread.ts'
import { enterThread } from '../thread/worker-thread.ts'
import { runWriter } from './run-writer.ts'

const thread = await enterThread()
await runWriter(thread, mergingThread(thread.signal))
thread.leave()
