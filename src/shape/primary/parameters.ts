/** Parameters that several primary-network operations share. Source: document A, Conventions. */

import { networkNames } from '../../core/network.ts'
import { Type, type OptionalSchema, type Schema, type Static, Optional } from '../type.ts'

/** Path value `network`; `testnet` is another word for `fuji`. */
export const NetworkName = Type.Enum(networkNames, 'Network')

/** Path value `blockchainId`: an id of the P-, X- or C-Chain, or an alias. */
const PrimaryChainName = Type.String(
  'Id (cb58 or hex) of the P-, X- or C-Chain, `p-chain`, `x-chain`, `c-chain`, or an alias of this deployment',
  { maxLength: 512 },
)

/** Path of the operations of one chain. */
export const ChainPath = { network: NetworkName, blockchainId: PrimaryChainName }

/** Path of the operations of a whole network. */
export const NetworkPath = { network: NetworkName }

const NodeId = Type.String('Node id', { maxLength: 128 })

/** Path of the operations of one node. */
export const NodePath = { network: NetworkName, nodeId: NodeId }

/** Path of the operations of one node on one chain. */
export const ChainNodePath = { ...ChainPath, nodeId: NodeId }

/** Continuation of a list. */
export const PageToken = Optional.String(
  '`nextPageToken` of the page before; valid 24 hours, with the same parameters',
  { maxLength: 1_024, examples: ['AQ3gk2…'] },
)

/** Items of a page, 1 to `maximum`. */
export const pageSize = (fallback: number, maximum: number): OptionalSchema<number> =>
  Optional.Integer({
    minimum: 1,
    maximum,
    default: fallback,
    description: 'Most items of the page',
  })

/** Parameters of the page of most lists. */
export const pageQuery = { pageToken: PageToken, pageSize: pageSize(10, 100) }

/** Direction of a list; newest or largest first when absent. */
export const SortOrder = Optional.Enum(['asc', 'desc'], {
  default: 'desc',
  description: 'Direction of the list',
})

const seconds = (description: string): Schema<number> =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

/** Only items after this. */
const StartTimestamp = Type.Optional(seconds('Unix seconds; only items after this moment'))

/** Only items before this. */
const EndTimestamp = Type.Optional(seconds('Unix seconds; only items before this moment'))

/** Only items between two moments. */
export const timeQuery = { startTimestamp: StartTimestamp, endTimestamp: EndTimestamp }

/** State as of this moment. */
export const BlockTimestamp = Type.Optional(seconds('Unix seconds; the state at this moment'))

/** Comma-separated addresses. */
export const Addresses = Type.String(
  'Comma-separated addresses: bech32, bare or after `P-`, `X-` or `C-`; on the C-Chain also 0x',
  { maxLength: 16_384 },
)

/** Comma-separated node ids. */
export const NodeIds = Type.String('Comma-separated node ids (`NodeID-…`)', { maxLength: 8_192 })

/** A subnet's id. */
export const SubnetId = Type.String('Subnet id, cb58 or hex', { maxLength: 128 })

/** Parameters both UTXO lists take. */
export const UtxoFilters = {
  assetId: Optional.String('Only this asset, cb58 or hex; X-Chain only', { maxLength: 128 }),
  minUtxoAmount: Optional.Number({
    minimum: 0,
    default: 0,
    description: 'Smallest amount, nAVAX, inclusive',
  }),
  includeSpent: Optional.Boolean({ default: false, description: 'Spent UTXOs too' }),
  sortBy: Optional.Enum(['timestamp', 'amount'], {
    default: 'timestamp',
    description: 'Order of the list',
  }),
  sortOrder: SortOrder,
} as const

/** Names of the three chains as answers carry them. */
export const chainNames = ['p-chain', 'x-chain', 'c-chain'] as const

/** Chain and network of an answer. */
export const PrimaryChainInfo = Type.Component(
  'PrimaryChainInfo',
  'Chain and network of the answer',
  {
    chainName: Type.Enum(chainNames, 'Name of the chain'),
    network: Type.Enum(['mainnet', 'fuji'], 'Network: mainnet, or fuji for any other'),
  },
)
/** Decoded {@link PrimaryChainInfo}. */
export type PrimaryChainInfo = Static<typeof PrimaryChainInfo>
