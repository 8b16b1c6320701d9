/** Chains of all subnets. */

import { pageShape } from '../../shape/page-shape.ts'
import { NetworkPath, PageToken, pageSize, SortOrder } from '../../shape/primary/parameters.ts'
import { Blockchain } from '../../shape/primary/subnet.ts'
import { Type } from '../../shape/type.ts'
import { listBlockchains as chainRows } from '../../store/query/primary/subnets.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken } from '../operation/paging.ts'
import { indexedTo } from './chain-of.ts'
import { defaultWidePageSize, weighedPage } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { chainScales, chainView } from './subnet-view.ts'

const ListBlockchains = {
  id: 'listBlockchains',
  method: 'GET',
  path: '/v1/networks/{network}/blockchains',
  summary: 'Chains of all subnets',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(100, 10_000),
      sortOrder: SortOrder,
    }),
  },
  response: pageShape({ blockchains: Type.Array(Blockchain) }),
} as const

/** Chains made by transactions or genesis, newest first. A page ends early as that of subnets. */
export function listBlockchains(parts: PrimaryParts): Operation {
  return operation(ListBlockchains, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const page = await weighedPage(parts.tokens, {
      ...chainScales,
      route: ListBlockchains.id,
      subject: { network: network.network },
      query,
      limit: query.pageSize ?? defaultWidePageSize,
      rows: (after, limit) =>
        chainRows(network.store, { order: query.sortOrder ?? 'desc', after, limit }),
      numberOf: ({ pos }) => pos,
    })
    return { body: { ...nextToken(page), blockchains: page.rows.map(chainView) }, ...height }
  })
}
