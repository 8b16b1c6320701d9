/**
 * Cost of counting who was most active (decision 0026), of the writer's thread: from the columns of batches that are stored,
 * and from rows that are stored already.
 *
 *     node bench/activity.ts [blocks] [rich or plain] [freeze]
 *
 * Shares are of the processor time of ingest without it. The list of the newest day is measured in bytes.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { BlockBatch } from '../src/codec/evm/columns/columns.ts'
import { mergeBlocks } from '../src/codec/evm/columns/merge-batches.ts'
import { EvmIngest, goodBatchRows } from '../src/indexing/evm/run/evm-ingest.ts'
import { ActivityNotes } from '../src/rollup/activity-notes.ts'
import { openRollup } from '../src/rollup/chain-rollup.ts'
import { countActivity } from '../src/rollup/count-activity.ts'
import { takeLease } from '../src/store/lease.ts'
import { openStore } from '../src/store/open.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { systemClock } from '../test/support/processes/system-clock.ts'
import { decodedChain } from './decoded-chain.ts'
import { plainShape, usualShape } from './evm-chain.ts'

const [blocksText = '3000', kind = 'rich', freezes = ''] = process.argv.slice(2)
const blocks = Number(blocksText)
const folder = mkdtempSync(join(tmpdir(), 'firn-activity-'))

/** Microseconds of this thread. */
function used(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Notes that say how long they took. */
class TimedNotes extends ActivityNotes {
  override note(...batch: Parameters<ActivityNotes['note']>): void {
    const before = used()
    super.note(...batch)
    sums.noted += used() - before
  }
}

const sums = { ingest: 0, noted: 0, rows: 0, transactions: 0 }
let bytes = 0
try {
  const freeze = freezes === 'freeze' ? { freeze: {} } : {}
  const location = { store: 'embedded', dataDir: folder, ...freeze }
  const database = await openStore(location, 'activity', chainTables, 'write')
  const lease = await takeLease(database, 'bench', systemClock)
  if (lease === undefined) throw new Error('no lease')
  const { history } = database
  const limits = { leastRows: goodBatchRows / 2, mostRowsBefore: 100_000, rowsInTables: 0 }
  const freezing = history === undefined ? {} : { freezing: { history, ...limits } }
  const notes = new TimedNotes()
  const parts = { database, lease, clock: systemClock, openRollup, activity: notes }
  const ingest = new EvmIngest({ ...parts, ...freezing })
  let waiting: BlockBatch[] = []
  let rows = 0
  const flush = async (): Promise<void> => {
    const batch = mergeBlocks(waiting)
    waiting = []
    rows = 0
    const before = used()
    await ingest.blocks(batch)
    sums.ingest += used() - before
    sums.transactions += batch.txs.count
  }
  const shape = { ...(kind === 'plain' ? plainShape : usualShape), blocks }
  const work = { path: shape, blocksPerBatch: 20, window: 100, reading: 'unchecked' } as const
  for await (const batch of decodedChain(work, () => undefined)) {
    waiting.push(batch)
    rows += batch.txs.count + batch.transfers.count
    if (rows >= goodBatchRows) await flush()
  }
  if (waiting.length > 0) await flush()
  const listed = used()
  for (const { senders, callees } of notes.take())
    bytes = senders.list().length + callees.list().length
  sums.noted += used() - listed
  const before = used()
  for (let from = 0; from < blocks;) {
    const days = await countActivity(database, { counted: undefined, from, end: blocks - 1 })
    from = (days.at(-1)?.height ?? blocks) + 1
  }
  sums.rows = used() - before
  await database.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

const { ingest, noted, transactions } = sums
const own = ingest - noted
const line = (name: string, micros: number): string =>
  `${name.padEnd(24)} ${(micros / transactions).toFixed(2)} us a transaction, ${((100 * micros) / own).toFixed(1)} %`
console.log(
  `${kind} chain, ${transactions} transactions, ingest ${(own / transactions).toFixed(1)} us each`,
)
console.log(line('from columns', noted))
console.log(line('from rows', sums.rows))
console.log(
  `lists of the day          ${bytes} bytes, ${(bytes / transactions).toFixed(1)} a transaction`,
)
process.exit()
