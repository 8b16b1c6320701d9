/** Query parameters that several EVM operations share. */

import { Type } from '../type.ts'
import { currencies } from './money.ts'

/** Items per page where the caller does not say. Source: document B, part Limits. */
export const defaultPageSize = 10

/** Continues a list. Valid for 24 hours and for the same other parameters only. */
export const pageToken = Type.Optional(
  Type.String({ description: 'nextPageToken of the page before' }),
)

/** Items per page, 1 to 100. */
export const pageSize = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    default: defaultPageSize,
    description: 'Items per page',
  }),
)

/** Items per page of balances, 1 to 500. */
export const widePageSize = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 500,
    default: defaultPageSize,
    description: 'Items per page',
  }),
)

const blockBound = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

/** Blocks a list is limited to: half-open, both ends optional. */
export const blockRange = {
  startBlock: Type.Optional(
    Type.Integer({ ...blockBound, description: 'First block, inclusive; default the genesis' }),
  ),
  endBlock: Type.Optional(
    Type.Integer({ ...blockBound, description: 'Last block, exclusive; default the newest' }),
  ),
}

/** Height at which a balance is wanted. */
export const blockNumber = Type.Optional(
  Type.String({
    description: 'Balance at this block; default the newest',
    pattern: '^[0-9]{1,15}$',
    allowed: 'a block number, base 10',
  }),
)

/** True where a caller waits for the node. */
export const compared = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Wait until every balance was compared with the node; header `x-balances` says whether it was',
  }),
)

/** Currency of prices. */
export const currency = Type.Optional(
  Type.Enum([...currencies], { default: 'usd', description: 'Currency of prices' }),
)

/** Network of the chains wanted. */
export const network = Type.Optional(
  Type.Enum(['mainnet', 'fuji', 'testnet'], { description: 'Only chains of this network' }),
)

/** Direction of a list. */
export const sortOrder = Type.Optional(
  Type.Enum(['asc', 'desc'], { default: 'desc', description: 'Oldest or newest first' }),
)

/** Limits a list to transactions that failed, or to those that did not. */
export const status = Type.Optional(
  Type.Enum(['failed', 'success'], { description: 'Only transactions with this outcome' }),
)

/** A list without filters. */
export const PageQuery = Type.Object({ pageToken, pageSize })

/** A list limited to a range of blocks. */
export const BlockRangeQuery = Type.Object({ ...blockRange, pageToken, pageSize })

/** No query parameter. */
export const NoQuery = Type.Object({})
