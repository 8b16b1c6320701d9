/** Staking periods as rows, and by the ids of their transactions. */

import { keyOf } from '../../../core/bytes.ts'
import type { Reader } from '../../engine/database.ts'
import { stakerBody } from '../../schema/primary-bodies.ts'
import { prefixOf, stakerStatuses } from '../../schema/primary-position.ts'
import {
  amount,
  body,
  bytes,
  integer,
  mapped,
  maybe,
  oneOf,
  type RowOf,
  storedRow,
} from '../stored-row.ts'

/** A validating or delegating period, of `staker s join node n`. */
export const stakerRow = storedRow(
  {
    pos: integer('s.pos'),
    txId: bytes('s.tx_id'),
    role: oneOf('s.role', ['validator', 'delegator']),
    status: oneOf('s.status', stakerStatuses),
    subnetId: bytes('s.subnet_id'),
    nodeId: bytes('n.bytes'),
    /** Number of the node. */
    node: integer('s.node'),
    /** Delegators: the period of the validator they joined. */
    validatorTxId: maybe(bytes('s.validator_tx')),
    /** Smallest unit; below 0 where nobody can delegate. */
    capacity: amount('s.capacity'),
    /** Ten-thousandths of a percent as last polled; absent when never. */
    uptime: mapped(integer('s.uptime'), (uptime) => (uptime < 0 ? undefined : uptime)),
    connected: mapped(integer('s.connected'), (is) => (is < 0 ? undefined : is === 1)),
    activatedHeight: maybe(integer('s.activated_height')),
    endedHeight: maybe(integer('s.ended_height')),
  },
  body('s.body', stakerBody),
)
/** One such period. */
export type StoredStaker = RowOf<typeof stakerRow>

const byPrefix = stakerRow.statement(
  (columns) => `select ${columns} from json_each(?) j cross join tx_by_id i
   cross join staker s on s.pos = i.pos join node n on n.id = s.node where i.prefix = j.value`,
  {
    postgres: (columns) => `select ${columns} from json_array_elements_text(?::json) j
      join tx_by_id i on i.prefix = j.value::bigint
      join staker s on s.pos = i.pos join node n on n.id = s.node`,
  },
)

/** Staking periods by the ids of their transactions; other ids are left out. Two seeks each. */
export async function stakersByTx(
  reader: Reader,
  txIds: readonly Uint8Array[],
): Promise<StoredStaker[]> {
  if (txIds.length === 0) return []
  const wanted = new Set(txIds.map(keyOf))
  const prefixes = [...new Set(txIds.map(prefixOf))]
  const rows = await reader.all(byPrefix, [JSON.stringify(prefixes)])
  return rows.map(stakerRow.read).filter(({ txId }) => wanted.has(keyOf(txId)))
}
