/** Chains on which an address was active. */

import { parseEvmAddress } from '../../core/address.ts'
import type { ChainInfo } from '../../shape/evm/chain-info.ts'
import { ListAddressChains } from '../../shape/evm/list-address-chains.ts'
import { addressId } from '../../store/query/evm/address-id.ts'
import { hasActivity } from '../../store/query/evm/has-activity.ts'
import { operation, type Operation } from '../operation.ts'
import { chainView } from './chain-view.ts'
import type { EvmParts } from './parts.ts'

/** Chains on which an address was active. Every chain served is indexed. */
export function listAddressChains({ chains }: EvmParts): Operation {
  return operation(ListAddressChains, async ({ path }) => {
    const address = parseEvmAddress(path.address)
    const indexedChains: ChainInfo[] = []
    for (const chain of chains.all()) {
      const id = await addressId(chain.store, address)
      if (id !== undefined && (await hasActivity(chain.store, id)))
        indexedChains.push(chainView(chain))
    }
    return { body: { indexedChains, unindexedChains: [] } }
  })
}
