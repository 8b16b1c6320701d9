/** Where the documents and the official clients disagree, operation by operation. */

import { publicNetworks } from '../../core/network.ts'
import {
  type DialectRule,
  type DialectRules,
  moneyAsNumbers,
  newTransactionTypes,
  type Rewriting,
  walk,
  statusInLowerCase,
} from './dialect.ts'

// Where document A and the official clients disagree: shapes of the X- and C-Chain, transaction
// types the clients do not know, prices.
//
// The neutral body has document A's form with the clients' names beside it.

type Json = Record<string, unknown>

/** Older clients refuse a page for one type they do not know; its name goes beside. */
function knownTypes(body: unknown): unknown {
  return walk(body, (object) => {
    const { txType } = object
    if (typeof txType === 'string' && newTransactionTypes.has(txType)) {
      object['txTypeName'] = txType
      object['txType'] = 'UNKNOWN'
    }
  })
}

/** UTXOs of the X- and C-Chain: index as text, type in lower case. Only they carry this name. */
function clientUtxos(body: unknown): unknown {
  return walk(body, (object) => {
    if (typeof object['creationTxHash'] !== 'string') return
    object['outputIndex'] = String(object['outputIndex'])
    if (typeof object['utxoType'] === 'string')
      object['utxoType'] = object['utxoType'].toLowerCase()
  })
}

const sdkTransactions: Rewriting = (body) => clientUtxos(knownTypes(body))

/** The clients tell chains apart by the keys of their balances. */
const sdkBalances: Rewriting = (body) => {
  const answer = objectOf(body)
  const balances = objectOf(answer['balances'])
  if (objectOf(answer['chainInfo'])['chainName'] !== 'x-chain') return body
  const { atomicMemoryUnlocked, atomicMemoryLocked } = balances
  return {
    ...answer,
    balances: {
      locked: balances['lockedPlatform'],
      unlocked: balances['unlockedUnstaked'],
      atomicMemoryUnlocked,
      atomicMemoryLocked,
    },
  }
}

/** Clients take the public networks' ids only; those of Fuji stand for a private network's. */
const sdkChainIds: Rewriting = (body) =>
  walk(body, (object) => {
    const { blockchainIds, chainNames } = object
    if (!Array.isArray(blockchainIds) || !Array.isArray(chainNames)) return
    object['blockchainIds'] = blockchainIds.map((id: unknown, at) =>
      publicIds.has(String(id)) ? id : (fujiIds.get(String(chainNames[at])) ?? id),
    )
  })

const { mainnet, fuji } = publicNetworks
const publicIds = new Set<string>(
  [mainnet, fuji].flatMap((one) => [one.pChainId, one.xChainId, one.cChainId]),
)
const fujiIds = new Map([
  ['x-chain', fuji.xChainId],
  ['c-chain', fuji.cChainId],
])

function objectOf(value: unknown): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- bodies of our own operations
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

/** The clients demand an uptime of each active validator, also where no node tells one. */
const sdkValidators: Rewriting = (body) =>
  walk(body, (object) => {
    if (object['validationStatus'] === 'active') object['uptimePerformance'] ??= 0
  })

const transactions: DialectRule = { sdk: sdkTransactions, 'sdk-0.3.14': clientUtxos }

/** Rules of the primary network's operations, by operation id. */
export const primaryDialectRules: DialectRules = {
  getUtxosByAddressesV2: { sdk: clientUtxos },
  getUtxosByAddresses: { sdk: clientUtxos },
  listLatestPrimaryNetworkTransactions: transactions,
  listActivePrimaryNetworkStakingTransactions: transactions,
  getTxByHash: transactions,
  listAssetTransactions: transactions,
  listValidators: { sdk: sdkValidators },
  getSingleValidatorDetails: { sdk: sdkValidators },
  getBalancesByAddresses: { sdk: sdkBalances },
  getChainIdsForAddresses: { sdk: sdkChainIds },
  listHistoricalPrimaryNetworkRewards: { sdk: moneyAsNumbers },
  // The official clients take only 201 for success here; the document says 200.
  aggregateSignatures: { sdkStatus: 201 },
  getAggregatedSignatures: { sdkStatus: 201 },
}

const withMoney: DialectRule = { sdk: moneyAsNumbers }
const withStatus: DialectRule = { documented: statusInLowerCase }
const withBoth: DialectRule = { documented: statusInLowerCase, sdk: moneyAsNumbers }

/** Rules of the EVM and NFT operations, by operation id. */
export const evmDialectRules: DialectRules = {
  listErc20Transactions: withMoney,
  listErc20Balances: withMoney,
  getNativeBalance: withMoney,
  listErc721Transactions: withStatus,
  listErc1155Transactions: withStatus,
  listTransfers: withBoth,
  getTransaction: withBoth,
  getDeploymentTransaction: withBoth,
  listTransactions: withBoth,
  listTransactionsV2: withBoth,
  listTokens: withStatus,
  getTokenDetails: withStatus,
  listErc721Balances: withBoth,
  listErc1155Balances: withBoth,
  listCollectibleBalances: withStatus,
}
