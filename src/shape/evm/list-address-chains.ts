/** Chains on which an address was active. */

import { Type } from '../type.ts'
import { ChainInfo } from './chain-info.ts'
import { AddressPath } from './path.ts'
import { NoQuery } from './query.ts'

/** Chains on which an address was active. */
export const ListAddressChains = {
  id: 'listAddressChains',
  method: 'GET',
  path: '/v1/address/{address}/chains',
  summary: 'Chains on which an address was active',
  tag: 'EVM chains',
  weight: 20,
  parameters: { path: AddressPath, query: NoQuery },
  response: Type.Object({
    indexedChains: Type.Array(ChainInfo),
    unindexedChains: Type.Array(Type.String()),
  }),
} as const
