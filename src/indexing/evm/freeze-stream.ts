/**
 * Moves the history of a chain into segments as soon as there is enough of it that hashes prove. Traces
 * that come later than this become segments as they are stored (`freeze-at-once.ts`).
 */

import { assert, faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import { type Database, type Reader, statement, type Writer } from '../../store/engine/database.ts'
import type { FreezeSettings } from '../../store/engine/open.ts'
import { freezeUntil } from '../../store/ice/freeze.ts'
import { iceOf } from '../../store/ice/ice.ts'
import { provenHeightOf, storedProofs } from '../../store/query/evm/stored-proofs.ts'
import { chainTables } from '../../store/schema/stores.ts'
import { heightsPerSum } from '../../store/schema/sum-ranges.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ChainSpec } from '../chain-spec.ts'
import { quietStream } from '../quiet-stream.ts'
import type { Stream } from '../stage.ts'
import { blockStage } from './apply-blocks.ts'
import { heightsBelow } from './freeze-at-once.ts'
import { recount } from './recount.ts'

/** Between two looks: what came meanwhile is small beside a segment. */
const lookEveryMs = 10_000
/**
 * Transactions, transfers and internal transactions of a segment: it takes some seconds to write, and
 * what is not frozen yet stays small enough for memory.
 */
export const defaultRows = 400_000

/** Parts of freezing. */
export type FreezeParts = {
  readonly database: Database
  readonly spec: Pick<ChainSpec, 'key'>
  readonly freeze: FreezeSettings
  readonly genesisHash: string
  readonly clock: Clock
  readonly log: Log
  /** Does work in one transaction, under the lease, when no batch is being written. */
  readonly commit: <T>(work: (writer: Writer) => Promise<T>) => Promise<T>
}

/** The stream that freezes the history of a chain. */
export function freezeStream(parts: FreezeParts): Stream {
  const { clock, log, spec } = parts
  return quietStream('freeze', async (signal) => {
    while (!signal.aborted) {
      try {
        while (!signal.aborted && (await freezeNext(parts)));
      } catch (error) {
        const fault = faultOf(error)
        if (fault?.retryable !== true) throw error
        log.warn('history was not frozen', { chain: spec.key, reason: fault.message })
      }
      await clock.sleep(lookEveryMs, signal)
    }
  })
}

/** Makes one segment, where there is enough for it; gives whether it did. Faults as `freezeUntil`. */
export async function freezeNext(parts: FreezeParts): Promise<boolean> {
  const { database, spec, freeze, genesisHash, log, clock } = parts
  const rows = freeze.rowsPerSegment
  // A look without the lease, so that nothing is held up while there is nothing to do.
  if ((await endOfNext(database, rows)) === undefined) return false
  const began = clock.monotonic()
  const made = await parts.commit(async (writer) => {
    const until = await endOfNext(writer, rows)
    if (until === undefined) return undefined
    const ice = iceOf(database)
    assert(ice !== undefined, 'the store of a deployment that freezes has segments')
    const subject = { store: spec.key, genesisHash, firn: freeze.firn }
    const freezing = { writer, ice, tables: chainTables, recount }
    return freezeUntil(freezing, await heightsBelow(writer, until), subject)
  })
  if (made === undefined) return false
  const elapsedMs = Math.round(clock.monotonic() - began)
  for (const { stage, from, until, name } of made)
    log.info('history frozen', { chain: spec.key, stage, from, until, segment: name, elapsedMs })
  return true
}

const rowsByRange = statement(
  `select part, sum(row_count) from range_sum where tab in ('tx', 'transfer', 'internal')
   group by part order by part`,
)

/** Where the next segment ends, at the end of a range of sums; `undefined`: not yet. */
async function endOfNext(reader: Reader, rows: number | undefined): Promise<number | undefined> {
  const blocks = (await checkpointHeights(reader)).get(blockStage) ?? -1
  const last = provenHeightOf(await storedProofs(reader), blocks)
  const ranges = await reader.all(rowsByRange)
  const wanted = rows ?? usualRows(ranges.reduce((sum, [, count]) => sum + Number(count), 0))
  let sum = 0
  for (const [part, count] of ranges) {
    const until = (Number(part) + 1) * heightsPerSum
    if (until > last + 1) return undefined
    sum += Number(count)
    if (sum >= wanted) return until
  }
  return undefined
}

/**
 * Rows of the next segment where tables have `all`. What stays in tables is counted anew each time, so
 * a long history that begins to freeze does so in steps that shrink with it.
 */
function usualRows(all: number): number {
  return Math.max(defaultRows, all / 8)
}
