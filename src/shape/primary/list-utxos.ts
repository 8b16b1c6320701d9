/** Document A, operation 3: UTXOs of addresses. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { PrimaryChainInfo } from './chain-info.ts'
import { ChainPath, PageToken, pageSize } from './parameters.ts'
import { UtxoFilters } from './utxo-filters.ts'
import { Utxo } from './utxo.ts'

/** Document A, operation 3: UTXOs of addresses. */
export const ListUtxos = {
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
  response: Type.Object({
    nextPageToken,
    utxos: Type.Array(Utxo),
    chainInfo: PrimaryChainInfo,
  }),
} as const
