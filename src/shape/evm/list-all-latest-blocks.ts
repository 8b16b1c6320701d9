/** Latest blocks of all chains. */

import { nextPageToken } from '../next-page-token.ts'
import { Type } from '../type.ts'
import { EvmBlock } from './evm-block.ts'
import { NoPath } from './path.ts'
import { network, pageSize, pageToken } from './query.ts'

/** Latest blocks of every chain served, by time. */
export const ListAllLatestBlocks = {
  id: 'listLatestBlocksAllChains',
  method: 'GET',
  path: '/v1/blocks',
  summary: 'Latest blocks of all chains, newest first',
  tag: 'EVM blocks',
  weight: 10,
  parameters: { path: NoPath, query: Type.Object({ network, pageToken, pageSize }) },
  response: Type.Object({
    nextPageToken,
    blocks: Type.Array(EvmBlock),
  }),
} as const
