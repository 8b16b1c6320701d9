/**
 * Every operation of the data API, in the order of the OpenAPI document.
 *
 * An operation is a page, `evm/chains/blocks.ts`: its path, parameters and shape, and the function
 * that answers. Rows come from a question of `store/query`, views from the `…-view.ts` beside the
 * page. No page knows status codes, headers or dialects; only requests and webhooks are written.
 * `docs/reference/operations.md` leads from a URL to its page, questions and test.
 */

import type { Status } from '../shape/status.ts'
import type { Reader } from '../store/engine/database.ts'
import { etherscanOperations } from './etherscan/etherscan.ts'
import {
  createWebhook,
  getSharedSecret,
  rotateSharedSecret,
  deactivateWebhook,
  updateWebhook,
} from './events/create-webhook.ts'
import { getWebhook, listWebhooks } from './events/list-webhooks.ts'
import type { EventContext } from './events/own-webhook.ts'
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
import {
  listAllLatestBlocks,
  listAllLatestTransactions,
  olderEvmOperations,
} from './evm/chains/across-chains.ts'
import { getBlock, listBlocks } from './evm/chains/blocks.ts'
import { chainRpcOperations } from './evm/chains/chain-rpc.ts'
import { getChain, listAddressChains, listChains } from './evm/chains/chains.ts'
import { healthOperations } from './evm/chains/health.ts'
import { callContract } from './evm/contracts/call-contract.ts'
import { getContractCode } from './evm/contracts/get-contract-code.ts'
import {
  getContractDeployment,
  getContract,
  listContractDeployments,
  listContracts,
} from './evm/contracts/list-contracts.ts'
import { sourcifyOperations } from './evm/contracts/sourcify.ts'
import type { EvmContext } from './evm/evm-context.ts'
import {
  listCollectibleBalances,
  listErc1155Balances,
  listErc721Balances,
} from './evm/nft/list-nft-balances.ts'
import { listNftHolders } from './evm/nft/list-nft-holders.ts'
import { listNftTokens } from './evm/nft/list-nft-tokens.ts'
import type { NftContext } from './evm/nft/nft-context.ts'
import { getNftToken, reindexNftToken } from './evm/nft/nft-token.ts'
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
import type { ExportContext } from './exports/export-plan.ts'
import { exportTransactions, getExport } from './exports/export-transactions.ts'
import { aggregateSignatures, getAggregatedSignatures } from './icm/aggregate-signatures.ts'
import type { WarpContext } from './icm/aggregators.ts'
import { getIcmMessage } from './icm/get-message.ts'
import type { IcmContext } from './icm/icm-context.ts'
import { listIcmMessages, listIcmMessagesByAddress } from './icm/list-messages.ts'
import { icmSummary, icmTimeseries, teleporterMetrics } from './icm/message-counts.ts'
import { teleporterOperations } from './icm/teleporter.ts'
import { averageTps, chainMetrics } from './metrics/chain-metrics.ts'
import { getMetricsChain, listMetricsChains } from './metrics/metrics-chains.ts'
import type { MetricsContext } from './metrics/metrics-context.ts'
import { rollingWindow } from './metrics/rolling-window.ts'
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
import type { PrimaryContext } from './primary/network/networks.ts'
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
import type { SearchContext } from './search/search-context.ts'
import { search } from './search/search.ts'
import { getUsage } from './server/admission/get-usage.ts'
import { listCalls } from './server/admission/list-calls.ts'
import type { UsageContext } from './server/admission/usage-context.ts'
import { getStatus } from './server/get-status.ts'

/** All that each family of operations answers from. */
export type ApiContext = {
  readonly evm: EvmContext
  readonly nft: NftContext
  readonly metrics: MetricsContext
  readonly primary: PrimaryContext
  readonly warp: WarpContext
  readonly icm: IcmContext
  readonly search: SearchContext
  readonly events: EventContext
  readonly usage: UsageContext
  /** Stores that must answer for the service to be healthy. */
  readonly stores: () => readonly Reader[]
  readonly status: () => Promise<Status>
}

/** All of them. */
export function allOperations(context: ApiContext): Operation[] {
  const exports = exportContextOf(context)
  return [
    ...evmOperations(context.evm),
    ...nftOperations(context.nft),
    ...metricsOperations(context.metrics),
    ...primaryOperations(context.primary),
    getAvaxSupply(context.primary, context.evm.chains),
    ...warpOperations(context.warp),
    ...icmOperations(context.icm),
    search(context.search),
    ...eventOperations(context.events),
    exportTransactions(exports),
    getExport(exports),
    getUsage(context.usage),
    listCalls(context.usage),
    ...healthOperations(context.stores),
    getStatus(context.status),
  ]
}

