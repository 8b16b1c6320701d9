/** Chains on which an address was active. */

import { parseEvmAddress } from '../../core/address.ts'
import { ChainInfo } from '../../shape/evm/chain-info.ts'
import { AddressPath, NoQuery } from '../../shape/evm/parameters.ts'
import { Type } from '../../shape/type.ts'
import { addressId, hasActivity } from '../../store/query/evm/addresses.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { chainView } from './chain-view.ts'
import type { EvmParts } from './parts.ts'

const ListAddressChains = {
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

/** Chains on which an address was active. Every chain served is indexed. */
export function listAddressChains({ chains }: EvmParts): Operation {
  return operation(ListAddressChains, async ({ path, caller }) => {
    const address = parseEvmAddress(path.address)
    const indexedChains: ChainInfo[] = []
    for (const chain of chains.all()) {
      const id = await addressId(chain.store, address)
      if (id !== undefined && (await hasActivity(chain.store, id)))
        indexedChains.push(chainView(chain, caller.origin))
    }
    return { body: { indexedChains, unindexedChains: [] } }
  })
}
