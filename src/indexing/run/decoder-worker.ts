/** Entry of the thread that fetches and decodes every EVM chain and replays primary networks. */

import { runDecoder } from './run-decoder.ts'
import { enterThread } from './worker-thread.ts'

const thread = await enterThread()
await runDecoder(thread)
thread.leave()
