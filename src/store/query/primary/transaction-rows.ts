/** Transactions by place or id. */

import { type Reader, statement } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/places.ts'
import { txBody, txStart } from '../../schema/primary-bodies.ts'
import { posRangeOf, prefixOf, type PrimaryChain } from '../../schema/primary-position.ts'
import { bytesAt, integerAt } from '../row-values.ts'
import { body, bytes, integer, maybe, type RowOf, storedRow } from '../stored-row.ts'

/** A transaction `t` and its block `b`. */
const transactionRow = storedRow({
  pos: integer('t.pos'),
  txId: bytes('t.tx_id'),
  /** Absent for what the X-Chain had before its blocks. */
  blockHash: maybe(bytes('b.hash')),
  body: body('t.body', txBody),
})
/** One stored transaction. */
export type StoredTransaction = RowOf<typeof transactionRow> & {
  /** Wire type id, of its chain. */
  readonly type: number
  /** False for a proposal that was voted down. */
  readonly committed: boolean
  /** Unix seconds. */
  readonly timestamp: number
  /** The UTXOs it made: `count` from number `first` on. */
  readonly made: { readonly first: number; readonly count: number }
  /** Numbers of the UTXOs it spent. */
  readonly spent: readonly number[]
}

const byPlaces = transactionRow.statement(
  (columns) => `select ${columns} from json_each(?) j cross join tx t
   left join block b on b.id = t.pos / ${placesPerBlock} where t.pos = j.value`,
  {
    over: 'tables',
    postgres: (columns) => `select ${columns} from json_array_elements_text(?::json) j
      join tx t on t.pos = j.value::bigint left join block b on b.id = t.pos / ${placesPerBlock}`,
  },
)

const lateSpends = statement(
  `select l.pos, l.utxo from json_each(?) j cross join late_spend l where l.pos = j.value`,
  {
    postgres: `select l.pos, l.utxo from json_array_elements_text(?::json) j
      join late_spend l on l.pos = j.value::bigint`,
  },
)

/** Transactions at `places`, in their order. Three seeks each. */
export async function transactionsAt(
  reader: Reader,
  places: readonly number[],
): Promise<StoredTransaction[]> {
  if (places.length === 0) return []
  const rows = await reader.all(byPlaces, [JSON.stringify(places)])
  const late = new Map<number, number[]>()
  for (const row of await reader.all(lateSpends, [JSON.stringify(places)])) {
    const pos = integerAt(row, 0)
    late.set(pos, [...(late.get(pos) ?? []), integerAt(row, 1)])
  }
  const found = new Map(
    rows.map(transactionRow.read).map((row) => [row.pos, withFacts(row, late.get(row.pos) ?? [])]),
  )
  return places.flatMap((pos) => found.get(pos) ?? [])
}

const bodies = statement(
  'select t.pos, t.body from json_each(?) j cross join tx t where t.pos = j.value',
  {
    over: 'tables',
    postgres: `select t.pos, t.body from json_array_elements_text(?::json) j
      join tx t on t.pos = j.value::bigint`,
  },
)

/** Times of transactions by place, Unix seconds. One seek each. */
export async function timesOfPlaces(
  reader: Reader,
  places: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (places.length === 0) return new Map()
  const rows = await reader.all(bodies, [JSON.stringify(places)])
  return new Map(rows.map((row) => [integerAt(row, 0), txStart.fromStart(bytesAt(row, 1)).time]))
}

const byId = statement(
  `select t.pos from tx_by_id i join tx t on t.pos = i.pos
   where i.prefix = ? and i.pos >= ? and i.pos < ? and t.tx_id = ? order by i.pos limit 1`,
  { over: 'tables' },
)

/**
 * The transaction with this id on `chain`. Ids of some old ones are not unique; the first counts,
 * as in nodes. One seek of `tx_by_id`, and one for each id that
 * begins alike.
 */
export async function transactionById(
  reader: Reader,
  chain: PrimaryChain,
  txId: Uint8Array,
): Promise<StoredTransaction | undefined> {
  const { from, until } = posRangeOf(chain)
  const row = await reader.get(byId, [prefixOf(txId), from, until, txId])
  return row === undefined ? undefined : (await transactionsAt(reader, [integerAt(row, 0)]))[0]
}

function withFacts(row: RowOf<typeof transactionRow>, late: readonly number[]): StoredTransaction {
  const { typeId, committed, time, firstUtxo, utxoCount, spent } = row.body
  return {
    ...row,
    type: typeId,
    committed,
    timestamp: time,
    made: { first: firstUtxo, count: utxoCount },
    spent: late.length === 0 ? spent : [...spent, ...late],
  }
}
