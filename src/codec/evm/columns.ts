/**
 * What one range of EVM blocks becomes after decoding: columns, not objects.
 *
 * The decoder fills these off the writer's thread and hands their buffers over without a copy.
 * Addresses are named by their position in `addresses`, so that the writer meets each address
 * of a batch once. Wide integers and byte strings lie in one arena.
 */

/** No address: `to` of a creation, `created` of anything else. */
export const noAddress = 0xffff_ffff

/**
 * Byte strings in `BatchBase.arena`: item `i` is `arena[offset[i], offset[i] + length[i])`.
 *
 * Integers are big-endian without leading zero bytes; zero has length 0.
 */
export type Slices = { readonly offset: Uint32Array; readonly length: Uint32Array }

/** What block and trace batches share. Heights are the half-open range `[from, until)`. */
export type BatchBase = {
  readonly from: number
  readonly until: number
  readonly arena: Uint8Array
  /** Distinct addresses of the batch, 20 bytes each, in order of first sight. */
  readonly addresses: Uint8Array
}

/** Headers. Row `i` is height `from + i`. */
export type BlockColumns = {
  readonly count: number
  /** 32 bytes each. */
  readonly hash: Uint8Array
  /** 32 bytes each. */
  readonly parentHash: Uint8Array
  /** Unix seconds. */
  readonly timestamp: Float64Array
  /** Unix milliseconds, or -1 where the header has none (before Granite, other EVMs). */
  readonly timestampMs: Float64Array
  readonly gasUsed: Float64Array
  readonly gasLimit: Float64Array
  /** Wei per gas; length 0 with `hasBaseFee` 0 where the header has none. */
  readonly baseFee: Slices
  readonly hasBaseFee: Uint8Array
  /** coreth and subnet-evm header field; 0 where absent. */
  readonly blockGasCost: Float64Array
  /** ACP-226 header field, or -1. */
  readonly minDelayExcess: Float64Array
  readonly txCount: Uint32Array
  /** zstd of the inputs of all transactions of the block, one after the other; empty if none. */
  readonly inputs: Slices
}

/** Transactions in block order; a transaction's index is its distance from its block's first. */
export type TxColumns = {
  readonly count: number
  /** Row of the block. */
  readonly block: Uint32Array
  readonly hash: Uint8Array
  readonly from: Uint32Array
  readonly to: Uint32Array
  /** `contractAddress` of the receipt, also when the creation failed. */
  readonly created: Uint32Array
  readonly value: Slices
  readonly gasLimit: Float64Array
  readonly gasUsed: Float64Array
  /** Effective gas price of the receipt, else `gasPrice` of the transaction. */
  readonly gasPrice: Slices
  /** 1 where the transaction has `maxFeePerGas` and `maxPriorityFeePerGas`. */
  readonly hasMaxFee: Uint8Array
  readonly maxFee: Slices
  readonly maxPriorityFee: Slices
  readonly nonce: Float64Array
  readonly type: Uint8Array
  /** 1 success, 0 failed. */
  readonly status: Uint8Array
  readonly inputLength: Uint32Array
  /** First four bytes of the input as an integer; shorter inputs are padded with zero bytes. */
  readonly selector: Uint32Array
}

/**
 * What a token log says, by its form alone.
 *
 * `deposit` and `withdrawal` (WAVAX style) change balances and are in no transfer list.
 */
export const transferKinds = {
  erc20: 0,
  erc721: 1,
  erc721OneTopic: 2,
  erc1155Single: 3,
  erc1155Batch: 4,
  deposit: 5,
  withdrawal: 6,
} as const

/** Token transfers in log order, batch entries in array order. */
export type TransferColumns = {
  readonly count: number
  /** Row of the transaction. */
  readonly tx: Uint32Array
  readonly logIndex: Uint32Array
  /** Place in the arrays of a TransferBatch; 0 for all others. */
  readonly batchIndex: Uint32Array
  readonly kind: Uint8Array
  readonly token: Uint32Array
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly value: Slices
  readonly tokenId: Slices
}

/** Logs kept as they are for later stages, by their first topic. */
export const eventKinds = {
  icmBlockchainIdInitialized: 1,
  icmSend: 2,
  icmAddFee: 3,
  icmExecutionFailed: 4,
  icmExecuted: 5,
  icmReceive: 6,
  icmReceipt: 7,
  icmRewardsRedeemed: 8,
  warpSend: 9,
  uri: 16,
  metadataUpdate: 17,
  batchMetadataUpdate: 18,
  consecutiveTransfer: 19,
  proxyUpgraded: 20,
} as const

/** Kept logs. */
export type EventColumns = {
  readonly count: number
  readonly tx: Uint32Array
  readonly logIndex: Uint32Array
  readonly address: Uint32Array
  readonly kind: Uint8Array
  /** Topics after the first, 32 bytes each. */
  readonly topics: Slices
  readonly data: Slices
}

/** Blocks with receipts, decoded. */
export type BlockBatch = BatchBase & {
  readonly kind: 'blocks'
  readonly blocks: BlockColumns
  readonly txs: TxColumns
  readonly transfers: TransferColumns
  readonly events: EventColumns
}

/** Internal transaction kinds as stored. `create3` is inferred, see `codec/evm/traces.ts`. */
export const frameKinds = { call: 1, create: 2, create2: 3, create3: 4, callcode: 5 } as const

/**
 * Call frames worth keeping: CALL and CALLCODE with value, and every creation.
 *
 * Frames of depth 0 are the transactions themselves: kept only when they create, for the
 * metrics of contracts, and never listed (`position` 0).
 */
export type FrameColumns = {
  readonly count: number
  /** Row of the height: height = `from + block`. */
  readonly block: Uint32Array
  readonly txIndex: Uint32Array
  /** Pre-order place in the call tree of the transaction, root = 0. */
  readonly position: Uint32Array
  readonly kind: Uint8Array
  readonly from: Uint32Array
  /** Callee or created contract; `noAddress` for a failed creation. */
  readonly to: Uint32Array
  readonly value: Slices
  readonly gasLimit: Float64Array
  readonly gasUsed: Float64Array
  /** 1 when the frame or any ancestor failed. */
  readonly reverted: Uint8Array
}

/** Traces of a range of blocks, decoded. */
export type TraceBatch = BatchBase & {
  readonly kind: 'traces'
  readonly frames: FrameColumns
}
