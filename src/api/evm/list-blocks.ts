/** Latest blocks of a chain. */

import { ChainPath, defaultPageSize, PageQuery } from '../../shape/evm/parameters.ts'
import { EvmBlock } from '../../shape/evm/transaction.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import { latestBlocks } from '../../store/query/evm/blocks.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import { blockView } from './block-views.ts'
import type { EvmParts } from './parts.ts'

const ListBlocks = {
  id: 'getLatestBlocks',
  method: 'GET',
  path: '/v1/chains/{chainId}/blocks',
  summary: 'Latest blocks of a chain, newest first',
  tag: 'EVM blocks',
  weight: 10,
  parameters: { path: ChainPath, query: PageQuery },
  response: pageShape({ blocks: Type.Array(EvmBlock) }),
} as const

/** Latest blocks of a chain, newest first. */
export function listBlocks({ chains, tokens }: EvmParts): Operation {
  return operation(ListBlocks, async ({ path, query }) => {
    const chain = chains.find(path.chainId)
    const page = await numberedPage(tokens, {
      route: ListBlocks.id,
      subject: { chain: chain.facts.key },
      query,
      limit: query.pageSize ?? defaultPageSize,
      rows: (before, limit) =>
        latestBlocks(chain.store, { before: before ?? Number.MAX_SAFE_INTEGER, limit }),
      numberOf: ({ height: number }) => number,
    })
    const blocks = page.rows.map((row) => blockView(row, chain))
    return { body: { ...nextToken(page), blocks } }
  })
}
