/** Places of EVM transactions that addresses took part in, oldest first. */

import {
  type KeyKind,
  type Reader,
  type Statement,
  statement,
  type Value,
} from '../../engine/database.ts'
import type { HistoryStage } from '../../schema/table.ts'
import { heightOf, posOfHeight } from '../evm/position.ts'
import { integerAt } from '../row-values.ts'

/** A range of places: `from` inclusive, `until` exclusive. */
export type PlaceRange = { readonly from: number; readonly until: number }

type Source = { readonly question: Statement; readonly leading: readonly Value[] }

function source(
  of: KeyKind,
  text: string,
  leading: readonly Value[] = [],
  stage: HistoryStage = 'blocks',
): Source {
  const first = leading.length + 1
  const within = { pos: [first, first + 1] }
  const words = `${text} and a.pos >= ? and a.pos < ? order by a.pos limit ?`
  const key = { of, at: [0, ...leading.map((_, at) => at + 1)] }
  return { question: statement<string>(words, { over: 'oldest', within, stage, key }), leading }
}

const ofTransfers =
  'select a.pos, t.tx_index from transfer_by_address a join transfer t on t.pos = a.pos ' +
  'where a.address_id = ? and a.standard = ?'

const ofBlocks: readonly Source[] = [
  source(
    'transactions',
    'select a.pos, -1 from evm_transaction_by_address a where a.address_id = ?',
  ),
  source('transfers', ofTransfers, [20]),
  source('transfers', ofTransfers, [721]),
  source('transfers', ofTransfers, [1155]),
  // A webhook that watches a token receives everything the token moves.
  source(
    'token',
    'select a.pos, t.tx_index from transfer_by_token a join transfer t on t.pos = a.pos ' +
      'where a.token_id = ?',
  ),
]

const ofTraces: readonly Source[] = [
  ...ofBlocks,
  source(
    'address',
    'select a.pos, i.tx_index from internal_by_address a join internal i on i.pos = a.pos ' +
      'where a.address_id = ?',
    [],
    'traces',
  ),
]

// Entries read at once; one transaction may have many.
const batchRows = 256

/**
 * Transactions the address with this number took part in (sender, receiver, created, side or
 * contract of a transfer, and with `traces` side of an internal transaction), in `range`, each
 * once, oldest first, at most `limit`.
 *
 * Cost: one range of each list of the address.
 */
export async function placesOfAddress(
  reader: Reader,
  query: {
    readonly addressId: number
    readonly withTraces: boolean
    readonly range: PlaceRange
    readonly limit: number
  },
): Promise<number[]> {
  const found = new Set<number>()
  for (const each of query.withTraces ? ofTraces : ofBlocks)
    for (const pos of await placesIn(reader, each, query)) found.add(pos)
  return [...found].toSorted((a, b) => a - b).slice(0, query.limit)
}

async function placesIn(
  reader: Reader,
  { question, leading }: Source,
  { addressId, range, limit }: Parameters<typeof placesOfAddress>[1],
): Promise<Iterable<number>> {
  const found = new Set<number>()
  // Entries count from the beginning of the block, transactions from their place in it.
  let from = posOfHeight(heightOf(range.from))
  const until = posOfHeight(heightOf(range.until - 1) + 1)
  while (found.size < limit) {
    const rows = await reader.all(question, [addressId, ...leading, from, until, batchRows])
    for (const row of rows) {
      const pos = integerAt(row, 0)
      const index = integerAt(row, 1)
      const place = index === -1 ? pos : posOfHeight(heightOf(pos)) + index
      if (place >= range.from && place < range.until) found.add(place)
      from = pos + 1
    }
    if (rows.length < batchRows) break
  }
  return found
}
