/** One block. */

import { ChainBlockPath, NoQuery } from '../../shape/evm/parameters.ts'
import { EvmBlock } from '../../shape/evm/transaction.ts'
import { blockchainIdText } from '../operation/chain-directory.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { blockView, namedBlock } from './block-views.ts'
import type { EvmParts } from './parts.ts'

const GetBlock = {
  id: 'getBlock',
  method: 'GET',
  path: '/v1/chains/{chainId}/blocks/{blockId}',
  summary: 'A block by number or hash',
  tag: 'EVM blocks',
  weight: 10,
  parameters: { path: ChainBlockPath, query: NoQuery },
  response: EvmBlock,
} as const

/** A block by number or hash. Throws `not-found`. */
export function getBlock({ chains }: EvmParts): Operation {
  return operation(GetBlock, async ({ path }) => {
    const chain = chains.find(path.chainId)
    const row = await namedBlock(chain, path.blockId)
    // A block shows nothing that later blocks, traces, prices or names change. An alias may be given
    // to another chain.
    const isOwnName =
      path.chainId === String(chain.facts.evmChainId) ||
      path.chainId === blockchainIdText(chain.facts)
    return { body: blockView(row, chain), immutable: isOwnName }
  })
}
