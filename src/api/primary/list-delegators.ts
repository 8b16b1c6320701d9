/** Delegations of the primary network. Source: official clients, ListDelegatorDetailsResponse. */

import { pageShape } from '../../shape/page-shape.ts'
import { delegationStatuses, Delegator } from '../../shape/primary/delegator.ts'
import {
  NetworkPath,
  NodeIds,
  PageToken,
  pageSize,
  SortOrder,
} from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { listDelegators as delegatorRows } from '../../store/query/primary/stakers.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import { indexedTo } from './chain-of.ts'
import { delegatorViews } from './delegator-views.ts'
import { defaultPageSize } from './list-page.ts'
import type { PrimaryParts } from './parts.ts'
import { whoseOrAll } from './whose.ts'

const ListDelegators = {
  id: 'listDelegators',
  method: 'GET',
  path: '/v1/networks/{network}/delegators',
  summary: 'Delegations by reward address, by node, or all, in every state',
  tag: 'Primary Network',
  weight: 20,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      rewardAddresses: Type.Optional(
        Type.String({
          description: 'Comma-separated owners of rewards: bech32, bare or after `P-`',
          maxLength: 16_384,
        }),
      ),
      nodeIds: Type.Optional(NodeIds),
      delegationStatus: Type.Optional(Type.Enum([...delegationStatuses])),
      sortOrder: SortOrder,
    }),
  },
  response: pageShape({ delegators: Type.Array(Delegator) }),
} as const

/** Delegations, newest first. */
export function listDelegators(parts: PrimaryParts): Operation {
  return operation(ListDelegators, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const height = await indexedTo(network.store, 'P')
    const { rewardAddresses, nodeIds, delegationStatus } = query
    const whose = await whoseOrAll(parts, network, {
      addresses: rewardAddresses,
      nodeIds,
    })
    const page = await numberedPage(parts.tokens, {
      route: ListDelegators.id,
      subject: { network: network.network },
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
