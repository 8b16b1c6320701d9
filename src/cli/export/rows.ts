/**
 * Rows of an export: what the API lists, flattened for accounts. Dates are ISO 8601 in UTC,
 * amounts exact decimals in whole coins or tokens.
 */

import type { Static } from 'typebox'

import { valueAt } from '../../api/operation/price.ts'
import { withPoint } from '../../core/exact-decimal.ts'
import type { EvmBlock } from '../../shape/evm/evm-block.ts'
import type { InternalTransaction } from '../../shape/evm/internal-transaction.ts'
import type { Log } from '../../shape/evm/log.ts'
import type { NativeTransaction } from '../../shape/evm/native-transaction.ts'
import type {
  Erc1155Transfer,
  Erc20Transfer,
  Erc721Transfer,
} from '../../shape/evm/token-transfer.ts'
import type { AssetAmount } from '../../shape/primary/asset.ts'
import type { HistoricalReward } from '../../shape/primary/reward.ts'
import type { PrimaryNetworkTransaction } from '../../shape/primary/transaction.ts'

/** Columns of every export, in their order. */
export const columnsOf = {
  blocks: [
    'date',
    'chainId',
    'blockNumber',
    'blockHash',
    'parentHash',
    'txCount',
    'gasUsed',
    'gasLimit',
    'baseFee',
    'feesSpent',
  ],
  transactions: [
    'date',
    'chainId',
    'blockNumber',
    'txHash',
    'status',
    'from',
    'to',
    'method',
    'value',
    'fee',
    'symbol',
  ],
  transfers: [
    'date',
    'chainId',
    'blockNumber',
    'txHash',
    'logIndex',
    'from',
    'to',
    'standard',
    'token',
    'symbol',
    'tokenId',
    'amount',
  ],
  logs: [
    'date',
    'chainId',
    'blockNumber',
    'txHash',
    'logIndex',
    'address',
    'topic0',
    'topic1',
    'topic2',
    'topic3',
    'data',
    'event',
    'values',
  ],
  internals: [
    'date',
    'chainId',
    'blockNumber',
    'txHash',
    'type',
    'status',
    'from',
    'to',
    'value',
    'symbol',
  ],
  'primary-transactions': [
    'date',
    'chain',
    'blockNumber',
    'txHash',
    'type',
    'status',
    'spent',
    'received',
    'burned',
    'symbol',
    'assetId',
    'nodeId',
  ],
  rewards: [
    'date',
    'type',
    'nodeId',
    'addresses',
    'reward',
    'staked',
    'symbol',
    'stakedFrom',
    'txHash',
    'rewardTxHash',
    'utxoId',
    'stakingType',
    'price',
    'value',
    'currency',
  ],
} as const

/** One line: values by column. */
export type Row = Readonly<Record<string, string>>

type RowOf<What extends keyof typeof columnsOf> = Readonly<
  Record<(typeof columnsOf)[What][number], string>
>

/** The native coin of a chain. */
export type Coin = { readonly symbol: string; readonly decimals: number }

/** Any token transfer. */
export type TokenTransfer = Erc20Transfer | Erc721Transfer | Erc1155Transfer

/** `2026-01-31T12:00:00Z` of Unix seconds. */
function isoDate(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
}

/** One row of a block; base fee and fees are in wei. */
export function blockRow(block: EvmBlock): RowOf<'blocks'> {
  const { chainId, blockNumber, blockHash, parentHash, gasUsed, gasLimit, baseFee, feesSpent } =
    block
  return {
    date: isoDate(block.blockTimestamp),
    chainId,
    blockNumber,
    blockHash,
    parentHash,
    txCount: String(block.txCount),
    gasUsed,
    gasLimit,
    baseFee,
    feesSpent,
  }
}

/** One row of a transaction; `fee` is paid by `from`, whether it succeeded or not. */
export function transactionRow(tx: NativeTransaction, coin: Coin): RowOf<'transactions'> {
  return {
    date: isoDate(tx.blockTimestamp),
    chainId: tx.chainId,
    blockNumber: tx.blockNumber,
    txHash: tx.txHash,
    status: tx.txStatus === '1' ? 'success' : 'failed',
    from: tx.from.address,
    to: tx.to.address,
    method: tx.method?.methodName ?? tx.method?.methodHash ?? '',
    value: withPoint(BigInt(tx.value), coin.decimals),
    fee: withPoint(BigInt(tx.gasUsed) * BigInt(tx.gasPrice), coin.decimals),
    symbol: coin.symbol,
  }
}

/** One row of a log; `event` and `values` (JSON) where an ABI of the operator fits. */
export function logRow(log: Log, chainId: string): RowOf<'logs'> {
  const { blockNumber, txHash, logIndex, address, topic0, topic1, topic2, topic3, data } = log
  const values = log.decoded?.parameters.map(({ name, value }) => [name, value])
  return {
    date: isoDate(log.blockTimestamp),
    chainId,
    blockNumber,
    txHash,
    logIndex: String(logIndex),
    address,
    topic0: topic0 ?? '',
    topic1: topic1 ?? '',
    topic2: topic2 ?? '',
    topic3: topic3 ?? '',
    data,
    event: log.decoded?.signature ?? '',
    values: values === undefined ? '' : JSON.stringify(values),
  }
}

