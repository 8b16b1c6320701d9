/** Latest blocks of a chain. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { EvmBlock } from './evm-block.ts'
import { ChainPath } from './path.ts'
import { PageQuery } from './query.ts'

/** Latest blocks of a chain. */
export const ListBlocks = {
  id: 'getLatestBlocks',
  method: 'GET',
  path: '/v1/chains/{chainId}/blocks',
  summary: 'Latest blocks of a chain, newest first',
  tag: 'EVM blocks',
  weight: 10,
  parameters: { path: ChainPath, query: PageQuery },
  response: Type.Object({
    nextPageToken,
    blocks: Type.Array(EvmBlock),
  }),
} as const
