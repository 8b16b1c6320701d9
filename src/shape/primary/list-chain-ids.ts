/** On which chains addresses were seen. */

import { Type } from '../type.ts'
import { chainNames } from './chain-info.ts'
import { Addresses, NetworkPath } from './parameters.ts'

/** On which chains addresses were seen. */
export const ListChainIds = {
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
