/** Entry of the thread that writes every store. */

import { runWriter } from './run-writer.ts'
import { enterThread } from './worker-thread.ts'

const thread = await enterThread()
await runWriter(thread)
thread.leave()
