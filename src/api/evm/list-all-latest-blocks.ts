/** Latest blocks of all chains. */

import type { EvmBlock } from '../../shape/evm/evm-block.ts'
import { ListAllLatestBlocks } from '../../shape/evm/list-all-latest-blocks.ts'
import { defaultPageSize } from '../../shape/evm/query.ts'
import { type BlockRow, latestBlocks } from '../../store/query/evm/blocks.ts'
import { operation, type Operation } from '../operation.ts'
import { bindingOf, readPage } from '../paging.ts'
import { type ChainRow, momentCursor, type MomentCursor, rowsAcross } from './across-chains.ts'
import { blockView } from './block-views.ts'
import { chainsOf } from './chains-of.ts'
import { nextToken } from './list-page.ts'
import type { EvmParts } from './parts.ts'

/** Latest blocks of every chain served, by time. */
export function listAllLatestBlocks(parts: EvmParts): Operation {
  return operation(ListAllLatestBlocks, async ({ query }) => {
    const chains = chainsOf(parts, query.network)
    const page = await readPage<ChainRow<BlockRow>, MomentCursor>({
      tokens: parts.tokens,
      pageToken: query.pageToken,
      binding: bindingOf(ListAllLatestBlocks.id, {
        ...query,
        chains: chains.map(({ facts }) => facts.key),
      }),
      limit: query.pageSize ?? defaultPageSize,
      ...momentCursor,
      rows: (cursor, limit) =>
        rowsAcross(
          chains,
          {
            posOfHeight: (height) => height,
            before: ({ store }, before, count) => latestBlocks(store, { before, limit: count }),
          },
          cursor,
          limit,
        ),
      cursorOf: ({ chain, row }) => ({ timestamp: row.timestamp, chain, pos: row.height }),
    })
    const blocks: EvmBlock[] = []
    for (const { chain: at, row } of page.rows) {
      const chain = chains[at]
      if (chain !== undefined) blocks.push(blockView(row, chain))
    }
    return { body: { ...nextToken(page), blocks } }
  })
}
