/** Path parameters of the EVM operations. */

import { Type } from '../type.ts'

const chainId = Type.String({
  description: 'EVM chain id, blockchain id (cb58 or hex) or an alias of this deployment',
  // The form of an alias is that of `admin/alias-rules.ts`.
  pattern: "^[A-Za-z0-9._~:@!$&'()*+,;=\\-\\u00a1-\\uffff]+$",
  maxLength: 512,
  allowed: 'an EVM chain id, a blockchain id or an alias',
})

const evmAddress = Type.String({
  description: 'EVM address, any letter case',
  pattern: '^0x[0-9a-fA-F]{40}$',
  allowed: 'an EVM address: 0x and 40 hex digits',
})

/** A chain. */
export const ChainPath = Type.Object({ chainId })

/** An address alone, on every chain. */
export const AddressPath = Type.Object({ address: evmAddress })

/** An address of a chain. */
export const ChainAddressPath = Type.Object({ chainId, address: evmAddress })

/** A transaction of a chain. */
export const ChainTransactionPath = Type.Object({
  chainId,
  txHash: Type.String({
    description: 'Hash of the transaction, any letter case',
    pattern: '^0x[0-9a-fA-F]{64}$',
    allowed: 'a transaction hash: 0x and 64 hex digits',
  }),
})

/** A block of a chain, by number or hash. */
export const ChainBlockPath = Type.Object({
  chainId,
  blockId: Type.String({
    description: 'Number or hash of the block',
    pattern: '^([0-9]{1,15}|0x[0-9a-fA-F]{64})$',
    allowed: 'a block number or a block hash: 0x and 64 hex digits',
  }),
})

/** No path parameter. */
export const NoPath = Type.Object({})
