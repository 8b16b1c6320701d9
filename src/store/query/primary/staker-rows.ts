/** Staking periods as rows, and by the ids of their transactions. */

import { keyOf } from '../../../core/bytes.ts'
import { type Reader, type Row, statement } from '../../engine/database.ts'
import { type StakerBody, stakerBody } from '../../schema/primary-bodies.ts'
import { prefixOf, stakerStatuses } from '../../schema/primary-position.ts'
import { bytes, optional } from './utxo-rows.ts'

/** One validating or delegating period. */
export type StoredStaker = StakerBody & {
  readonly pos: number
  readonly txId: Uint8Array
  readonly role: 'validator' | 'delegator'
  readonly status: (typeof stakerStatuses)[number]
  readonly subnetId: Uint8Array
  readonly nodeId: Uint8Array
  /** Delegators: the period of the validator they joined. */
  readonly validatorTxId: Uint8Array | undefined
  /** Smallest unit; below 0 where nobody can delegate. */
  readonly capacity: bigint
  /** Ten-thousandths of a percent as last polled; absent when never. */
  readonly uptime: number | undefined
  readonly connected: boolean | undefined
  readonly activatedHeight: number | undefined
  readonly endedHeight: number | undefined
}

/** Columns of {@link stakerOf}, of `staker s join node n`. */
export const stakerColumns = `s.pos, s.tx_id, s.role, s.status, s.subnet_id, n.bytes,
  s.validator_tx, cast(s.capacity as text), s.uptime, s.connected, s.activated_height,
  s.ended_height, s.body`

/** How many they are: the place of a column that follows them. */
export const stakerColumnCount = 13

/** A row of {@link stakerColumns}. */
export function stakerOf(row: Row): StoredStaker {
  const uptime = Number(row[8])
  const connected = Number(row[9])
  return {
    ...stakerBody.fromBytes(bytes(row[12])),
    pos: Number(row[0]),
    txId: bytes(row[1]),
    role: Number(row[2]) === 0 ? 'validator' : 'delegator',
    status: stakerStatuses[Number(row[3])] ?? 'removed',
    subnetId: bytes(row[4]),
    nodeId: bytes(row[5]),
    validatorTxId: row[6] instanceof Uint8Array ? row[6] : undefined,
    capacity: BigInt(String(row[7])),
    uptime: uptime < 0 ? undefined : uptime,
    connected: connected < 0 ? undefined : connected === 1,
    activatedHeight: optional(row[10]),
    endedHeight: optional(row[11]),
  }
}

const byPrefix = statement(
  `select ${stakerColumns} from json_each(?) j cross join tx_by_id i
   cross join staker s on s.pos = i.pos join node n on n.id = s.node where i.prefix = j.value`,
  {
    postgres: `select ${stakerColumns} from json_array_elements_text(?::json) j
      join tx_by_id i on i.prefix = j.value::bigint
      join staker s on s.pos = i.pos join node n on n.id = s.node`,
  },
)

/** Staking periods by the ids of their transactions; what is none is left out. Two seeks each. */
export async function stakersByTx(
  reader: Reader,
  txIds: readonly Uint8Array[],
): Promise<StoredStaker[]> {
  if (txIds.length === 0) return []
  const wanted = new Set(txIds.map(keyOf))
  const prefixes = [...new Set(txIds.map(prefixOf))]
  const rows = await reader.all(byPrefix, [JSON.stringify(prefixes)])
  return rows.map(stakerOf).filter(({ txId }) => wanted.has(keyOf(txId)))
}
