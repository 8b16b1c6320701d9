/** Entry of a thread that makes segments. */

import { parentPort } from 'node:worker_threads'

import { assert } from '../../../core/fault.ts'
import { serveCalls } from '../../thread/port-call.ts'
import { makeSegment, type SegmentJob } from './make-segment.ts'

assert(parentPort !== null, 'this file is the entry of a worker thread')
serveCalls(parentPort, {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by making-thread.ts
  make: (argument) => makeSegment(argument as SegmentJob),
})
