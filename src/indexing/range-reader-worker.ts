/** Entry of a thread that reads ranges of EVM chains for the decoder. */

import { runRangeReader } from './run-range-reader.ts'
import { enterThread } from './thread/worker-thread.ts'

const thread = await enterThread()
await runRangeReader(thread)
thread.leave()
