/**
 * Every operation of the data API, in the order of the OpenAPI document.
 *
 * An operation is a page, `evm/blocks.ts`: its path, parameters and shape, and the function
 * that answers. Rows come from a question of `store/query`, views from the `…-view.ts` beside the
 * page. No page knows status codes, headers or dialects; only requests and webhooks are written.
 * `docs/reference/operations.md` leads from a URL to its page, questions and test.
 */

import type { Status } from '../shape/status.ts'
import type { Reader } from '../store/engine/database.ts'
import { callContract } from './contracts/call-contract.ts'
import { getContractCode } from './contracts/get-contract-code.ts'
import { sourcifyOperations } from './contracts/sourcify.ts'
import { etherscanOperations } from './etherscan/etherscan.ts'
import {
  createWebhook,
  getSharedSecret,
  rotateSharedSecret,
  deactivateWebhook,
  updateWebhook,
} from './events/create-webhook.ts'
import { getWebhook, listWebhooks } from './events/list-webhooks.ts'
import type { EventParts } from './events/own-webhook.ts'
import { listDeadLetters, replayWebhook } from './events/replay-webhook.ts'
import {
  addWebhookAddresses,
  listWebhookAddresses,
  removeWebhookAddresses,
} from './events/webhook-addresses.ts'
import { listLogs } from './evm/abi/list-logs.ts'
import { listEvmBalanceSeries } from './evm/balances/list-balance-series.ts'
import { listErc20Balances } from './evm/balances/list-erc20-balances.ts'
import { getNativeBalance } from './evm/balances/native-balance.ts'
import { getBlock, listBlocks } from './evm/blocks.ts'
import {
  listAllLatestBlocks,
  listAllLatestTransactions,
  olderEvmOperations,
} from './evm/chains/across-chains.ts'
import { chainRpcOperations } from './evm/chains/chain-rpc.ts'
import { getChain, listAddressChains, listChains } from './evm/chains/chains.ts'
import { healthOperations } from './evm/chains/health.ts'
import {
  getContractDeployment,
  getContract,
  listContractDeployments,
  listContracts,
} from './evm/contracts.ts'
import type { EvmParts } from './evm/parts.ts'
import { listTokenHolders } from './evm/tokens/list-token-holders.ts'
import { listTokens } from './evm/tokens/list-tokens.ts'
import { getTransaction } from './evm/transactions/get-transaction.ts'
import {
  listAddressTransactions,
  listAddressTransactionsV2,
} from './evm/transactions/list-address-transactions.ts'
import {
  listTransactionCalls,
  listTransactionLogs,
} from './evm/transactions/list-transaction-calls.ts'
import {
  listBlockTransactions,
  listInternalTransactions,
  listLatestTransactions,
  listNativeTransactions,
} from './evm/transactions/list-transactions.ts'
import {
  listErc20Transfers,
  listErc721Transfers,
  listErc1155Transfers,
} from './evm/transfers/address-transfers.ts'
import { listTokenTransfers } from './evm/transfers/list-token-transfers.ts'
import { exportTransactions, getExport } from './exports/export-transactions.ts'
import type { ExportParts } from './exports/parts.ts'
import { getIcmMessage } from './icm/get-message.ts'
import { listIcmMessages, listIcmMessagesByAddress } from './icm/list-messages.ts'
import { icmSummary, icmTimeseries, teleporterMetrics } from './icm/message-counts.ts'
import type { IcmParts } from './icm/parts.ts'
import { teleporterOperations } from './icm/teleporter.ts'
import { averageTps } from './metrics/average-tps.ts'
import { chainMetrics } from './metrics/chain-metrics.ts'
import { getMetricsChain, listMetricsChains } from './metrics/metrics-chains.ts'
import type { MetricsParts } from './metrics/parts.ts'
import { rollingWindow } from './metrics/rolling-window.ts'
import { getNftToken } from './nft/get-nft-token.ts'
import {
  listCollectibleBalances,
  listErc1155Balances,
  listErc721Balances,
} from './nft/list-nft-balances.ts'
import { listNftHolders } from './nft/list-nft-holders.ts'
import { listNftTokens } from './nft/list-nft-tokens.ts'
import type { NftParts } from './nft/parts.ts'
import { reindexNftToken } from './nft/reindex-nft-token.ts'
import type { Operation } from './operation/operation.ts'
import { getLastActivity, getLastActivityOfMany, listChainIds } from './primary/addresses.ts'
import { getPrimaryBlock, listPrimaryBlocks, listNodeBlocks } from './primary/blocks.ts'
import { getBalances, listBalanceSeries } from './primary/get-balances.ts'
import { nodeFees, subnetFees, totalL1Fees, validationFees } from './primary/l1/l1-fee-metrics.ts'
import { listL1Funds, listL1ValidatorFunds } from './primary/l1/list-l1-funds.ts'
import { listL1Validators } from './primary/l1/list-l1-validators.ts'
import { listUtxosByQuery, listUtxos } from './primary/list-utxos.ts'
import { getAvaxSupply } from './primary/network/get-avax-supply.ts'
import { getNetworkDetails } from './primary/network/get-network-details.ts'
import { getStakingMetrics } from './primary/network/get-staking-metrics.ts'
import type { PrimaryParts } from './primary/network/networks.ts'
import {
  getBlockchain,
  getSubnet,
  listBlockchains,
  listSubnetOwners,
  listSubnets,
} from './primary/subnets.ts'
import { listStakingTransactions } from './primary/transactions/list-staking-transactions.ts'
import {
  getPrimaryTransaction,
  listTransactions,
} from './primary/transactions/list-transactions.ts'
import { getAssetDetails, listAssetTransactions } from './primary/transactions/x-assets.ts'
import { listDelegators } from './primary/validators/list-delegators.ts'
import { listValidatorCycles } from './primary/validators/list-validator-cycles.ts'
import { listNodeValidators, listValidators } from './primary/validators/list-validators.ts'
import { listPendingRewards, listRewards } from './primary/validators/rewards.ts'
import type { SearchParts } from './search/parts.ts'
import { search } from './search/search.ts'
import { getStatus } from './server/get-status.ts'
import { getUsage } from './usage/get-usage.ts'
import { listCalls } from './usage/list-calls.ts'
import type { UsageParts } from './usage/parts.ts'
import { aggregateSignatures } from './warp/aggregate-signatures.ts'
import type { WarpParts } from './warp/aggregators.ts'
import { getAggregatedSignatures } from './warp/get-aggregated-signatures.ts'

