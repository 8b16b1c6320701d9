/** On which of the three chains addresses were ever seen. */

import { type Reader, statement } from '../../engine/database.ts'
import { posRangeOf, type PrimaryChain } from '../../schema/primary-position.ts'

const seen = statement(
  'select 1 from tx_by_address where address_id = ? and pos >= ? and pos < ? limit 1',
)
const held = statement('select 1 from holding where address_id = ? and place = ? limit 1')
const places = { P: 0, X: 2, C: 3 } as const

/** Chains with a transaction or an output of the address. Six seeks at most. */
export async function chainsOfAddress(reader: Reader, address: number): Promise<PrimaryChain[]> {
  const found: PrimaryChain[] = []
  for (const chain of ['P', 'X', 'C'] as const) {
    const { from, until } = posRangeOf(chain)
    const row =
      (await reader.get(seen, [address, from, until])) ??
      (await reader.get(held, [address, places[chain]]))
    if (row !== undefined) found.push(chain)
  }
  return found
}
