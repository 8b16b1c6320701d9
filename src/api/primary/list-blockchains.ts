/** Chains of all subnets. */

import { ListBlockchains } from '../../shape/primary/list-blockchains.ts'
import {
  listBlockchains as chainRows,
  type StoredChain,
} from '../../store/query/primary/blockchains.ts'
import { operation, type Operation } from '../operation.ts'
import { bindingOf, numberCursor, readPage } from '../paging.ts'
import { indexedTo } from './chain-of.ts'
import { defaultWidePageSize, nextToken } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { chainView } from './subnet-view.ts'

/** Chains made by transactions or genesis, newest first. */
export function listBlockchains(parts: PrimaryParts): Operation {
  return operation(ListBlockchains, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const page = await readPage<StoredChain, number>({
      tokens: parts.tokens,
      pageToken: query.pageToken,
      binding: bindingOf(ListBlockchains.id, { ...query, network: network.network }),
      limit: query.pageSize ?? defaultWidePageSize,
      ...numberCursor,
      rows: (after, limit) =>
        chainRows(network.store, { order: query.sortOrder ?? 'desc', after, limit }),
      cursorOf: ({ pos }) => pos,
    })
    return { body: { ...nextToken(page), blockchains: page.rows.map(chainView) }, ...height }
  })
}
