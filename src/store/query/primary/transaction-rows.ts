/** Transactions by place or id. */

import { type Reader, type Row, statement } from '../../engine/database.ts'
import { type TxBody, txBody } from '../../schema/primary-bodies.ts'
import { posRangeOf, type PrimaryChain } from '../../schema/primary-position.ts'
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
  /** Absent for what the X-Chain had before its blocks. */
  readonly blockHash: Uint8Array | undefined
  readonly body: TxBody
}

const selected = `t.pos, t.tx_id, t.type, t.committed, t.timestamp, t.first_utxo, t.utxo_count,
  b.hash, t.body`

const byPlaces = statement(
  `select ${selected} from json_each(?) j cross join tx t
   left join block b on b.id = t.pos / 1048576 where t.pos = j.value`,
  {
    postgres: `select ${selected} from json_array_elements_text(?::json) j
      join tx t on t.pos = j.value::bigint left join block b on b.id = t.pos / 1048576`,
  },
)

/** Transactions at `places`, in their order. One seek each. */
export async function transactionsAt(
  reader: Reader,
  places: readonly number[],
): Promise<StoredTransaction[]> {
  if (places.length === 0) return []
  const rows = await reader.all(byPlaces, [JSON.stringify(places)])
  const found = new Map(rows.map((row) => [Number(row[0]), transactionOf(row)]))
  return places.flatMap((pos) => found.get(pos) ?? [])
}

const byId = statement(
  'select pos from tx where tx_id = ? and pos >= ? and pos < ? order by pos limit 1',
)

/**
 * The transaction with this id on `chain`. Ids of some old ones are not unique; the first counts,
 * as in nodes. One seek of `tx_by_id`.
 */
export async function transactionById(
  reader: Reader,
  chain: PrimaryChain,
  txId: Uint8Array,
): Promise<StoredTransaction | undefined> {
  const { from, until } = posRangeOf(chain)
  const row = await reader.get(byId, [txId, from, until])
  return row === undefined ? undefined : (await transactionsAt(reader, [Number(row[0])]))[0]
}

function transactionOf(row: Row): StoredTransaction {
  return {
    pos: Number(row[0]),
    txId: bytes(row[1]),
    type: Number(row[2]),
    committed: row[3] === 1,
    timestamp: Number(row[4]),
    made: { first: Number(row[5]), count: Number(row[6]) },
    blockHash: row[7] instanceof Uint8Array ? row[7] : undefined,
    body: txBody.fromBytes(bytes(row[8])),
  }
}
