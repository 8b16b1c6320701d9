/** Entry of the thread that fetches and decodes every EVM chain and replays primary networks. */

import { enterThread } from '../thread/worker-thread.ts'
import { runDecoder } from './run-decoder.ts'

const thread = await enterThread()
await runDecoder(thread)
thread.leave()
