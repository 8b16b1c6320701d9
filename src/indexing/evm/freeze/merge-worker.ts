/** Entry of the thread that merges segments. */

import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'

import { assert } from '../../../core/fault.ts'
import { mergeFiles, type MergeJob } from '../../../store/ice/merge-files.ts'
import { serveCalls } from '../../thread/port-call.ts'

/** Pieces of work between two pauses, some 30 ms, and the pause after them: a quarter of the time. */
const piecesAtOnce = 16
const pauseMs = 10

assert(parentPort !== null, 'this file is the entry of a worker thread')
serveCalls(parentPort, {
  merge: async (argument) => {
    let pieces = 0
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by merge-thread.ts
    return mergeFiles(argument as MergeJob, async () => {
      if (++pieces % piecesAtOnce === 0) await sleep(pauseMs)
    })
  },
})
