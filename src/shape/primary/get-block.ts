/** One block of the primary network. */

import { Type } from '../type.ts'
import { PrimaryNetworkBlock } from './block.ts'
import { ChainPath } from './parameters.ts'

/** One block of the primary network. */
export const GetPrimaryBlock = {
  id: 'getBlockById',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}/blocks/{blockId}',
  summary: 'One block by height or id',
  tag: 'Primary Network Blocks',
  weight: 20,
  parameters: {
    path: Type.Object({
      ...ChainPath.properties,
      blockId: Type.String({ description: 'Height, or id in cb58 or hex', maxLength: 128 }),
    }),
    query: Type.Object({}),
  },
  response: PrimaryNetworkBlock,
} as const
