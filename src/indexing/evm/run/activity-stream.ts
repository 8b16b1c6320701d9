/**
 * Transactions and gas of each day by sender and by called address, as a stage of its own behind the blocks of a chain
 * (decision 0026).
 *
 * Blocks that are stored meanwhile were noted from their columns; those before them, of a store that is older or was
 * opened again, are counted from rows. The rows of days say how far it is. Where the chain no longer has the last block
 * of a day, that day and those after it are counted again.
 */

import { equalBytes } from '../../../core/bytes.ts'
import type { ActivityNotes } from '../../../rollup/activity-notes.ts'
import { countActivity, type CountedDay, withStored } from '../../../rollup/count-activity.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { blockHashAt } from '../../../store/query/evm/blocks.ts'
import { firstHeight, indexedHeight } from '../../../store/query/evm/heights.ts'
import {
  countedBlocks,
  type CountedBlock,
  newestActivity,
} from '../../../store/query/metrics/activity-days.ts'
import { activityDay } from '../../../store/schema/metrics.ts'
import type { WatchedChain } from '../../stream/open-chain.ts'
import { type Round, roundStream } from '../../stream/round-stream.ts'
import type { Stream } from '../../stream/stage.ts'

type Chain = Pick<WatchedChain, 'database' | 'clock' | 'log' | 'commit' | 'changes'>

/** At the head the open day is written anew at most this fast, on average: a large one is written less often. */
const bytesPerMs = 4

/** The stream. `notes` are of the blocks that the chain's writer stores. */
export function activityStream(chain: Chain, notes: ActivityNotes): Stream {
  const { database, clock } = chain
  let restUntil = 0
  return roundStream('activity', chain, async (): Promise<Round> => {
    const changes = chain.changes()
    const end = await indexedHeight(database, 'blocks')
    const counted = await newestActivity(database)
    if (counted !== undefined && !(await isOfChain(database, counted))) {
      // Removes the days that the chain no longer has.
      await chain.commit(async (writer) => {
        const gone: number[] = []
        for (const block of await countedBlocks(writer)) {
          if (await isOfChain(writer, block)) break
          gone.push(block.start)
        }
        await writer.remove(activityDay, { start: gone })
      })
      return { height: -1, isBusy: true, isLive: false }
    }
    const height = counted?.height ?? -1
    const from = counted === undefined ? await firstHeight(database) : height + 1
    const isWoken = async (): Promise<boolean> => chain.changes() !== changes
    if (from === undefined || from > end) return { height, isBusy: false, isLive: true, isWoken }
    if (clock.monotonic() < restUntil) return { height, isBusy: false, isLive: true }
    const days =
      notes.from === from
        ? await noted(database, notes, counted)
        : await countActivity(database, { counted, from, end: endOfRows(notes, from, end) })
    const last = days.at(-1)
    if (last === undefined) return { height, isBusy: true, isLive: false }
    const openBytes = await store(chain, days)
    const isLive = last.height >= end
    if (isLive) restUntil = clock.monotonic() + openBytes / bytesPerMs
    return { height: last.height, isBusy: true, isLive }
  })
}

/** Days after the last one counted, as noted; none where the chain was replaced meanwhile. */
async function noted(
  database: Reader,
  notes: ActivityNotes,
  counted: CountedBlock | undefined,
): Promise<readonly CountedDay[]> {
  const [first, ...rest] = notes.take()
  const last = rest.at(-1) ?? first
  if (first === undefined || last === undefined || !(await isOfChain(database, last))) return []
  return [await withStored(database, counted, first), ...rest]
}

/** Last height to read from rows: what is noted after it need not be read. */
function endOfRows(notes: ActivityNotes, from: number, end: number): number {
  const next = notes.from
  if (next === undefined || next > from) return next === undefined ? end : Math.min(end, next - 1)
  notes.forget()
  return end
}

async function isOfChain(store: Reader, { height, hash }: CountedBlock): Promise<boolean> {
  const stored = await blockHashAt(store, height)
  return stored !== undefined && equalBytes(stored, hash)
}

/** Stores `days`. Returns the bytes of the last one. */
async function store({ commit }: Chain, days: readonly CountedDay[]): Promise<number> {
  const senders = days.map((day) => day.senders.list())
  const callees = days.map((day) => day.callees.list())
  await commit(async (writer) =>
    writer.upsert(activityDay, {
      start: days.map(({ start }) => start),
      height: days.map(({ height }) => height),
      hash: days.map(({ hash }) => hash),
      senders,
      callees,
    }),
  )
  return (senders.at(-1)?.length ?? 0) + (callees.at(-1)?.length ?? 0)
}
