/** Chains of all subnets. */

import { ListBlockchains } from '../../shape/primary/list-blockchains.ts'
import { listBlockchains as chainRows } from '../../store/query/primary/blockchains.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken } from '../paging.ts'
import { indexedTo } from './chain-of.ts'
import { defaultWidePageSize, weighedPage } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { chainScales, chainView } from './subnet-view.ts'

/** Chains made by transactions or genesis, newest first. A page ends early as that of subnets. */
export function listBlockchains(parts: PrimaryParts): Operation {
  return operation(ListBlockchains, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const page = await weighedPage(parts, network, {
      ...chainScales,
      route: ListBlockchains.id,
      query,
      limit: query.pageSize ?? defaultWidePageSize,
      rows: (after, limit) =>
        chainRows(network.store, { order: query.sortOrder ?? 'desc', after, limit }),
      numberOf: ({ pos }) => pos,
    })
    return { body: { ...nextToken(page), blockchains: page.rows.map(chainView) }, ...height }
  })
}