/** One row of a token transfer. An ERC-721 token has the amount 1. */
export function transferRow(transfer: TokenTransfer, chainId: string): RowOf<'transfers'> {
  const { blockNumber, blockTimestamp, txHash, logIndex, from, to } = transfer
  const place = {
    date: isoDate(blockTimestamp),
    chainId,
    blockNumber,
    txHash,
    logIndex: String(logIndex),
    from: from.address,
    to: to.address,
  }
  if ('erc20Token' in transfer) {
    const { address, symbol, decimals, ercType } = transfer.erc20Token
    const amount = withPoint(BigInt(transfer.value), decimals)
    return { ...place, standard: ercType, token: address, symbol, tokenId: '', amount }
  }
  if ('erc721Token' in transfer) {
    const { address, symbol, tokenId, ercType } = transfer.erc721Token
    return { ...place, standard: ercType, token: address, symbol, tokenId, amount: '1' }
  }
  const { address, tokenId, ercType } = transfer.erc1155Token
  return {
    ...place,
    standard: ercType,
    token: address,
    symbol: '',
    tokenId,
    amount: transfer.value,
  }
}

/** One row of an internal transaction. */
export function internalRow(
  call: Static<typeof InternalTransaction>,
  chainId: string,
  coin: Coin,
): RowOf<'internals'> {
  return {
    date: isoDate(call.blockTimestamp),
    chainId,
    blockNumber: call.blockNumber,
    txHash: call.txHash,
    type: call.internalTxType,
    status: call.isReverted ? 'reverted' : 'success',
    from: call.from.address,
    to: call.to.address,
    value: withPoint(BigInt(call.value), coin.decimals),
    symbol: coin.symbol,
  }
}

/**
 * One row per asset of a primary-network transaction: what was spent and received, by the
 * addresses in `own`, or by anybody where that is absent. An output with several owners counts
 * whole; staked outputs count as received.
 */
export function primaryRows(
  tx: PrimaryNetworkTransaction,
  chain: string,
  own: ReadonlySet<string> | undefined,
): RowOf<'primary-transactions'>[] {
  const flows = new Flows()
  const isOwn = (addresses: readonly string[]): boolean =>
    own === undefined || addresses.some((address) => own.has(address.toLowerCase()))
  for (const { addresses, asset } of tx.consumedUtxos)
    if (isOwn(addresses)) flows.add(asset, 'spent')
  for (const { addresses, asset } of tx.emittedUtxos)
    if (isOwn(addresses)) flows.add(asset, 'received')
  for (const { fromAddress, asset } of tx.evmInputs ?? [])
    if (isOwn([fromAddress ?? ''])) flows.add(asset, 'spent')
  for (const { toAddress, asset } of tx.evmOutputs ?? [])
    if (isOwn([toAddress ?? ''])) flows.add(asset, 'received')
  for (const asset of tx.amountBurned) flows.add(asset, 'burned')
  return flows.all().map(({ asset, spent, received, burned }) => ({
    date: isoDate(tx.blockTimestamp),
    chain,
    blockNumber: tx.blockNumber,
    txHash: tx.txHash,
    type: tx.txType,
    status: tx.status ?? 'Committed',
    spent: withPoint(spent, asset.denomination),
    received: withPoint(received, asset.denomination),
    burned: withPoint(burned, asset.denomination),
    symbol: asset.symbol,
    assetId: asset.assetId,
    nodeId: tx.nodeId ?? '',
  }))
}

/** One row of a reward; its date is the end of the staking period, when it was paid. */
export function rewardRow(reward: HistoricalReward): RowOf<'rewards'> {
  const { denomination, amount, symbol } = reward.reward
  return {
    date: isoDate(reward.endTimestamp),
    type: reward.rewardType,
    nodeId: reward.nodeId,
    addresses: reward.addresses.join(' '),
    reward: withPoint(BigInt(amount), denomination),
    staked: withPoint(BigInt(reward.amountStaked), denomination),
    symbol,
    stakedFrom: isoDate(reward.startTimestamp),
    txHash: reward.txHash,
    rewardTxHash: reward.rewardTxHash,
    utxoId: reward.utxoId,
    stakingType: reward.stakingType,
    ...worthOf(reward),
  }
}

/** Value of a reward on the day it was paid; empty when no price is known. */
function worthOf({
  reward,
}: HistoricalReward): Pick<RowOf<'rewards'>, 'price' | 'value' | 'currency'> {
  const { historicalPrice: price, amount, denomination } = reward
  if (price === undefined) return { price: '', value: '', currency: '' }
  const text = String(price.value)
  return {
    price: text,
    value: valueAt(BigInt(amount), denomination, text),
    currency: price.currencyCode,
  }
}

type Direction = 'spent' | 'received' | 'burned'
type Flow = { readonly asset: AssetAmount } & Record<Direction, bigint>

/** Sums by asset. */
class Flows {
  readonly #byAsset = new Map<string, Flow>()

  add(asset: AssetAmount, direction: Direction): void {
    let flow = this.#byAsset.get(asset.assetId)
    if (flow === undefined) {
      flow = { asset, spent: 0n, received: 0n, burned: 0n }
      this.#byAsset.set(asset.assetId, flow)
    }
    flow[direction] += BigInt(asset.amount)
  }

  all(): readonly Flow[] {
    return [...this.#byAsset.values()]
  }
}
