/**
 * The one place that knows where the documents and the official clients disagree.
 *
 * Operations build one neutral body: money as decimal strings, `indexStatus` in upper case, true
 * transaction types, success status 200. `documented`, `sdk` and `sdk-0.3.14` are small rewritings
 * of it. A rewriting is registered by operation id, so that operations without a disagreement pay
 * nothing.
 */

import { publicNetworks } from '../../core/network.ts'
import { heliconTypes } from '../../core/type-ids.ts'
import type { OperationId } from '../../shape/operations/operations.ts'

/**
 * The form of an answer: that of the documents, of the official clients, or of clients that know
 * the transactions of auto-renewed validators.
 */
const dialects = ['documented', 'sdk', 'sdk-0.3.14'] as const
/** One of {@link dialects}. */
export type Dialect = (typeof dialects)[number]

/** The setting, also accepted per request in the header `x-firn-dialect`. */
export type DialectSetting = 'auto' | Dialect

/** Header by which a caller forces a dialect. */
const dialectHeader = 'x-firn-dialect'

/** Rewrites a neutral body. May change the object it is given: it is not used again. */
export type Rewriting = (body: unknown) => unknown

/** Changes that the dialects make to the answers of one operation. */
export type DialectRule = {
  readonly documented?: Rewriting
  readonly sdk?: Rewriting
  /** Where newer clients read otherwise than `sdk`. */
  readonly 'sdk-0.3.14'?: Rewriting
  /** Status the `sdk` dialect answers instead of 200. */
  readonly sdkStatus?: number
}

/** Rules by operation id. */
export type DialectRules = Readonly<Partial<Record<OperationId, DialectRule>>>

/** The part of a request that shows its dialect. */
type DialectRequest = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly query: unknown
}

/** The dialect a request gets. Source: generated clients' User-Agent. */
export function dialectOf(setting: DialectSetting, { headers, query }: DialectRequest): Dialect {
  const forced = dialects.find((dialect) => dialect === headers[dialectHeader])
  if (forced !== undefined) return forced
  const agent = headers['user-agent']
  const dialect =
    setting === 'auto' ? agentDialect(typeof agent === 'string' ? agent : '') : setting
  return dialect === 'sdk' && namesNewTypes(query) ? 'sdk-0.3.14' : dialect
}

/** `speakeasy-sdk/<language> <version> <generator> <document> <package>`. */
function agentDialect(agent: string): Dialect {
  if (!agent.startsWith('speakeasy-sdk/')) return 'documented'
  const [, version = '', , , name] = agent.split(' ')
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const isNew = major > 0 || minor > 3 || (minor === 3 && patch >= 14)
  return name === '@avalanche-sdk/chainkit' && isNew ? 'sdk-0.3.14' : 'sdk'
}

/** Transaction types that older clients do not know, and refuse to request. */
const newTransactionTypes: ReadonlySet<string> = new Set(Object.keys(heliconTypes))

/**
 * Returns whether a request filters by a type that only newer clients know, whatever its
 * User-Agent.
 */
function namesNewTypes(query: unknown): boolean {
  if (typeof query !== 'object' || query === null) return false
  const types = [
    'txTypes' in query ? query.txTypes : undefined,
    'txTypes[]' in query ? query['txTypes[]'] : undefined,
  ]
  const names = types.flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : []))
  return names.some((name) => newTransactionTypes.has(name.trim()))
}

/**
 * The clients demand JSON numbers: of money, and of decimals also where these are not known. 0 stands for
 * them then, with `decimalsUnknown` beside it.
 */
function clientNumbers(body: unknown): unknown {
  return walk(body, (object) => {
    if (object['decimals'] === null) object['decimals'] = 0
    if (typeof object['currencyCode'] === 'string' && typeof object['value'] === 'string') {
      object['value'] = Number(object['value'])
    }
  })
}

/** Every `indexStatus` in lower case, as document B shows it. */
function statusInLowerCase(body: unknown): unknown {
  return walk(body, (object) => {
    const status = object['indexStatus']
    if (typeof status === 'string') object['indexStatus'] = status.toLowerCase()
  })
}

/** Calls `visit` on every object of a JSON value, inner ones first, and gives the value back. */
function walk(value: unknown, visit: (object: Record<string, unknown>) => void): unknown {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit)
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) if (typeof item === 'object') walk(item, visit)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON object that is not a list
    visit(value as Record<string, unknown>)
  }
  return value
}

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

/** The clients distinguish chains by the keys of their balances. */
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

/** The clients demand uptime and reachability of each active validator, also where no node gives them. */
const sdkValidators: Rewriting = (body) =>
  walk(body, (object) => {
    if (object['validationStatus'] !== 'active') return
    object['uptimePerformance'] ??= 0
    objectOf(object['validatorHealth'])['reachabilityPercent'] ??= 0
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
  listHistoricalPrimaryNetworkRewards: { sdk: clientNumbers },
  // The official clients take only 201 for success here; the document says 200.
  aggregateSignatures: { sdkStatus: 201 },
  getAggregatedSignatures: { sdkStatus: 201 },
}

const withNumbers: DialectRule = { sdk: clientNumbers }
const withStatus: DialectRule = { documented: statusInLowerCase }
const withBoth: DialectRule = { documented: statusInLowerCase, sdk: clientNumbers }

/** Rules of the EVM and NFT operations, by operation id. */
export const evmDialectRules: DialectRules = {
  listErc20Transactions: withNumbers,
  listErc20Balances: withNumbers,
  getNativeBalance: withNumbers,
  listErc721Transactions: withStatus,
  listErc1155Transactions: withStatus,
  listAddressTransfers: withBoth,
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
  getContractMetadata: withNumbers,
  getIcmMessage: withNumbers,
  listIcmMessages: withNumbers,
  listIcmMessagesByAddress: withNumbers,
  getTeleporterMessage: withNumbers,
  listTeleporterMessages: withNumbers,
  listTeleporterMessagesByAddress: withNumbers,
}
