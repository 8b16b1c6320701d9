/** Entry of the thread that writes every store. */

import { mergingThread } from '../evm/freeze/merge-thread.ts'
import { makingThreads } from '../evm/making/making-thread.ts'
import { RemoteMaker } from '../evm/making/remote-maker.ts'
import { SegmentMakers } from '../evm/making/segment-makers.ts'
import { segmentThreads } from '../thread/limits-of-thread.ts'
import { enterThread } from '../thread/worker-thread.ts'
import { runWriter } from './run-writer.ts'

const thread = await enterThread()
const { data, world, log } = thread
const { clock } = world
const over = new AbortController()
const { urls, token } = data.readers ?? { urls: [], token: '' }
const makers = [
  ...makingThreads(segmentThreads(data), { clock, log, signal: over.signal }),
  ...urls.map((url) => new RemoteMaker(url, { world, token })),
]
await runWriter(thread, {
  merge: mergingThread(thread.signal),
  makers: new SegmentMakers(makers, { clock, log }),
})
over.abort()
thread.leave()
