/** Document A, operation 9: rewards paid, and rewards to come. */

import { utxoIdOf } from '../../../codec/primary/ids.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { toCb58, toNodeId } from '../../../core/cb58.ts'
import { assert } from '../../../core/fault.ts'
import type { CurrencyCode } from '../../../shape/evm/token.ts'
import { Validators } from '../../../shape/operations/validators.ts'
import type { HistoricalReward, PendingReward } from '../../../shape/primary/validator.ts'
import { chainsById } from '../../../store/query/primary/network.ts'
import {
  listRewards as rewardRows,
  type StoredReward,
} from '../../../store/query/primary/rewards.ts'
import { listOpenStakers, type StoredStaker } from '../../../store/query/primary/stakers.ts'
import { rewardKinds } from '../../../store/schema/primary/position.ts'
import { type Operation } from '../../operation/operation.ts'
import { whoseIn } from '../lists.ts'
import { networkOperation } from '../network-operation.ts'
import type { ServedNetwork, PrimaryContext } from '../network/networks.ts'
import { type AssetBook, assetBook, avax, stakeAssets } from '../views/asset.ts'
import { stakingTypeOf, withdrawnPart } from '../views/auto-renew.ts'
import { ownerAddresses } from '../views/values.ts'
import { delegationFees } from './list-delegators.ts'

/** Rewards paid to addresses or for nodes, newest first. */
export function listRewards(
  context: PrimaryContext,
): Operation<'listHistoricalPrimaryNetworkRewards'> {
  const contract = Validators.listHistoricalPrimaryNetworkRewards
  return networkOperation(context, contract, async (network, { query, page: pageOf }) => {
    const whose = await whoseIn(context, network, query)
    const page = await pageOf({
      rows: (after, limit) =>
        rewardRows(network.store, { ...whose, order: query.sortOrder ?? 'desc', after, limit }),
      numberOf: ({ utxo }) => utxo,
    })
    const book = await assetBook(
      network.store,
      network,
      page.rows.map(({ asset }) => asset),
    )
    const priceOf = await pricerOf(context, network, query.currency ?? 'usd')
    const historicalRewards = await Promise.all(
      page.rows.map(async (row) => rewardView(network, row, book, await priceOf(row))),
    )
    return { ...page.next, historicalRewards }
  })
}

type Price = {
  readonly historicalPrice?: { readonly currencyCode: string; readonly value: string }
}

const daySeconds = 86_400

/** Gives prices of rewards: of AVAX only, and of days that are over. */
async function pricerOf(
  { prices, clock }: PrimaryContext,
  { store, chainIds }: ServedNetwork,
  currency: CurrencyCode,
): Promise<(row: StoredReward) => Promise<Price>> {
  const [cChain] = prices.offered ? (await chainsById(store, [chainIds.C])).values() : []
  const evmChainId = cChain?.evmChainId
  return async ({ asset, time }) => {
    const isOver = time + daySeconds < clock.now() / 1_000
    if (evmChainId === undefined || asset !== avax || !isOver) return {}
    const of = ['native'] as const
    const question = { chain: { evmChainId }, of, currency, timestamp: time }
    const [value] = await prices.historical(question)
    return value === undefined ? {} : { historicalPrice: { currencyCode: currency, value } }
  }
}

/** A reward as the list shows it. */
export function rewardView(
  network: ServedNetwork,
  row: StoredReward,
  book: AssetBook,
  price: Price = {},
): HistoricalReward {
  const kind = rewardKinds[row.kind]
  return {
    addresses: ownerAddresses(network.hrp, row),
    txHash: toCb58(row.stakerTxId),
    amountStaked: String(row.amountStaked),
    nodeId: toNodeId(row.nodeId),
    // Rewards of an auto-renewed validator are outputs of the rewarding transaction itself.
    stakingType: equalBytes(row.txId, row.rewardTxId) ? 'autoRenewed' : 'fixed',
    startTimestamp: row.startTime,
    endTimestamp: row.endTime,
    rewardType: kind === undefined || kind === '' ? 'VALIDATOR' : kind,
    utxoId: toCb58(utxoIdOf(row.txId, row.outputIndex)),
    outputIndex: row.outputIndex,
    reward: { ...book.view(row.asset, row.amount), ...price },
    rewardTxHash: toCb58(row.rewardTxId),
  }
}

/** Rewards to come of addresses or nodes, newest stake first. */
export function listPendingRewards(
  context: PrimaryContext,
): Operation<'listPendingPrimaryNetworkRewards'> {
  const contract = Validators.listPendingPrimaryNetworkRewards
  return networkOperation(context, contract, async (network, { query, page: pageOf }) => {
    const whose = await whoseIn(context, network, query)
    const page = await pageOf({
      rows: (after, limit) =>
        listOpenStakers(network.store, {
          ...whose,
          order: query.sortOrder ?? 'desc',
          after,
          limit,
        }),
      numberOf: ({ pos }) => pos,
    })
    const now = context.clock.now() / 1_000
    const pendingRewards = await pendingViews(network, page.rows, now)
    return { ...page.next, pendingRewards }
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
  const assetOf = await stakeAssets(network, rows)
  return rows.map((row) => {
    const asset = assetOf(row)
    assert(asset !== undefined, 'a stake that is paid for has an asset')
    const fee = row.validatorTxId === undefined ? 0 : feeOf(row.validatorTxId)
    const amount = (withdrawnPart(row) * BigInt(1_000_000 - fee)) / 1_000_000n
    // Percent of the stake's time that is over, two decimals.
    const share = (now - row.startTime) / Math.max(1, row.endTime - row.startTime)
    return {
      addresses: ownerAddresses(network.hrp, row.validationOwner),
      txHash: toCb58(row.txId),
      amountStaked: String(row.weight),
      nodeId: toNodeId(row.nodeId),
      stakingType: stakingTypeOf(row),
      startTimestamp: row.startTime,
      endTimestamp: row.endTime,
      rewardType: row.role === 'validator' ? 'VALIDATOR' : 'DELEGATOR',
      progress: Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100,
      estimatedReward: { ...asset, amount: String(amount) },
    }
  })
}
