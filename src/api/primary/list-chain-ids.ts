/** On which chains addresses were seen. */

import { toPrimaryAddress } from '../../core/address.ts'
import { chainNames } from '../../shape/primary/chain-info.ts'
import { Addresses, NetworkPath } from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { chainsOfAddress, numbersOfAddresses } from '../../store/query/primary/addresses.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { chainNameOf, indexedTo } from './chain-of.ts'
import { addressesIn } from './inputs.ts'
import type { PrimaryParts } from './parts.ts'

const ListChainIds = {
  id: 'getChainIdsForAddresses',
  method: 'GET',
  path: '/v1/networks/{network}/addresses:listChainIds',
  summary: 'Chains on which addresses were seen',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: NetworkPath,
    query: Type.Object({ addresses: Addresses }),
  },
  response: Type.Object({
    addresses: Type.Array(
      Type.Object(
        {
          address: Type.String(),
          blockchainIds: Type.Array(Type.String({ description: 'cb58' })),
          chainNames: Type.Array(Type.Enum([...chainNames]), { description: 'in the same order' }),
        },
        { additionalProperties: false },
      ),
    ),
  }),
} as const

/** Chains of addresses; addresses never seen are left out. */
export function listChainIds(parts: PrimaryParts): Operation {
  return operation(ListChainIds, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const { store, hrp } = network
    const height = await indexedTo(store, 'P')
    const addresses = addressesIn(query.addresses, { hrp }, parts.limits.maxAddresses)
    const numbers = await numbersOfAddresses(store, addresses)
    const all = await Promise.all(
      addresses.map(async (address, at) => {
        const number = numbers[at]
        const chains = number === undefined ? [] : await chainsOfAddress(store, number)
        return {
          address: toPrimaryAddress(hrp, address),
          blockchainIds: chains.map((chain) => network.blockchainIds[chain]),
          chainNames: chains.map((chain) => chainNameOf[chain]),
        }
      }),
    )
    return { body: { addresses: all.filter((one) => one.blockchainIds.length > 0) }, ...height }
  })
}
