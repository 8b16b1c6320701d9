/** UTXOs of addresses given in the query: the first version of operation 3 of document A. */

import { ListUtxosByQuery } from '../../shape/primary/list-utxos-by-query.ts'
import { operation, type Operation } from '../operation.ts'
import { chainOf } from './chain-of.ts'
import { addressesIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { utxoPage } from './utxo-page.ts'

/** UTXOs of the addresses of the query. */
export function listUtxosByQuery(parts: PrimaryParts): Operation {
  return operation(ListUtxosByQuery, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    const { addresses: text, ...filters } = query
    const addresses = addressesIn(text, chain.hrp, parts.limits.maxAddresses)
    return utxoPage(parts, { chain, addresses, filters, route: ListUtxosByQuery.id })
  })
}
