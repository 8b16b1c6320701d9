/** Transactions by place or id. */

import { type Reader, type Row, statement } from '../../engine/database.ts'
import { type TxBody, txBody, txStart } from '../../schema/primary-bodies.ts'
import { posRangeOf, prefixOf, type PrimaryChain } from '../../schema/primary-position.ts'
import { bytes } from './utxo-rows.ts'

/** One stored transaction. */
export type StoredTransaction = {
  readonly pos: number
  readonly txId: Uint8Array
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
  /** Absent for what the X-Chain had before its blocks. */
  readonly blockHash: Uint8Array | undefined
  readonly body: TxBody
}

const selected = 't.pos, t.tx_id, b.hash, t.body'

const byPlaces = statement(
  `select ${selected} from json_each(?) j cross join tx t
   left join block b on b.id = t.pos / 1048576 where t.pos = j.value`,
  {
    postgres: `select ${selected} from json_array_elements_text(?::json) j
      join tx t on t.pos = j.value::bigint left join block b on b.id = t.pos / 1048576`,
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
  for (const [pos, utxo] of await reader.all(lateSpends, [JSON.stringify(places)]))
    late.set(Number(pos), [...(late.get(Number(pos)) ?? []), Number(utxo)])
  const found = new Map(
    rows.map((row) => [Number(row[0]), transactionOf(row, late.get(Number(row[0])) ?? [])]),
  )
  return places.flatMap((pos) => found.get(pos) ?? [])
}

const bodies = statement(
  'select t.pos, t.body from json_each(?) j cross join tx t where t.pos = j.value',
  {
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
  return new Map(rows.map(([pos, body]) => [Number(pos), txStart.fromStart(bytes(body)).time]))
}

const byId = statement(
  `select t.pos from tx_by_id i join tx t on t.pos = i.pos
   where i.prefix = ? and i.pos >= ? and i.pos < ? and t.tx_id = ? order by i.pos limit 1`,
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
  return row === undefined ? undefined : (await transactionsAt(reader, [Number(row[0])]))[0]
}

function transactionOf(row: Row, late: readonly number[]): StoredTransaction {
  const body = txBody.fromBytes(bytes(row[3]))
  return {
    pos: Number(row[0]),
    txId: bytes(row[1]),
    type: body.typeId,
    committed: body.committed,
    timestamp: body.time,
    made: { first: body.firstUtxo, count: body.utxoCount },
    spent: late.length === 0 ? body.spent : [...body.spent, ...late],
    blockHash: row[2] instanceof Uint8Array ? row[2] : undefined,
    body,
  }
}
