/** One chain of a subnet. */

import { Type } from '../type.ts'
import { ChainPath } from './parameters.ts'
import { Blockchain } from './subnet.ts'

/** One chain of a subnet. */
export const GetBlockchain = {
  id: 'getBlockchainById',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains/{blockchainId}',
  summary: 'One chain',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: ChainPath,
    query: Type.Object({}),
  },
  response: Blockchain,
} as const
