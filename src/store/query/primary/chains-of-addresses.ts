/** On which of the three chains addresses were ever seen. */

import { type Reader, statement } from '../../engine/database.ts'
import { listOf } from '../../schema/primary-holding.ts'
import { posRangeOf, type PrimaryChain } from '../../schema/primary-position.ts'

const seen = statement(
  'select 1 from tx_by_address where address_id = ? and pos >= ? and pos < ? limit 1',
  { over: 'tables' },
)
const open = statement('select 1 from open_holding where list = ? limit 1')
const spent = statement('select 1 from spent_holding where list = ? limit 1')

/** Chains with a transaction or an output of the address. Nine seeks at most. */
export async function chainsOfAddress(reader: Reader, address: number): Promise<PrimaryChain[]> {
  const found: PrimaryChain[] = []
  for (const chain of ['P', 'X', 'C'] as const) {
    const { from, until } = posRangeOf(chain)
    const row =
      (await reader.get(seen, [address, from, until])) ??
      (await reader.get(open, [listOf(address, chain)])) ??
      (await reader.get(spent, [listOf(address, chain)]))
    if (row !== undefined) found.push(chain)
  }
  return found
}
