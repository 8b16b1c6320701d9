/** Document A, operation 8. */

import { ListSubnets } from '../../shape/primary/list-subnets.ts'
import { listSubnets as subnetRows } from '../../store/query/primary/subnets.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken } from '../paging.ts'
import { indexedTo } from './chain-of.ts'
import { defaultWidePageSize, weighedPage } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { chainScales, subnetView, type SubnetWithChains, withChains } from './subnet-view.ts'

/** Subnets with their chains, newest first. A page ends early when their geneses are large. */
export function listSubnets(parts: PrimaryParts): Operation {
  return operation(ListSubnets, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const page = await weighedPage<SubnetWithChains>(parts, network, {
      ...chainScales,
      weightOf: ({ chains }) => chains.map(chainScales.weightOf).reduce((a, b) => a + b, 0),
      route: ListSubnets.id,
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
