/**
 * A decoded range of EVM blocks: columns, not objects.
 *
 * The decoder fills these off the writer's thread and hands their buffers over without a copy.
 * Addresses are named by their position in `addresses`, so that the writer meets each address
 * of a batch once. Wide integers and byte strings lie in one arena.
 */

import { type ColumnsOf, columnTable } from '../../../core/columns.ts'
import { itemAt } from '../../../core/item-at.ts'
import { addresses, doubles, hashes, rows, slices, smalls, words } from './column-kinds.ts'

/** Members that block and trace batches share. Heights are the half-open range `[from, until)`. */
export type BatchBase = {
  readonly from: number
  readonly until: number
  readonly arena: Uint8Array
  /** Distinct addresses of the batch, 20 bytes each, in order of first sight. */
  readonly addresses: Uint8Array
}

/** Headers. Row `i` is height `from + i`. */
export const blockTable = columnTable({
  hash: hashes,
  parentHash: hashes,
  /** Unix seconds. */
  timestamp: doubles,
  /** Unix milliseconds, or -1 where the header has none (before Granite, other EVMs). */
  timestampMs: doubles,
  gasUsed: doubles,
  gasLimit: slices,
  /** Wei per gas; length 0 with `hasBaseFee` 0 where the header has none. */
  baseFee: slices,
  hasBaseFee: smalls,
  /** coreth and subnet-evm header field; 0 where absent. */
  blockGasCost: doubles,
  /** ACP-226 header field, or -1. */
  minDelayExcess: doubles,
  txCount: words,
  /** zstd of the inputs of all transactions of the block, one after the other; empty if none. */
  inputs: slices,
})
/** Columns of {@link blockTable}. */
export type BlockColumns = ColumnsOf<typeof blockTable>

/** Transactions in block order; a transaction's index is its distance from its block's first. */
export const txTable = columnTable({
  /** Row of the block. */
  block: rows,
  hash: hashes,
  from: addresses,
  to: addresses,
  /** `contractAddress` of the receipt, also when the creation failed. */
  created: addresses,
  value: slices,
  gasLimit: slices,
  gasUsed: doubles,
  /** Effective gas price of the receipt, else `gasPrice` of the transaction. */
  gasPrice: slices,
  /** 1 where the transaction has `maxFeePerGas` and `maxPriorityFeePerGas`. */
  hasMaxFee: smalls,
  maxFee: slices,
  maxPriorityFee: slices,
  nonce: doubles,
  type: smalls,
  /** 1 success, 0 failed. */
  status: smalls,
  inputLength: words,
  /** First four bytes of the input as an integer; shorter inputs are padded with zero bytes. */
  selector: words,
})
/** Columns of {@link txTable}. */
export type TxColumns = ColumnsOf<typeof txTable>

/**
 * Kinds of token logs, by their form; where two standards share one, by what the contract says.
 *
 * `deposit` and `withdrawal` (WAVAX style) change balances and are in no transfer list. `oneIndexed` and
 * `twoIndexed` are Transfers with so many indexed words whose contract does not say which word is what:
 * nothing is made of them. Their last topic is in `tokenId`.
 */
export const transferKinds = {
  erc20: 0,
  erc721: 1,
  erc721OneTopic: 2,
  erc1155Single: 3,
  erc1155Batch: 4,
  deposit: 5,
  withdrawal: 6,
  oneIndexed: 7,
  twoIndexed: 8,
} as const

/** A value of {@link transferKinds}. */
export type TransferKind = (typeof transferKinds)[keyof typeof transferKinds]

/** A token standard; 0 for none. */
export type Standard = 0 | 20 | 721 | 1155

/** Standards by kind: whose list a transfer is in, and whose balances or owners it changes. */
const standards: Readonly<Record<TransferKind, readonly [listed: Standard, changed: Standard]>> = {
  [transferKinds.erc20]: [20, 20],
  [transferKinds.erc721]: [721, 721],
  [transferKinds.erc721OneTopic]: [721, 721],
  [transferKinds.erc1155Single]: [1155, 1155],
  [transferKinds.erc1155Batch]: [1155, 1155],
  [transferKinds.deposit]: [0, 20],
  [transferKinds.withdrawal]: [0, 20],
  [transferKinds.oneIndexed]: [0, 0],
  [transferKinds.twoIndexed]: [0, 0],
}
const listed = Object.values(standards).map(([each]) => each)
const changed = Object.values(standards).map(([, each]) => each)

