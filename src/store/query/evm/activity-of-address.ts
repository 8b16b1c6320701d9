/** Where in the history of a chain an address took part. */

import { type Reader, type Statement, statement, type Value } from '../../engine/database.ts'
import type { HistoryStage } from '../../engine/table.ts'
import { placesPerBlock } from '../../schema/places.ts'
import { integerAt } from '../row-values.ts'
import { type Direction, heightOf, type PosRange, posOfHeight } from './position.ts'

type Source = {
  readonly desc: Statement
  readonly asc: Statement
  readonly leading: readonly Value[]
}

type Asking = { readonly leading?: readonly Value[]; readonly stage?: HistoryStage }

function bothWays(text: string, { leading = [], stage }: Asking = {}): Source {
  const first = leading.length + 1
  const ordered = (direction: Direction): Statement =>
    statement<string>(`${text} and a.pos >= ? and a.pos < ? order by a.pos ${direction} limit ?`, {
      over: direction === 'desc' ? 'newest' : 'oldest',
      within: { pos: [first, first + 1] },
      stage,
    })
  return { desc: ordered('desc'), asc: ordered('asc'), leading }
}

const transferText =
  'select a.pos, t.tx_index from transfer_by_address a join transfer t on t.pos = a.pos ' +
  'where a.address_id = ? and a.standard = ?'

const sources: readonly Source[] = [
  bothWays('select a.pos, -1 from tx_by_address a where a.address_id = ?'),
  bothWays(transferText, { leading: [20] }),
  bothWays(transferText, { leading: [721] }),
  bothWays(transferText, { leading: [1155] }),
  bothWays(
    'select a.pos, i.tx_index from internal_by_address a join internal i on i.pos = a.pos ' +
      'where a.address_id = ?',
    { stage: 'traces' },
  ),
]

// Rows read at once while looking for the next transactions of one source.
const batchRows = 128

/**
 * Positions of the transactions an address took part in (as sender, receiver or created
 * contract, or through a transfer or internal transaction), strictly after `after` in
 * `direction`, inside `range`, each once, at most `limit`.
 *
 * Cost: one range scan of each of the five address indexes, `limit` transactions each. Many
 * entries in one transaction cost one row each.
 */
export async function activityOfAddress(
  store: Reader,
  query: {
    readonly addressId: number
    readonly range: PosRange
    readonly after: number | undefined
    readonly direction: Direction
    readonly limit: number
  },
): Promise<number[]> {
  const lists = await Promise.all(sources.map((source) => positionsIn(store, source, query)))
  const merged = [...new Set(lists.flat())]
  merged.sort((a, b) => (query.direction === 'desc' ? b - a : a - b))
  return merged.slice(0, query.limit)
}

type Query = Parameters<typeof activityOfAddress>[1]

async function positionsIn(store: Reader, source: Source, query: Query): Promise<number[]> {
  const { addressId, direction, limit } = query
  const descending = direction === 'desc'
  let { from, until } = openedRange(query)
  const found: number[] = []
  for (;;) {
    const parameters = [addressId, ...source.leading, from, until, batchRows]
    const rows = await store.all(source[direction], parameters)
    for (const row of rows) {
      const txPos = transactionOf(integerAt(row, 0), integerAt(row, 1))
      if (isBeyond(txPos, query) && txPos !== found[found.length - 1]) found.push(txPos)
      if (found.length === limit) return found
    }
    const last = rows[rows.length - 1]
    if (last === undefined || rows.length < batchRows) return found
    if (descending) until = integerAt(last, 0)
    else from = integerAt(last, 0) + 1
  }
}

/** Positions that can hold what follows `after`: its own block still may. */
function openedRange({ range, after, direction }: Query): PosRange {
  if (after === undefined) return range
  const block = posOfHeight(heightOf(after))
  return direction === 'desc'
    ? { from: range.from, until: Math.min(range.until, block + placesPerBlock) }
    : { from: Math.max(range.from, block), until: range.until }
}

function isBeyond(txPos: number, { after, direction }: Query): boolean {
  if (after === undefined) return true
  return direction === 'desc' ? txPos < after : txPos > after
}

/** Position of the transaction of an entry; entries of `tx_by_address` are transactions. */
function transactionOf(pos: number, txIndex: number): number {
  return txIndex === -1 ? pos : posOfHeight(heightOf(pos)) + txIndex
}
