/** One chain. */

import { GetChain } from '../../shape/evm/get-chain.ts'
import { operation, type Operation } from '../operation.ts'
import { chainView } from './chain-view.ts'
import type { EvmParts } from './parts.ts'

/** One chain served here. Throws `not-found`. */
export function getChain({ chains }: EvmParts): Operation {
  return operation(GetChain, async ({ path }) => ({
    body: chainView(chains.find(path.chainId)),
  }))
}
