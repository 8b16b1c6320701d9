/** Numbers of addresses. */

import { type Reader, statement } from '../../engine/database.ts'
import { addressByBytes } from '../../schema/evm.ts'
import { integerAt } from '../row-values.ts'

const question = statement('select id from address_by_bytes where bytes = ?')

/**
 * Number of an address, or `undefined` when the chain has never shown it.
 *
 * Cost: one look-up in `address_by_bytes`.
 */
export async function addressId(store: Reader, bytes: Uint8Array): Promise<number | undefined> {
  const row = await store.get(question, [bytes])
  return row === undefined ? undefined : integerAt(row, 0)
}

/** Numbers of many addresses, in their order. Cost: one look-up each. */
export async function addressIds(
  store: Reader,
  addresses: readonly Uint8Array[],
): Promise<(number | undefined)[]> {
  const rows = await store.lookup({ table: addressByBytes, key: ['bytes'], select: ['id'] }, [
    addresses,
  ])
  return rows.map((row) => (row === undefined ? undefined : integerAt(row, 0)))
}
