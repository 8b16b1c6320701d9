/** Tables as they were before slots of proposers were stored, layout 4. */

import { blocksPerSum, placesPerSum } from '../schema/sums.ts'
import { sumsBy, table } from '../schema/table.ts'

const staker = table(
  'staker',
  {
    pos: 'integer',
    tx_id: 'bytes',
    role: 'integer',
    status: 'integer',
    subnet_id: 'bytes',
    node: 'integer',
    validator_tx: 'bytes?',
    until: 'integer',
    shares: 'integer',
    capacity: 'amount',
    uptime: 'integer',
    connected: 'integer',
    activated_height: 'integer?',
    ended_height: 'integer?',
    body: 'bytes',
  },
  {
    key: ['pos'],
    layout: 'rows',
    sums: sumsBy('pos', placesPerSum, ['uptime', 'connected']),
    indexes: [
      { name: 'staker_by_status', columns: ['role', 'status', 'pos'] },
      { name: 'staker_by_node', columns: ['node', 'role', 'pos'] },
      { name: 'staker_by_until', columns: ['status', 'until', 'pos'], where: 'role = 0' },
      { name: 'staker_by_shares', columns: ['status', 'shares', 'pos'], where: 'role = 0' },
      { name: 'staker_by_capacity', columns: ['status', 'capacity', 'pos'], where: 'role = 0' },
      { name: 'staker_by_uptime', columns: ['status', 'uptime', 'pos'], where: 'role = 0' },
      {
        name: 'staker_by_validator',
        columns: ['validator_tx', 'pos'],
        where: 'validator_tx is not null',
      },
      { name: 'staker_by_end', columns: ['subnet_id', 'ended_height'] },
    ],
  },
)

const cycle = table(
  'cycle',
  { staker: 'integer', number: 'integer', height: 'integer', body: 'bytes' },
  { key: ['staker', 'number'], layout: 'keyed', sums: sumsBy('height', blocksPerSum) },
)

/** Those that have an index more since. */
export const tablesBeforeSlots = [staker, cycle] as const
