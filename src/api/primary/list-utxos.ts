/** Document A, operation 3: UTXOs of addresses. */

import { pageShape } from '../../shape/page-shape.ts'
import { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import { ChainPath, PageToken, pageSize } from '../../shape/primary/parameters.ts'
import { UtxoFilters } from '../../shape/primary/utxo-filters.ts'
import { Utxo } from '../../shape/primary/utxo.ts'
import { Type } from '../../shape/type.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { chainOf } from './chain-of.ts'
import { addressesIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'
import { utxoPage } from './utxo-page.ts'

const ListUtxos = {
  id: 'getUtxosByAddressesV2',
  method: 'POST',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/utxos',
  summary: 'UTXOs of addresses; the addresses in the body',
  tag: 'Primary Network UTXOs',
  weight: 100,
  parameters: {
    path: ChainPath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(10, 1024),
      ...UtxoFilters,
    }),
    body: Type.Object({
      addresses: Type.String({
        description:
          'Comma-separated addresses, at most 1,024 unless the deployment says otherwise',
        // 4,096, the most that can be set, of 64 characters each.
        maxLength: 262_144,
      }),
    }),
  },
  response: pageShape({ utxos: Type.Array(Utxo), chainInfo: PrimaryChainInfo }),
} as const

/** UTXOs of the addresses of the body. */
export function listUtxos(parts: PrimaryParts): Operation {
  return operation(ListUtxos, async ({ path, query, body }) => {
    const chain = chainOf(parts.networks, path)
    const addresses = addressesIn(body.addresses, chain, parts.limits.maxBodyAddresses)
    return utxoPage(parts, { chain, addresses, filters: query, route: ListUtxos.id })
  })
}
