/** UTXOs of addresses given in the query: the first version of operation 3 of document A. */

import { pageShape } from '../../shape/page-shape.ts'
import { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import { Addresses, ChainPath, PageToken, pageSize } from '../../shape/primary/parameters.ts'
import { UtxoFilters } from '../../shape/primary/utxo-filters.ts'
import { Utxo } from '../../shape/primary/utxo.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { chainOf } from './chain-of.ts'
import { addressesIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { utxoPage } from './utxo-page.ts'

const ListUtxosByQuery = {
  id: 'getUtxosByAddresses',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/utxos',
  summary: 'UTXOs of addresses',
  tag: 'Primary Network UTXOs',
  weight: 100,
  parameters: {
    path: ChainPath,
    query: Type.Object({
      addresses: Addresses,
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      ...UtxoFilters,
    }),
  },
  response: pageShape({ utxos: Type.Array(Utxo), chainInfo: PrimaryChainInfo }),
} as const

/** UTXOs of the addresses of the query. */
export function listUtxosByQuery(parts: PrimaryParts): Operation {
  return operation(ListUtxosByQuery, async ({ path, query }) => {
    const chain = chainOf(parts.networks, path)
    const { addresses: text, ...filters } = query
    const addresses = addressesIn(text, chain, parts.limits.maxAddresses)
    return utxoPage(parts, { chain, addresses, filters, route: ListUtxosByQuery.id })
  })
}
