/** A page of blocks, newest first. */

import type { PrimaryNetworkBlock } from '../../shape/primary/block.ts'
import type { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import type { BlockRange, StoredBlock } from '../../store/query/primary/blocks.ts'
import { placesBetween } from '../../store/query/primary/network.ts'
import { blockOfPos } from '../../store/schema/primary/position.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import { blockViews } from './block-view.ts'
import { chainInfo, type ChainOf, indexedTo } from './chain-of.ts'
import { defaultPageSize } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'

/** Parameters of a list of blocks. */
export type BlockPageQuery = {
  readonly chain: ChainOf
  readonly route: string
  readonly query: {
    readonly pageToken?: string | undefined
    readonly pageSize?: number | undefined
    readonly startTimestamp?: number | undefined
    readonly endTimestamp?: number | undefined
  }
  /** Blocks with ids in a range, newest first. */
  readonly rows: (range: BlockRange) => Promise<StoredBlock[]>
}

/** Body and height of the answer. */
export type BlockPage = {
  readonly body: {
    readonly nextPageToken?: string
    readonly blocks: PrimaryNetworkBlock[]
    readonly chainInfo: PrimaryChainInfo
  }
  readonly indexedHeight?: number
}

/** Reads the page. */
export async function blockPage(parts: PrimaryParts, asked: BlockPageQuery): Promise<BlockPage> {
  const { chain, query } = asked
  const height = await indexedTo(chain.store, chain.chain)
  const { startTimestamp, endTimestamp } = query
  const places = await placesBetween(chain.store, chain.chain, startTimestamp, endTimestamp)
  const from = blockOfPos(places.from)
  const until = blockOfPos(places.until)
  const page = await numberedPage(parts.tokens, {
    route: asked.route,
    subject: { network: chain.network, chain: chain.chain },
    query,
    limit: query.pageSize ?? defaultPageSize,
    rows: (after, limit) =>
      asked.rows({ from, until: Math.min(until, after ?? Number.MAX_SAFE_INTEGER), limit }),
    numberOf: ({ id }) => id,
  })
  const blocks = await blockViews(chain, page.rows)
  return { body: { ...nextToken(page), blocks, chainInfo: chainInfo(chain) }, ...height }
}
