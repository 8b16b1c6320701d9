/** Entry of the thread that writes every store. */

import { makingThreads } from './evm/making/making-thread.ts'
import { SegmentMakers } from './evm/making/segment-makers.ts'
import { mergingThread } from './evm/merge-thread.ts'
import { segmentThreads } from './limits-of-thread.ts'
import { runWriter } from './run-writer.ts'
import { enterThread } from './worker-thread.ts'

const thread = await enterThread()
const { data, world, log } = thread
const over = new AbortController()
const makers = makingThreads(segmentThreads(data), { world, log, signal: over.signal })
await runWriter(thread, {
  merge: mergingThread(thread.signal),
  makers: new SegmentMakers(makers, { clock: world.clock, log }),
})
over.abort()
thread.leave()
