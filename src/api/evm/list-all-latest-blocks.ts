/** Latest blocks of all chains. */

import { NoPath, network, pageSize, pageToken } from '../../shape/evm/parameters.ts'
import { EvmBlock } from '../../shape/evm/transaction.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { latestBlocks } from '../../store/query/evm/blocks.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken } from '../operation/paging.ts'
import { pageAcross } from './across-chains.ts'
import { blockView } from './block-views.ts'
import type { EvmParts } from './parts.ts'

const ListAllLatestBlocks = {
  id: 'listLatestBlocksAllChains',
  method: 'GET',
  path: '/v1/blocks',
  summary: 'Latest blocks of all chains, newest first',
  tag: 'EVM blocks',
  weight: 10,
  parameters: { path: NoPath, query: Type.Object({ network, pageToken, pageSize }) },
  response: pageShape({ blocks: Type.Array(EvmBlock) }),
} as const

/** Latest blocks of every chain served, by time. */
export function listAllLatestBlocks(parts: EvmParts): Operation {
  return operation(ListAllLatestBlocks, async ({ query }) => {
    const { chains, page } = await pageAcross(parts, {
      route: ListAllLatestBlocks.id,
      query,
      source: {
        before: ({ store }, before, limit) => latestBlocks(store, { before, limit }),
        posOfHeight: (height) => height,
        posOf: ({ height }) => height,
      },
    })
    const blocks: EvmBlock[] = []
    for (const { chain: at, row } of page.rows) {
      const chain = chains[at]
      if (chain !== undefined) blocks.push(blockView(row, chain))
    }
    return { body: { ...nextToken(page), blocks } }
  })
}
