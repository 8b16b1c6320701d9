/** Rewards to come for stakes that are running. */

import { toPrimaryAddress } from '../../core/address.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { pageShape } from '../../shape/page-shape.ts'
import {
  Addresses,
  NetworkPath,
  NodeIds,
  PageToken,
  pageSize,
  SortOrder,
} from '../../shape/primary/parameters.ts'
import { PendingReward } from '../../shape/primary/reward.ts'
import { Type } from '../../shape/type.ts'
import { numberOfAsset } from '../../store/query/primary/addresses.ts'
import { listOpenStakers, type StoredStaker } from '../../store/query/primary/stakers.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import { assetBook } from './asset-view.ts'
import { stakingTypeOf, withdrawnPart } from './auto-renew-view.ts'
import { indexedTo } from './chain-of.ts'
import { delegationFees } from './delegation-fees.ts'
import { defaultPageSize } from './list-page.ts'
import type { ServedNetwork } from './network-directory.ts'
import type { PrimaryParts } from './parts.ts'
import { whoseIn } from './whose.ts'

const ListPendingRewards = {
  id: 'listPendingPrimaryNetworkRewards',
  method: 'GET',
  path: '/v1/networks/{network}/rewards:listPending',
  summary: 'Rewards to come for running stakes of addresses or nodes',
  tag: 'Primary Network Rewards',
  weight: 20,
  parameters: {
    path: NetworkPath,
    query: Type.Object({
      addresses: Type.Optional(Addresses),
      nodeIds: Type.Optional(NodeIds),
      pageToken: PageToken,
      pageSize: pageSize(10, 100),
      sortOrder: SortOrder,
    }),
  },
  response: pageShape({ pendingRewards: Type.Array(PendingReward) }),
} as const

/** Rewards to come of addresses or nodes, newest stake first. */
export function listPendingRewards(parts: PrimaryParts): Operation {
  return operation(ListPendingRewards, async ({ path, query }) => {
    const network = parts.networks.find(path.network)
    const { store } = network
    const height = await indexedTo(store, 'P')
    const whose = await whoseIn(parts, network, query)
    const page = await numberedPage(parts.tokens, {
      route: ListPendingRewards.id,
      subject: { network: network.network },
      query,
      limit: query.pageSize ?? defaultPageSize,
      rows: (after, limit) =>
        listOpenStakers(store, { ...whose, order: query.sortOrder ?? 'desc', after, limit }),
      numberOf: ({ pos }) => pos,
    })
    const now = parts.clock.now() / 1_000
    const pendingRewards = await pendingViews(network, page.rows, now)
    return { body: { ...nextToken(page), pendingRewards }, ...height }
  })
}

async function pendingViews(
  network: ServedNetwork,
  rows: readonly StoredStaker[],
  now: number,
): Promise<PendingReward[]> {
  const { store } = network
  const feeOf = await delegationFees(
    store,
    rows.flatMap(({ validatorTxId }) => validatorTxId ?? []),
  )
  const assets = await Promise.all(
    rows.map(async ({ stakeAssetId }) =>
      stakeAssetId === undefined ? 1 : ((await numberOfAsset(store, stakeAssetId)) ?? 1),
    ),
  )
  const book = await assetBook(store, network, assets)
  return rows.map((row, at) => {
    const fee = row.validatorTxId === undefined ? 0 : feeOf(row.validatorTxId)
    const amount = (withdrawnPart(row) * BigInt(1_000_000 - fee)) / 1_000_000n
    return {
      addresses: (row.validationOwner?.addresses ?? []).map((one) =>
        toPrimaryAddress(network.hrp, one),
      ),
      txHash: toCb58(row.txId),
      amountStaked: String(row.weight),
      nodeId: toNodeId(row.nodeId),
      stakingType: stakingTypeOf(row),
      startTimestamp: row.startTime,
      endTimestamp: row.endTime,
      rewardType: row.role === 'validator' ? 'VALIDATOR' : 'DELEGATOR',
      progress: progressOf(row, now),
      estimatedReward: book.view(assets[at] ?? 1, amount),
    }
  })
}

/** Percent of the stake's time that is over, two decimals. */
function progressOf({ startTime, endTime }: StoredStaker, now: number): number {
  const share = (now - startTime) / Math.max(1, endTime - startTime)
  return Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100
}
