/** True when an address was ever active. */

import { type Reader, statement } from '../../engine/database.ts'

const questions = [
  statement('select 1 from tx_by_address where address_id = ? limit 1', { over: 'newest' }),
  statement('select 1 from transfer_by_address where address_id = ? limit 1', { over: 'newest' }),
  statement('select 1 from internal_by_address where address_id = ? limit 1', {
    over: 'newest',
    stage: 'traces',
  }),
]

/**
 * Returns whether an address sent, received or was created by anything. Cost: up to three look-ups.
 */
export async function hasActivity(store: Reader, addressId: number): Promise<boolean> {
  for (const question of questions) {
    if ((await store.get(question, [addressId])) !== undefined) return true
  }
  return false
}
