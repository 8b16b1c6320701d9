/** One chain. */

import { ChainInfo } from './chain-info.ts'
import { ChainPath } from './path.ts'
import { NoQuery } from './query.ts'

/** One chain served here. */
export const GetChain = {
  id: 'getChainInfo',
  method: 'GET',
  path: '/v1/chains/{chainId}',
  summary: 'One chain served here',
  tag: 'EVM chains',
  weight: 1,
  parameters: { path: ChainPath, query: NoQuery },
  response: ChainInfo,
} as const
