/** UTXOs of addresses given in the query: the first version of operation 3. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { PrimaryChainInfo } from './chain-info.ts'
import { Addresses, ChainPath, PageToken, pageSize } from './parameters.ts'
import { UtxoFilters } from './utxo-filters.ts'
import { Utxo } from './utxo.ts'

/** UTXOs of addresses given in the query: the first version of operation 3. */
export const ListUtxosByQuery = {
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
  response: Type.Object({
    nextPageToken,
    utxos: Type.Array(Utxo),
    chainInfo: PrimaryChainInfo,
  }),
} as const
