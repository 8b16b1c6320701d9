/** Document A, operation 8. */

import { ListSubnets } from '../../shape/primary/list-subnets.ts'
import { listSubnets as subnetRows } from '../../store/query/primary/subnets.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken } from '../paging.ts'
import { indexedTo } from './chain-of.ts'
import { defaultWidePageSize, numberedPage } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { subnetViews } from './subnet-view.ts'

/** Subnets with their chains, newest first. */
export function listSubnets(parts: PrimaryParts): Operation {
  return operation(ListSubnets, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const page = await numberedPage(parts, network, {
      route: ListSubnets.id,
      query,
      limit: query.pageSize ?? defaultWidePageSize,
      rows: (after, limit) =>
        subnetRows(network.store, { order: query.sortOrder ?? 'desc', after, limit }),
      numberOf: ({ pos }) => pos,
    })
    const subnets = await subnetViews(network, page.rows)
    return { body: { ...nextToken(page), subnets }, ...height }
  })
}
