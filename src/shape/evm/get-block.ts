/** One block. */

import { EvmBlock } from './evm-block.ts'
import { ChainBlockPath } from './path.ts'
import { NoQuery } from './query.ts'

/** A block by number or hash. */
export const GetBlock = {
  id: 'getBlock',
  method: 'GET',
  path: '/v1/chains/{chainId}/blocks/{blockId}',
  summary: 'A block by number or hash',
  tag: 'EVM blocks',
  weight: 10,
  parameters: { path: ChainBlockPath, query: NoQuery },
  response: EvmBlock,
} as const
