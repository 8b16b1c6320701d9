/** UTXOs by number, with the id of what spent them. */

import { type Reader, type Row, statement, type Value } from '../../engine/database.ts'
import {
  chainOfNumber,
  placeOfPos,
  type PrimaryChain,
  rewardKinds,
} from '../../schema/primary-position.ts'

/** One stored UTXO. Times are Unix seconds. */
export type StoredUtxo = {
  readonly id: number
  readonly utxoId: Uint8Array
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

const selected = `u.id, u.utxo_id, u.tx_id, u.output_index, u.chain, u.target, u.asset, u.kind,
  u.reward, u.output, u.created_pos, u.created_at, u.spent_pos, u.spent_at, u.stake_start,
  u.stake_end, u.returned_at, t.tx_id`

const byNumbers = statement(
  `select ${selected} from json_each(?) j cross join utxo u left join tx t on t.pos = u.spent_pos
   where u.id = j.value`,
  {
    postgres: `select ${selected} from json_array_elements_text(?::json) j
      join utxo u on u.id = j.value::bigint left join tx t on t.pos = u.spent_pos`,
  },
)

/** UTXOs by number, in the order of `ids`. One seek each. */
export async function utxosByNumber(reader: Reader, ids: readonly number[]): Promise<StoredUtxo[]> {
  if (ids.length === 0) return []
  const rows = await reader.all(byNumbers, [JSON.stringify(ids)])
  const found = new Map(rows.map((row) => [Number(row[0]), utxoOf(row)]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

const spentBy = statement(
  `select ${selected} from json_each(?) j cross join utxo u indexed by utxo_by_spender
   left join tx t on t.pos = u.spent_pos
   where u.spent_pos = j.value and u.spent_pos is not null order by u.spent_pos, u.id limit ?`,
  {
    postgres: `select ${selected} from json_array_elements_text(?::json) j
      join utxo u on u.spent_pos = j.value::bigint left join tx t on t.pos = u.spent_pos
      order by u.spent_pos, u.id limit ?`,
  },
)

/** UTXOs spent by the transactions at `places`. One seek of `utxo_by_spender` each. */
export async function utxosSpentBy(
  reader: Reader,
  places: readonly number[],
  limit: number,
): Promise<StoredUtxo[]> {
  if (places.length === 0) return []
  return (await reader.all(spentBy, [JSON.stringify(places), limit])).map(utxoOf)
}

function utxoOf(row: Row): StoredUtxo {
  return {
    id: Number(row[0]),
    utxoId: bytes(row[1]),
    txId: bytes(row[2]),
    outputIndex: Number(row[3]),
    createdOn: chainOfNumber(Number(row[4])),
    consumableOn: chainOfNumber(Number(row[5])),
    asset: Number(row[6]),
    kind: Number(row[7]),
    reward: rewardKinds[Number(row[8])] ?? '',
    output: bytes(row[9]),
    createdPos: Number(row[10]),
    createdAt: Number(row[11]),
    spentPos: optional(row[12]),
    spentAt: optional(row[13]),
    stakeStart: optional(row[14]),
    stakeEnd: optional(row[15]),
    returnedAt: optional(row[16]),
    spentBy: row[17] instanceof Uint8Array ? row[17] : undefined,
  }
}

/** Height of the block that made a UTXO. */
export function createdHeight(of: StoredUtxo): number {
  return placeOfPos(of.createdPos).height
}

/** The bytes of a column that is never NULL. */
export function bytes(value: Value | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array()
}

/** An integer column that may be NULL. */
export function optional(value: Value | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value)
}
