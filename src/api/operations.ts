/**
 * Every operation of the data API: the functions that answer the contracts of `shape/operations`.
 *
 * A function reads rows by a question of `store/query`; views come from the `…-view.ts` beside its page. No
 * page knows status codes, headers or dialects; only requests and webhooks are written.
 * `docs/reference/operations.md` leads from a URL to its contract, page, questions and test.
 */

import type { Etherscan } from '../shape/operations/etherscan.ts'
import type { EvmActivity } from '../shape/operations/evm-activity.ts'
import type { EvmBalances } from '../shape/operations/evm-balances.ts'
import { EvmBlocks } from '../shape/operations/evm-blocks.ts'
import { EvmChains } from '../shape/operations/evm-chains.ts'
import type { EvmContracts } from '../shape/operations/evm-contracts.ts'
import { EvmTransactions } from '../shape/operations/evm-transactions.ts'
import type { Icm, Teleporter } from '../shape/operations/icm.ts'
import type { L1Validators } from '../shape/operations/l1-validators.ts'
import type { Metrics } from '../shape/operations/metrics.ts'
import type { Nfts } from '../shape/operations/nft.ts'
import type { operations } from '../shape/operations/operations.ts'
import type { PrimaryAddresses } from '../shape/operations/primary-addresses.ts'
import type { PrimaryNetwork } from '../shape/operations/primary-network.ts'
import type { PrimaryTransactions } from '../shape/operations/primary-transactions.ts'
import type { Proposers } from '../shape/operations/proposers.ts'
import type { Signatures } from '../shape/operations/signatures.ts'
import type { Validators } from '../shape/operations/validators.ts'
import type { Webhooks } from '../shape/operations/webhooks.ts'
import type { Status } from '../shape/status.ts'
import type { Reader } from '../store/engine/database.ts'
import { etherscanOperations } from './etherscan/etherscan.ts'
import {
  createWebhook,
  deactivateWebhook,
  getSharedSecret,
  rotateSharedSecret,
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
import { listContractEvents } from './evm/abi/list-contract-events.ts'
import { listLogs } from './evm/abi/list-logs.ts'
import { listEvmBalanceSeries } from './evm/balances/list-balance-series.ts'
import { listErc20Balances } from './evm/balances/list-erc20-balances.ts'
import { getNativeBalance } from './evm/balances/native-balance.ts'
import { listAllLatestBlocks, listAllLatestTransactions } from './evm/chains/across-chains.ts'
import { getBlock, listBlocks } from './evm/chains/blocks.ts'
import { chainRpcOperations } from './evm/chains/chain-rpc.ts'
import { getChain, listAddressChains, listChains } from './evm/chains/chains.ts'
import { healthOperations } from './evm/chains/health.ts'
import { callContract } from './evm/contracts/call-contract.ts'
import { getContractCode } from './evm/contracts/get-contract-code.ts'
import {
  getContract,
  getContractDeployment,
  listContractDeployments,
  listContracts,
} from './evm/contracts/list-contracts.ts'
import { getSourcifyContract, getVerification, verifyContract } from './evm/contracts/sourcify.ts'
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
import { listActive } from './evm/transactions/list-active.ts'
import {
  listAddressTransactions,
  listAddressTransactionsV2,
} from './evm/transactions/list-address-transactions.ts'
import { listStateChanges } from './evm/transactions/list-state-changes.ts'
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
  listAddressTransfers,
  listErc1155Transfers,
  listErc20Transfers,
  listErc721Transfers,
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
import { type AllOf, renamed } from './operation/operation.ts'
import { getLastActivity, getLastActivityOfMany, listChainIds } from './primary/addresses.ts'
import { getPrimaryBlock, listNodeBlocks, listPrimaryBlocks } from './primary/blocks.ts'
import { getBalances, listBalanceSeries } from './primary/get-balances.ts'
import { nodeFees, subnetFees, totalL1Fees, validationFees } from './primary/l1/l1-fee-metrics.ts'
import { listL1Funds, listL1ValidatorFunds } from './primary/l1/list-l1-funds.ts'
import { listL1ValidatorChanges } from './primary/l1/list-l1-validator-changes.ts'
import { listL1Validators } from './primary/l1/list-l1-validators.ts'
import { listUtxos, listUtxosByQuery } from './primary/list-utxos.ts'
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
import { listProposerDays, listProposerSlots } from './primary/validators/proposer-slots.ts'
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

/** All of them: the compiler misses none, and swaps none. */
export function allOperations(context: ApiContext): AllOf<typeof operations> {
  const exports = exportContextOf(context)
  return {
    ...evmOperations(context.evm),
    ...nftOperations(context.nft),
    ...metricsOperations(context.metrics),
    ...primaryOperations(context.primary),
    getAvaxSupply: getAvaxSupply(context.primary, context.evm.chains),
    ...icmOperations(context.icm),
    ...warpOperations(context.warp),
    ...eventOperations(context.events),
    search: search(context.search),
    postTransactionExportJob: exportTransactions(exports),
    getOperationResult: getExport(exports),
    getApiUsageMetrics: getUsage(context.usage),
    getApiLogs: listCalls(context.usage),
    getStatus: getStatus(context.status),
    ...healthOperations(context.stores),
  }
}

/** Document B on EVM chains, and its neighbours. */
export function evmOperations(
  context: EvmContext,
): AllOf<
  typeof EvmChains &
    typeof EvmBlocks &
    typeof EvmTransactions &
    typeof EvmActivity &
    typeof EvmBalances &
    typeof EvmContracts &
    typeof Etherscan
> {
  return {
    supportedChains: listChains(context),
    getChainInfo: getChain(context),
    listAddressChains: listAddressChains(context),
    getAddressChains: renamed(EvmChains.getAddressChains, listAddressChains(context)),
    ...chainRpcOperations(context),
    getLatestBlocks: listBlocks(context),
    getBlock: getBlock(context),
    listLatestBlocksAllChains: listAllLatestBlocks(context),
    listAllLatestBlocks: renamed(EvmBlocks.listAllLatestBlocks, listAllLatestBlocks(context)),
    getTransaction: getTransaction(context),
    listLatestTransactions: listLatestTransactions(context),
    listNativeTransactions: listNativeTransactions(context),
    getTransactionsForBlock: listBlockTransactions(context),
    listInternalTransactions: listInternalTransactions(context),
    listTransactionCalls: listTransactionCalls(context),
    listStateChanges: listStateChanges(context),
    listTransactionLogs: listTransactionLogs(context),
    listLogs: listLogs(context),
    ...listActive(context),
    listTransactions: listAddressTransactions(context),
    listTransactionsV2: listAddressTransactionsV2(context),
    ...transferOperations(context),
    listLatestTransactionsAllChains: listAllLatestTransactions(context),
    listAllLatestTransactions: renamed(
      EvmTransactions.listAllLatestTransactions,
      listAllLatestTransactions(context),
    ),
    getNativeBalance: getNativeBalance(context),
    listErc20Balances: listErc20Balances(context),
    listEvmBalanceSeries: listEvmBalanceSeries(context),
    getAddressesByBalanceOverTime: listTokenHolders(context),
    getContractMetadata: getContract(context),
    getDeploymentTransaction: getContractDeployment(context),
    listContractDeployments: listContractDeployments(context),
    listContractEvents: listContractEvents(context),
    listContracts: listContracts(context),
    ...listTokens(context),
    getContractCode: getContractCode(context),
    callContract: callContract(context),
    verifyContract: verifyContract(context),
    getVerification: getVerification(context),
    getSourcifyContract: getSourcifyContract(context),
    ...etherscanOperations(context),
  }
}

function transferOperations(
  context: EvmContext,
): Pick<
  AllOf<typeof EvmTransactions>,
  | 'listErc20Transactions'
  | 'listErc721Transactions'
  | 'listErc1155Transactions'
  | 'listAddressTransfers'
  | 'listTransfers'
> {
  return {
    listErc20Transactions: listErc20Transfers(context),
    listErc721Transactions: listErc721Transfers(context),
    listErc1155Transactions: listErc1155Transfers(context),
    listAddressTransfers: listAddressTransfers(context),
    listTransfers: listTokenTransfers(context),
  }
}

/**
 * Document B, endpoint 8, and its neighbours: they read what indexing found out, and call no
 * contract or host of metadata.
 */
export function nftOperations(context: NftContext): AllOf<typeof Nfts> {
  return {
    listTokens: listNftTokens(context),
    getTokenDetails: getNftToken(context),
    reindexNft: reindexNftToken(context),
    getNftHoldersByContractAddress: listNftHolders(context),
    listErc1155Balances: listErc1155Balances(context),
    listErc721Balances: listErc721Balances(context),
    listCollectibleBalances: listCollectibleBalances(context),
  }
}

/** Document C, part A, and its neighbours. */
export function metricsOperations(context: MetricsContext): AllOf<typeof Metrics> {
  return {
    getChainMetrics: chainMetrics(context),
    getAverageTps: averageTps(context),
    getRollingWindowMetrics: rollingWindow(context),
    listMetricsChains: listMetricsChains(context),
    getMetricsChain: getMetricsChain(context),
  }
}

/**
 * Document A on the primary network, and its neighbours: stored bytes of outputs are decoded here,
 * and no node is called.
 */
export function primaryOperations(
  context: PrimaryContext,
): Omit<
  AllOf<
    typeof PrimaryNetwork &
      typeof PrimaryTransactions &
      typeof PrimaryAddresses &
      typeof Validators &
      typeof Proposers &
      typeof L1Validators
  >,
  'getAvaxSupply'
> {
  return {
    getNetworkDetails: getNetworkDetails(context),
    getStakingMetrics: getStakingMetrics(context),
    listSubnets: listSubnets(context),
    getSubnetById: getSubnet(context),
    listBlockchains: listBlockchains(context),
    getBlockchainById: getBlockchain(context),
    getValidatorsByDateRange: listSubnetOwners(context),
    listLatestPrimaryNetworkBlocks: listPrimaryBlocks(context),
    getBlockById: getPrimaryBlock(context),
    listPrimaryNetworkBlocksByNodeId: listNodeBlocks(context),
    listLatestPrimaryNetworkTransactions: listTransactions(context),
    getTxByHash: getPrimaryTransaction(context),
    listActivePrimaryNetworkStakingTransactions: listStakingTransactions(context),
    getAssetDetails: getAssetDetails(context),
    listAssetTransactions: listAssetTransactions(context),
    getUtxosByAddressesV2: listUtxos(context),
    getUtxosByAddresses: listUtxosByQuery(context),
    getBalancesByAddresses: getBalances(context),
    listBalanceSeries: listBalanceSeries(context),
    getLastActivityTimestampByAddresses: getLastActivity(context),
    getLastActivityTimestampByAddressesV2: getLastActivityOfMany(context),
    getChainIdsForAddresses: listChainIds(context),
    listValidators: listValidators(context),
    getSingleValidatorDetails: listNodeValidators(context),
    listAutoRenewedValidatorCycles: listValidatorCycles(context),
    listDelegators: listDelegators(context),
    listProposerSlots: listProposerSlots(context),
    listProposerDays: listProposerDays(context),
    listHistoricalPrimaryNetworkRewards: listRewards(context),
    listPendingPrimaryNetworkRewards: listPendingRewards(context),
    listL1Validators: listL1Validators(context),
    listL1ValidatorChanges: listL1ValidatorChanges(context),
    listL1ValidatorFunds: listL1ValidatorFunds(context),
    listL1Funds: listL1Funds(context),
    getTotalL1ValidatorMetrics: totalL1Fees(context),
    getMetricsByValidationId: validationFees(context),
    getMetricsByNodeId: nodeFees(context),
    getMetricsBySubnetId: subnetFees(context),
  }
}

/** Document B, endpoint 9, and its neighbours. */
export function icmOperations(context: IcmContext): AllOf<typeof Icm & typeof Teleporter> {
  return {
    listIcmMessagesByAddress: listIcmMessagesByAddress(context),
    listIcmMessages: listIcmMessages(context),
    getIcmMessage: getIcmMessage(context),
    getICMTimeseries: icmTimeseries(context),
    getICMSummary: icmSummary(context),
    getTeleporterMetricsByChain: teleporterMetrics(context),
    ...teleporterOperations(context),
  }
}

/** Document A, operations 1 and 2. */
export function warpOperations(context: WarpContext): AllOf<typeof Signatures> {
  return {
    aggregateSignatures: aggregateSignatures(context),
    getAggregatedSignatures: getAggregatedSignatures(context),
  }
}

/** Webhooks: the clients' ten routes, and sending again. */
function eventOperations(context: EventContext): AllOf<typeof Webhooks> {
  return {
    listWebhooks: listWebhooks(context),
    getWebhook: getWebhook(context),
    createWebhook: createWebhook(context),
    updateWebhook: updateWebhook(context),
    deactivateWebhook: deactivateWebhook(context),
    generateOrRotateSharedSecret: rotateSharedSecret(context),
    getSharedSecret: getSharedSecret(context),
    getAddressesFromWebhook: listWebhookAddresses(context),
    addAddressesToWebhook: addWebhookAddresses(context),
    removeAddressesFromWebhook: removeWebhookAddresses(context),
    replayWebhook: replayWebhook(context),
    listDeadLetters: listDeadLetters(context),
  }
}

/** Context of exports, which read the lists of the other operations. */
export function exportContextOf({ evm, primary, events }: ApiContext): ExportContext {
  return { evm, primary, clock: events.clock, store: events.webhooks }
}
