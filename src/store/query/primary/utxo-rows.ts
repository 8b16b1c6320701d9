/** UTXOs by number, with the id of what spent them. */

import { itemAt } from '../../../core/item-at.ts'
import type { Reader } from '../../engine/database.ts'
import { chainOfNumber, type PrimaryChain, rewardKinds } from '../../schema/primary-position.ts'
import { type RowUtxo, utxosOfRow } from '../../schema/primary-utxo.ts'
import { bytes, integer, maybe, type RowOf, storedRow } from '../stored-row.ts'

/** One stored UTXO. Times are Unix seconds. */
export type StoredUtxo = {
  readonly id: number
  readonly txId: Uint8Array
  readonly outputIndex: number
  readonly createdOn: PrimaryChain
  readonly consumableOn: PrimaryChain
  /** Number of its asset. */
  readonly asset: number
  /** Bits of `utxoKinds`. */
  readonly kind: number
  /** Empty, or what the reward is for. */
  readonly reward: (typeof rewardKinds)[number]
  /** Wire form of the output, stakeable lock included. */
  readonly output: Uint8Array
  readonly createdPos: number
  readonly createdAt: number
  readonly spentPos: number | undefined
  readonly spentAt: number | undefined
  readonly spentBy: Uint8Array | undefined
  readonly stakeStart: number | undefined
  readonly stakeEnd: number | undefined
  /** When the stake came back. */
  readonly returnedAt: number | undefined
}

/** The row `u` that holds UTXO `j`, and what became of the UTXO. */
const utxoRow = storedRow({
  number: integer('j.value'),
  last: integer('u.id'),
  body: bytes('u.body'),
  spentPos: maybe(integer('s.pos')),
  spentAt: maybe(integer('s.spent_at')),
  spentBy: maybe(bytes('t.tx_id')),
  returnedAt: maybe(integer('r.returned_at')),
})
type UtxoFate = Omit<RowOf<typeof utxoRow>, 'number' | 'last' | 'body'>

// A row is under the number of its last UTXO.
const byNumbers = utxoRow.statement(
  (columns) => `select ${columns} from json_each(?) j
   cross join utxo u on u.id = (select min(id) from utxo where id >= j.value)
   left join spend s on s.utxo = j.value left join tx t on t.pos = s.pos
   left join stake_return r on r.utxo = j.value`,
  {
    over: 'tables',
    postgres: (columns) => `select ${columns}
      from (select value::bigint from json_array_elements_text(?::json)) j
      cross join lateral (select id, body from utxo where id >= j.value order by id limit 1) u
      left join spend s on s.utxo = j.value left join tx t on t.pos = s.pos
      left join stake_return r on r.utxo = j.value`,
  },
)

/** UTXOs by number, in the order of `ids`. Four seeks each at most. */
export async function utxosByNumber(reader: Reader, ids: readonly number[]): Promise<StoredUtxo[]> {
  if (ids.length === 0) return []
  const found = new Map<number, StoredUtxo>()
  for (const row of await reader.all(byNumbers, [JSON.stringify(ids)])) {
    const { number, last, body, ...fate } = utxoRow.read(row)
    const one = utxosOfRow(last, body).find((utxo) => utxo.number === number)
    if (one !== undefined) found.set(one.number, storedUtxo(one, fate))
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

function storedUtxo({ number: id, ...utxo }: RowUtxo, fate: UtxoFate): StoredUtxo {
  const { createdOn, consumableOn, reward = 0 } = utxo
  return {
    ...utxo,
    ...fate,
    id,
    createdOn: chainOfNumber(createdOn),
    consumableOn: chainOfNumber(consumableOn),
    reward: itemAt(rewardKinds, reward),
  }
}
