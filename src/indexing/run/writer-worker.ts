/** Entry of the thread that writes every store. */

import { mergingThread } from '../evm/freeze/merge-thread.ts'
import { runWriter } from './run-writer.ts'
import { enterThread } from './worker-thread.ts'

const thread = await enterThread()
await runWriter(thread, mergingThread(thread.signal))
thread.leave()
