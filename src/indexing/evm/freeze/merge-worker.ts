/** Entry of the thread that merges segments. */

import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'

import { assert } from '../../../core/fault.ts'
import { mergeFiles, type MergeJob } from '../../../store/history/merge-files.ts'
import { serveCalls } from '../../stream/port-call.ts'

/** Milliseconds of pause for each of work: a quarter of the time. */
const pauseShare = 1 / 3

assert(parentPort !== null, 'this file is the entry of a worker thread')
serveCalls(parentPort, {
  merge: async (argument) => {
    let since = performance.now()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by merge-thread.ts
    return mergeFiles(argument as MergeJob, async () => {
      await sleep((performance.now() - since) * pauseShare)
      since = performance.now()
    })
  },
})