/** Parts of every family of operations. */
export type OperationParts = {
  readonly evm: EvmParts
  readonly nft: NftParts
  readonly metrics: MetricsParts
  readonly primary: PrimaryParts
  readonly warp: WarpParts
  readonly icm: IcmParts
  readonly search: SearchParts
  readonly events: EventParts
  readonly usage: UsageParts
  /** Stores that must answer for the service to be healthy. */
  readonly stores: () => readonly Reader[]
  readonly status: () => Promise<Status>
}

/** All of them. */
export function allOperations(parts: OperationParts): Operation[] {
  return [
    ...evmOperations(parts.evm),
    ...nftOperations(parts.nft),
    ...metricsOperations(parts.metrics),
    ...primaryOperations(parts.primary),
    getAvaxSupply(parts.primary, parts.evm.chains),
    ...warpOperations(parts.warp),
    ...icmOperations(parts.icm),
    search(parts.search),
    ...eventOperations(parts.events),
    ...exportOperations(exportPartsOf(parts)),
    getUsage(parts.usage),
    listCalls(parts.usage),
    ...healthOperations(parts.stores),
    getStatus(parts.status),
  ]
}

/** Document B on EVM chains, and its neighbours. */
export function evmOperations(parts: EvmParts): Operation[] {
  return [
    listErc1155Transfers(parts),
    listErc20Transfers(parts),
    ...listTokens(parts),
    listTokenTransfers(parts),
    listTokenHolders(parts),
    listInternalTransactions(parts),
    listErc20Balances(parts),
    listLatestTransactions(parts),
    getTransaction(parts),
    listTransactionLogs(parts),
    listLogs(parts),
    listTransactionCalls(parts),
    listErc721Transfers(parts),
    listNativeTransactions(parts),
    listAddressTransactions(parts),
    listAddressTransactionsV2(parts),
    getNativeBalance(parts),
    listEvmBalanceSeries(parts),
    listBlocks(parts),
    getBlock(parts),
    listBlockTransactions(parts),
    listChains(parts),
    getChain(parts),
    ...chainRpcOperations(parts),
    listAddressChains(parts),
    getContract(parts),
    getContractCode(parts),
    callContract(parts),
    ...sourcifyOperations(parts),
    ...etherscanOperations(parts),
    getContractDeployment(parts),
    listContracts(parts),
    listContractDeployments(parts),
    listAllLatestTransactions(parts),
    listAllLatestBlocks(parts),
    ...olderEvmOperations(parts),
  ]
}