/** Standard a kind of transfer is listed under; 0 for kinds that are in no list. */
export function standardOf(kind: number): Standard {
  return itemAt(listed, kind)
}

/** Standard whose balances (20), owners (721) or amounts (1155) a kind of transfer changes. */
export function standardChangedBy(kind: number): Standard {
  return itemAt(changed, kind)
}

/** Token transfers in log order, batch entries in array order. */
export const transferTable = columnTable({
  /** Row of the transaction. */
  tx: rows,
  logIndex: words,
  /** Place in the arrays of a TransferBatch; 0 for all others. */
  batchIndex: words,
  kind: smalls,
  token: addresses,
  from: addresses,
  to: addresses,
  value: slices,
  tokenId: slices,
})
/** Columns of {@link transferTable}. */
export type TransferColumns = ColumnsOf<typeof transferTable>

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
  beaconUpgraded: 21,
} as const
/** A value of {@link eventKinds}. */
export type EventKind = (typeof eventKinds)[keyof typeof eventKinds]

/** Kept logs. */
export const eventTable = columnTable({
  tx: rows,
  logIndex: words,
  address: addresses,
  kind: smalls,
  /** Topics after the first, 32 bytes each. */
  topics: slices,
  data: slices,
})
/** Columns of {@link eventTable}. */
export type EventColumns = ColumnsOf<typeof eventTable>

/** Blocks with receipts, decoded. */
export type BlockBatch = BatchBase & {
  readonly kind: 'blocks'
  readonly blocks: BlockColumns
  readonly txs: TxColumns
  readonly transfers: TransferColumns
  readonly events: EventColumns
  /** Contracts with logs that are neither a transfer, an approval nor kept, 20 bytes each, each once. */
  readonly unexplained: Uint8Array
}

/** Internal transaction kinds as stored. `create3` is inferred, see `decode-traces.ts`. */
export const frameKinds = { call: 1, create: 2, create2: 3, create3: 4, callcode: 5 } as const

/**
 * Call frames worth keeping: CALL and CALLCODE with value, and every creation.
 *
 * Frames of depth 0 are the transactions themselves: kept only when they create, for the
 * metrics of contracts, and never listed (`position` 0).
 */
export const frameTable = columnTable({
  /** Row of the height: height = `from + block`. */
  block: rows,
  txIndex: words,
  /** Pre-order place in the call tree of the transaction, root = 0. */
  position: words,
  kind: smalls,
  from: addresses,
  /** Callee or created contract; `noAddress` for a failed creation. */
  to: addresses,
  value: slices,
  gasLimit: slices,
  gasUsed: doubles,
  /** 1 when the frame or any ancestor failed. */
  reverted: smalls,
})
/** Columns of {@link frameTable}. */
export type FrameColumns = ColumnsOf<typeof frameTable>

/** Traces of a range of blocks, decoded. */
export type TraceBatch = BatchBase & {
  readonly kind: 'traces'
  readonly frames: FrameColumns
}

/** Logs, whatever they say. */
export const logTable = columnTable({
  /** Row of the height: height = `from + block`. */
  block: rows,
  txIndex: words,
  /** Place among the logs of the block. */
  logIndex: words,
  address: addresses,
  /** 32 bytes each, at most four. */
  topics: slices,
  data: slices,
})

/** Blocks that have logs. */
export const loggingBlockTable = columnTable({
  /** Row of the height, as of a log. */
  block: rows,
  hash: hashes,
  /** Unix seconds. */
  timestamp: doubles,
})

/** Transactions that have logs. */
export const loggingTxTable = columnTable({ block: rows, txIndex: words, hash: hashes })

/** Every log of a range of blocks, decoded, and where they lie. */
export type LogBatch = BatchBase & {
  readonly kind: 'logs'
  readonly logs: ColumnsOf<typeof logTable>
  readonly blocks: ColumnsOf<typeof loggingBlockTable>
  readonly txs: ColumnsOf<typeof loggingTxTable>
}
