/** UTXOs by number, with the id of what spent them. */

import { type Reader, type Row, statement, type Value } from '../../engine/database.ts'
import { chainOfNumber, type PrimaryChain, rewardKinds } from '../../schema/primary-position.ts'
import { type RowUtxo, utxosOfRow } from '../../schema/primary-utxo.ts'

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

const selected = 'j.value, u.id, u.body, s.pos, s.spent_at, t.tx_id, r.returned_at'

// A row is under the number of its last UTXO.
const byNumbers = statement(
  `select ${selected} from json_each(?) j
   cross join utxo u on u.id = (select min(id) from utxo where id >= j.value)
   left join spend s on s.utxo = j.value left join tx t on t.pos = s.pos
   left join stake_return r on r.utxo = j.value`,
  {
    postgres: `select ${selected}
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
  for (const [number, last, body, ...fate] of await reader.all(byNumbers, [JSON.stringify(ids)])) {
    const one = utxosOfRow(Number(last), bytes(body)).find((utxo) => utxo.number === Number(number))
    if (one !== undefined) found.set(one.number, storedUtxo(one, fate))
  }
  return ids.flatMap((id) => found.get(id) ?? [])
}

function storedUtxo({ number: id, ...utxo }: RowUtxo, fate: Row): StoredUtxo {
  const { createdOn, consumableOn, reward = 0 } = utxo
  return {
    ...utxo,
    id,
    createdOn: chainOfNumber(createdOn),
    consumableOn: chainOfNumber(consumableOn),
    reward: rewardKinds[reward] ?? '',
    spentPos: optional(fate[0]),
    spentAt: optional(fate[1]),
    spentBy: fate[2] instanceof Uint8Array ? fate[2] : undefined,
    returnedAt: optional(fate[3]),
  }
}

/** The bytes of a column that is never NULL. */
export function bytes(value: Value | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array()
}

/** An integer column that may be NULL. */
export function optional(value: Value | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}
