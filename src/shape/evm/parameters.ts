/** Parameters of the EVM operations. */

import { Type, Optional } from '../type.ts'
import { currencies } from './token.ts'

const chainId = Type.String(
  'EVM chain id, blockchain id (cb58 or hex) or an alias of this deployment',
  {
    // The form of an alias is that of `admin/aliases/alias-rules.ts`.
    pattern: "^[A-Za-z0-9._~:@!$&'()*+,;=\\-\\u00a1-\\uffff]+$",
    maxLength: 512,
    allowed: 'an EVM chain id, a blockchain id or an alias',
  },
)

const evmAddress = Type.String('EVM address, any letter case', {
  pattern: '^0x[0-9a-fA-F]{40}$',
  allowed: 'an EVM address: 0x and 40 hex digits',
})

/** A chain. */
export const ChainPath = { chainId }

/** An address alone, on every chain. */
export const AddressPath = { address: evmAddress }

/** An address of a chain. */
export const ChainAddressPath = { chainId, address: evmAddress }

/** A transaction of a chain. */
export const ChainTransactionPath = {
  chainId,
  txHash: Type.String('Hash of the transaction, any letter case', {
    pattern: '^0x[0-9a-fA-F]{64}$',
    allowed: 'a transaction hash: 0x and 64 hex digits',
  }),
}

/** A block of a chain, by number or hash. */
export const ChainBlockPath = {
  chainId,
  blockId: Type.String('Number or hash of the block', {
    pattern: '^([0-9]{1,15}|0x[0-9a-fA-F]{64})$',
    allowed: 'a block number or a block hash: 0x and 64 hex digits',
  }),
}

/** Items per page where the caller does not say. Source: document B, part Limits. */
export const defaultPageSize = 10

/** Continues a list. Valid for 24 hours and for the same other parameters only. */
export const pageToken = Optional.String('nextPageToken of the page before', {
  examples: ['AQ3gk2…'],
})

/** Items per page, 1 to 100. */
export const pageSize = Optional.Integer({
  minimum: 1,
  maximum: 100,
  default: defaultPageSize,
  description: 'Items per page',
})

/** Items per page of balances, 1 to 500. */
export const widePageSize = Optional.Integer({
  minimum: 1,
  maximum: 500,
  default: defaultPageSize,
  description: 'Items per page',
})

const blockBound = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

/** Blocks a list is limited to: half-open, both ends optional. */
export const blockRange = {
  startBlock: Optional.Integer({
    ...blockBound,
    description: 'First block, inclusive; default the genesis',
    examples: [12],
  }),
  endBlock: Optional.Integer({
    ...blockBound,
    description: 'Last block, exclusive; default the newest',
    examples: [76],
  }),
}

/** Height at which a balance is wanted. */
export const blockNumber = Optional.String('Balance at this block; default the newest', {
  pattern: '^[0-9]{1,15}$',
  allowed: 'a block number, base 10',
})

/** True where a caller waits for the node. */
export const compared = Optional.Boolean({
  default: false,
  description:
    'Wait until every balance was compared with the node; header `x-balances` says whether it was',
})

/** Currency of prices. */
export const currency = Optional.Enum(currencies, {
  default: 'usd',
  description: 'Currency of prices',
})

/** Network of the chains wanted. */
export const network = Optional.Enum(['mainnet', 'fuji', 'testnet'], 'Only chains of this network')

/** Direction of a list. */
export const sortOrder = Optional.Enum(['asc', 'desc'], {
  default: 'desc',
  description: 'Oldest or newest first',
})

/** Limits a list to transactions that failed, or to those that did not. */
export const status = Optional.Enum(['failed', 'success'], 'Only transactions with this outcome')

/** A list without filters. */
export const PageQuery = { pageToken, pageSize }

/** A list limited to a range of blocks. */
const BlockRangeQuery = { ...blockRange, pageToken, pageSize }

const moment = { minimum: 0, maximum: 2 ** 40 }
const contract = {
  pattern: '^0x[0-9a-fA-F]{40}$',
  allowed: 'an EVM address: 0x and 40 hex digits',
}

/** Parts of a list of an address: of a long one a page may be short, and its token goes on. */
const filters = {
  direction: Optional.Enum(['in', 'out'], 'Only what came to the address, or what left it'),
  counterparty: Optional.String({
    ...contract,
    description: 'Only from or to this other address',
    examples: ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'],
  }),
  startTimestamp: Optional.Integer({
    ...moment,
    description: 'Only of this second and later, Unix time',
  }),
  endTimestamp: Optional.Integer({
    ...moment,
    description: 'Only from before this second, Unix time',
  }),
}

/** A list of an address, and what of it is wanted. */
export const AddressListQuery = { ...BlockRangeQuery, ...filters }

/** Transactions of an address. */
export const AddressTransactionsQuery = {
  ...AddressListQuery,
  methodHash: Optional.String('Only calls whose input begins with this selector', {
    pattern: '^0x[0-9a-fA-F]{8}$',
    allowed: 'a selector: 0x and 8 hex digits',
  }),
}

/** Transfers of an address. */
export const AddressTransfersQuery = {
  ...AddressListQuery,
  tokenAddress: Optional.String({
    ...contract,
    description: 'Only of this token contract',
    examples: ['0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc'],
  }),
}

/** An item of a collection. */
export const tokenId = Optional.String('Only of this item of a collection', {
  pattern: '^[0-9]{1,78}$',
  allowed: 'an id of a token, base 10',
})

/** Transfers of a token. */
export const TokenTransfersQuery = { ...BlockRangeQuery, tokenId }
