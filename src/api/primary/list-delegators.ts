/** Delegations by reward address, by node, or all. */

import { delegationStatuses, ListDelegators } from '../../shape/primary/list-delegators.ts'
import { listDelegators as delegatorRows } from '../../store/query/primary/delegators.ts'
import { operation, type Operation } from '../operation.ts'
import { nextToken } from '../paging.ts'
import { indexedTo } from './chain-of.ts'
import { delegatorViews } from './delegator-views.ts'
import { defaultPageSize, numberedPage } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { whoseOrAll } from './whose.ts'

/** Delegations, newest first. */
export function listDelegators(parts: PrimaryParts): Operation {
  return operation(ListDelegators, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const { rewardAddresses, nodeIds, delegationStatus } = query
    const whose = await whoseOrAll(parts, network, {
      ...(rewardAddresses === undefined ? {} : { addresses: rewardAddresses }),
      ...(nodeIds === undefined ? {} : { nodeIds }),
    })
    const page = await numberedPage(parts, network, {
      route: ListDelegators.id,
      query,
      limit: query.pageSize ?? defaultPageSize,
      rows: (after, limit) =>
        delegatorRows(network.store, {
          ...whose,
          statuses: delegationStatus === undefined ? delegationStatuses : [delegationStatus],
          order: query.sortOrder ?? 'desc',
          after,
          limit,
        }),
      numberOf: ({ pos }) => pos,
    })
    const delegators = await delegatorViews(network, page.rows)
    return { body: { ...nextToken(page), delegators }, ...height }
  })
}