/**
 * Document B, endpoint 8, and its neighbours: they read what indexing found out, and ask no
 * contract or host of metadata.
 */
export function nftOperations(parts: NftParts): Operation[] {
  return [
    listNftTokens(parts),
    listNftHolders(parts),
    getNftToken(parts),
    reindexNftToken(parts),
    listErc721Balances(parts),
    listErc1155Balances(parts),
    listCollectibleBalances(parts),
  ]
}

/** Document C, part A, and its neighbours. */
export function metricsOperations(parts: MetricsParts): Operation[] {
  return [
    chainMetrics(parts),
    averageTps(parts),
    rollingWindow(parts),
    listMetricsChains(parts),
    getMetricsChain(parts),
  ]
}

/**
 * Document A on the primary network, and its neighbours: stored bytes of outputs are decoded here,
 * and no node is asked.
 */
export function primaryOperations(parts: PrimaryParts): Operation[] {
  return [
    listUtxos(parts),
    listTransactions(parts),
    listStakingTransactions(parts),
    getBalances(parts),
    listBalanceSeries(parts),
    listValidators(parts),
    listSubnets(parts),
    listRewards(parts),
    listNodeBlocks(parts),
    listUtxosByQuery(parts),
    getPrimaryTransaction(parts),
    listPrimaryBlocks(parts),
    getPrimaryBlock(parts),
    getSubnet(parts),
    listBlockchains(parts),
    getBlockchain(parts),
    listNodeValidators(parts),
    listValidatorCycles(parts),
    listDelegators(parts),
    listL1Validators(parts),
    listPendingRewards(parts),
    listChainIds(parts),
    getNetworkDetails(parts),
    getAssetDetails(parts),
    listAssetTransactions(parts),
    getLastActivity(parts),
    getLastActivityOfMany(parts),
    listSubnetOwners(parts),
    listL1ValidatorFunds(parts),
    listL1Funds(parts),
    getStakingMetrics(parts),
    totalL1Fees(parts),
    validationFees(parts),
    nodeFees(parts),
    subnetFees(parts),
  ]
}

/** Webhooks: the clients' ten routes, and telling again. */
function eventOperations(parts: EventParts): Operation[] {
  return [
    listWebhooks(parts),
    createWebhook(parts),
    getWebhook(parts),
    updateWebhook(parts),
    deactivateWebhook(parts),
    listWebhookAddresses(parts),
    addWebhookAddresses(parts),
    removeWebhookAddresses(parts),
    rotateSharedSecret(parts),
    getSharedSecret(parts),
    replayWebhook(parts),
    listDeadLetters(parts),
  ]
}

/** Parts for exports, which read the lists of the other operations. */
export function exportPartsOf({
  evm,
  primary,
  events,
}: Pick<OperationParts, 'evm' | 'primary' | 'events'>): ExportParts {
  return { evm, primary, clock: events.clock, store: events.webhooks }
}

/** Exports of transactions to a file. */
function exportOperations(parts: ExportParts): Operation[] {
  return [exportTransactions(parts), getExport(parts)]
}

/** Document A, operations 1 and 2. */
export function warpOperations(parts: WarpParts): Operation[] {
  return [aggregateSignatures(parts), getAggregatedSignatures(parts)]
}

/** Document B, endpoint 9, and its neighbours. */
export function icmOperations(parts: IcmParts): Operation[] {
  return [
    listIcmMessagesByAddress(parts),
    listIcmMessages(parts),
    getIcmMessage(parts),
    ...teleporterOperations(parts),
    icmTimeseries(parts),
    icmSummary(parts),
    teleporterMetrics(parts),
  ]
}
