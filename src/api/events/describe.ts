/** Describes the events at a place of a chain in the words of the API. */

import type { Describe } from '../../events/message.ts'
import type { EvmParts } from '../evm/parts.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { NetworkDirectory } from '../primary/network-directory.ts'
import { addressEvents } from './address-event.ts'
import { evmEvents } from './evm-event.ts'
import { validatorEvents } from './validator-event.ts'

/** Describes places of every chain served here. Rejects `not-served` where a node is needed. */
export function describePlaces(
  evm: EvmParts,
  { chains, networks }: { readonly chains: ChainDirectory; readonly networks: NetworkDirectory },
): Describe {
  return async (webhook, pos, signal) => {
    const { eventType, network = 'fuji' } = webhook.body
    if (eventType === 'address_activity') {
      const chain = chains.all().find(({ facts }) => facts.key === webhook.store)
      return chain === undefined ? [] : evmEvents(evm, { webhook, chain, pos }, signal)
    }
    const served = networks.find(network)
    if (eventType === 'validator_activity')
      return validatorEvents({ ...served, chain: 'P' }, webhook, pos)
    const chain = webhook.ledger === 'X' ? 'X' : 'P'
    return addressEvents({ ...served, chain }, webhook, pos)
  }
}
