/** Counts who was active, by the stage of the product, to the end of what is stored. */

import { activityStream } from '../../../src/indexing/evm/run/activity-stream.ts'
import { ActivityNotes } from '../../../src/rollup/activity-notes.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { pausingClock } from '../processes/manual-clock.ts'

/** `notes` are of blocks that were stored meanwhile; without them rows are read. */
export async function countAll(database: Database, notes = new ActivityNotes()): Promise<void> {
  const done = new AbortController()
  // The stage rests once all is counted.
  const clock = pausingClock((ms) => ms > 0 && done.abort())
  const commit: Parameters<typeof activityStream>[0]['commit'] = (work) =>
    database.transaction(work)
  const stream = activityStream(
    { database, clock, log: silentLog, commit, changes: () => 0 },
    notes,
  )
  await stream.run(done.signal)
  const { state, reason } = stream.status()
  if (state !== 'live') throw new Error(`counting is ${state}: ${reason}`)
}