/** Document B on EVM chains, and its neighbours. */
export function evmOperations(context: EvmContext): Operation[] {
  return [
    listErc1155Transfers(context),
    listErc20Transfers(context),
    ...listTokens(context),
    listTokenTransfers(context),
    listTokenHolders(context),
    listInternalTransactions(context),
    listErc20Balances(context),
    listLatestTransactions(context),
    getTransaction(context),
    listTransactionLogs(context),
    listLogs(context),
    listTransactionCalls(context),
    listErc721Transfers(context),
    listNativeTransactions(context),
    listAddressTransactions(context),
    listAddressTransactionsV2(context),
    getNativeBalance(context),
    listEvmBalanceSeries(context),
    listBlocks(context),
    getBlock(context),
    listBlockTransactions(context),
    listChains(context),
    getChain(context),
    ...chainRpcOperations(context),
    listAddressChains(context),
    getContract(context),
    getContractCode(context),
    callContract(context),
    ...sourcifyOperations(context),
    ...etherscanOperations(context),
    getContractDeployment(context),
    listContracts(context),
    listContractDeployments(context),
    listAllLatestTransactions(context),
    listAllLatestBlocks(context),
    ...olderEvmOperations(context),
  ]
}

/**
 * Document B, endpoint 8, and its neighbours: they read what indexing found out, and call no
 * contract or host of metadata.
 */
export function nftOperations(context: NftContext): Operation[] {
  return [
    listNftTokens(context),
    listNftHolders(context),
    getNftToken(context),
    reindexNftToken(context),
    listErc721Balances(context),
    listErc1155Balances(context),
    listCollectibleBalances(context),
  ]
}

/** Document C, part A, and its neighbours. */
export function metricsOperations(context: MetricsContext): Operation[] {
  return [
    chainMetrics(context),
    averageTps(context),
    rollingWindow(context),
    listMetricsChains(context),
    getMetricsChain(context),
  ]
}

/**
 * Document A on the primary network, and its neighbours: stored bytes of outputs are decoded here,
 * and no node is called.
 */
export function primaryOperations(context: PrimaryContext): Operation[] {
  return [
    listUtxos(context),
    listTransactions(context),
    listStakingTransactions(context),
    getBalances(context),
    listBalanceSeries(context),
    listValidators(context),
    listSubnets(context),
    listRewards(context),
    listNodeBlocks(context),
    listUtxosByQuery(context),
    getPrimaryTransaction(context),
    listPrimaryBlocks(context),
    getPrimaryBlock(context),
    getSubnet(context),
    listBlockchains(context),
    getBlockchain(context),
    listNodeValidators(context),
    listValidatorCycles(context),
    listDelegators(context),
    listL1Validators(context),
    listPendingRewards(context),
    listChainIds(context),
    getNetworkDetails(context),
    getAssetDetails(context),
    listAssetTransactions(context),
    getLastActivity(context),
    getLastActivityOfMany(context),
    listSubnetOwners(context),
    listL1ValidatorFunds(context),
    listL1Funds(context),
    getStakingMetrics(context),
    totalL1Fees(context),
    validationFees(context),
    nodeFees(context),
    subnetFees(context),
  ]
}

/** Webhooks: the clients' ten routes, and sending again. */
function eventOperations(context: EventContext): Operation[] {
  return [
    listWebhooks(context),
    createWebhook(context),
    getWebhook(context),
    updateWebhook(context),
    deactivateWebhook(context),
    listWebhookAddresses(context),
    addWebhookAddresses(context),
    removeWebhookAddresses(context),
    rotateSharedSecret(context),
    getSharedSecret(context),
    replayWebhook(context),
    listDeadLetters(context),
  ]
}

/** Context of exports, which read the lists of the other operations. */
export function exportContextOf({ evm, primary, events }: ApiContext): ExportContext {
  return { evm, primary, clock: events.clock, store: events.webhooks }
}

/** Document A, operations 1 and 2. */
export function warpOperations(context: WarpContext): Operation[] {
  return [aggregateSignatures(context), getAggregatedSignatures(context)]
}

/** Document B, endpoint 9, and its neighbours. */
export function icmOperations(context: IcmContext): Operation[] {
  return [
    listIcmMessagesByAddress(context),
    listIcmMessages(context),
    getIcmMessage(context),
    ...teleporterOperations(context),
    icmTimeseries(context),
    icmSummary(context),
    teleporterMetrics(context),
  ]
}
