/** The addresses of a list that a transaction concerns. */

import { type Reader, statement } from '../../engine/database.ts'

const question = statement('select 1 from tx_by_address where address_id = ? and pos = ?', {
  over: 'tables',
})

/** Those of `addresses` (numbers) that the transaction at `pos` concerns. One seek each. */
export async function concernedAddresses(
  reader: Reader,
  addresses: readonly number[],
  pos: number,
): Promise<number[]> {
  const found: number[] = []
  for (const address of addresses)
    if ((await reader.get(question, [address, pos])) !== undefined) found.push(address)
  return found
}
