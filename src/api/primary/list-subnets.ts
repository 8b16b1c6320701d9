/** Document A, operation 8: subnets. */

import { pageShape } from '../../shape/page-shape.ts'
import { NetworkPath, PageToken, pageSize, SortOrder } from '../../shape/primary/parameters.ts'
import { Subnet } from '../../shape/primary/subnet.ts'
import { Type } from '../../shape/type.ts'
import { listSubnets as subnetRows } from '../../store/query/primary/subnets.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken } from '../operation/paging.ts'
import { indexedTo } from './chain-of.ts'
import { defaultWidePageSize, weighedPage } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { chainScales, subnetView, type SubnetWithChains, withChains } from './subnet-view.ts'

const ListSubnets = {
  id: 'listSubnets',
  method: 'GET',
  path: '/v1/networks/{network}/subnets',
  summary: 'Subnets with their chains, without the primary network, which is no subnet of its own',
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
  response: pageShape({ subnets: Type.Array(Subnet) }),
} as const

/** Subnets with their chains, newest first. A page ends early when their geneses are large. */
export function listSubnets(parts: PrimaryParts): Operation {
  return operation(ListSubnets, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const page = await weighedPage<SubnetWithChains>(parts.tokens, {
      ...chainScales,
      weightOf: ({ chains }) => chains.map(chainScales.weightOf).reduce((a, b) => a + b, 0),
      route: ListSubnets.id,
      subject: { network: network.network },
      query,
      limit: query.pageSize ?? defaultWidePageSize,
      rows: async (after, limit) => {
        const asked = { order: query.sortOrder ?? 'desc', after, limit } as const
        return withChains(network, await subnetRows(network.store, asked))
      },
      numberOf: ({ subnet }) => subnet.pos,
    })
    const subnets = page.rows.map((row) => subnetView(network, row))
    return { body: { ...nextToken(page), subnets }, ...height }
  })
}
