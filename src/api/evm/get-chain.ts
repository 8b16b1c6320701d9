/** One chain. */

import { ChainInfo } from '../../shape/evm/chain-info.ts'
import { ChainPath, NoQuery } from '../../shape/evm/parameters.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { chainView } from './chain-view.ts'
import type { EvmParts } from './parts.ts'

const GetChain = {
  id: 'getChainInfo',
  method: 'GET',
  path: '/v1/chains/{chainId}',
  summary: 'One chain served here',
  tag: 'EVM chains',
  weight: 1,
  parameters: { path: ChainPath, query: NoQuery },
  response: ChainInfo,
} as const

/** One chain served here. Throws `not-found`. */
export function getChain({ chains }: EvmParts): Operation {
  return operation(GetChain, async ({ path, caller }) => ({
    body: chainView(chains.find(path.chainId), caller.origin),
  }))
}
