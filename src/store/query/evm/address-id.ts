/** Numbers of addresses. */

import { assert } from '../../../core/fault.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { address, addressByBytes } from '../../schema/evm.ts'
import { bytesAt, integerAt } from '../row-values.ts'

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

/** Addresses by their stored numbers, in their order. Cost: one look-up each. */
export async function addressesOfIds(
  store: Reader,
  ids: readonly number[],
): Promise<readonly Uint8Array[]> {
  if (ids.length === 0) return []
  const rows = await store.lookup({ table: address, key: ['id'], select: ['bytes'] }, [ids])
  return rows.map((row) => {
    assert(row !== undefined, 'a number in a row is that of an address')
    return bytesAt(row, 0)
  })
}
