/** Rows of blocks and transactions. */

import { noAddress } from '../../../codec/evm/columns/column-kinds.ts'
import type { BlockBatch } from '../../../codec/evm/columns/columns.ts'
import { f64At, itemAt, u32At } from '../../../core/item-at.ts'
import { wideBytes, wideInteger } from '../../../core/wide-integer.ts'
import { ByteColumn } from '../../../store/engine/byte-column.ts'
import type { ColumnsOf, Writer } from '../../../store/engine/database.ts'
import { block, tx, txByAddress, txByHash, txFailed } from '../../../store/schema/evm.ts'
import { gather, radixOrder } from '../../stream/radix-order.ts'
import {
  byteAt,
  bytesOf,
  idsOf,
  optionalBytesOf,
  optionalIdsOf,
  prefixesOf,
} from './batch-columns.ts'
import { FanOut } from './fan-out.ts'

/** Writes headers. `firstTx` counts the transactions of all blocks before the batch. */
export async function writeBlocks(
  writer: Writer,
  batch: BlockBatch,
  firstTx: number,
): Promise<void> {
  const { blocks, arena } = batch
  const prefixes = prefixesOf(blocks.hash)
  await writer.insert(block, {
    height: Float64Array.from(blocks.txCount, (_, row) => batch.from + row),
    hash: ByteColumn.ofWidth(blocks.hash, 32),
    hash_prefix: prefixes,
    timestamp: blocks.timestamp,
    timestamp_ms: presentOf(blocks.timestampMs),
    gas_used: blocks.gasUsed,
    gas_limit: blocks.gasLimit,
    gas_cost: blocks.blockGasCost,
    min_delay_excess: presentOf(blocks.minDelayExcess),
    base_fee: optionalBytesOf(arena, blocks.baseFee, blocks.hasBaseFee),
    tx_count: blocks.txCount,
    first_tx: sumsBefore(blocks.txCount, firstTx),
    fees: feesOf(batch),
    inputs: bytesOf(arena, blocks.inputs, blocks.count),
  })
}

/** Writes transactions with every list of them. `pos` are their positions. */
export async function writeTransactions(
  writer: Writer,
  batch: BlockBatch,
  at: { readonly ids: Float64Array; readonly pos: Float64Array },
): Promise<void> {
  const { txs, arena } = batch
  const { ids, pos } = at
  await writer.insert(tx, {
    pos,
    hash: ByteColumn.ofWidth(txs.hash, 32),
    from_id: idsOf(txs.from, ids),
    to_id: optionalIdsOf(txs.to, ids),
    created_id: optionalIdsOf(txs.created, ids),
    value: bytesOf(arena, txs.value, txs.count),
    gas_limit: txs.gasLimit,
    gas_used: txs.gasUsed,
    gas_price: bytesOf(arena, txs.gasPrice, txs.count),
    max_fee: optionalBytesOf(arena, txs.maxFee, txs.hasMaxFee),
    max_priority_fee: optionalBytesOf(arena, txs.maxPriorityFee, txs.hasMaxFee),
    nonce: txs.nonce,
    type: txs.type,
    status: txs.status,
    input_length: txs.inputLength,
    selector: txs.selector,
  })
  const prefixes = prefixesOf(txs.hash)
  const order = radixOrder(prefixes)
  await writer.insert(txByHash, {
    hash_prefix: gather(prefixes, order),
    pos: gather(pos, order),
  })
  await writer.insert(txFailed, { pos: pos.filter((_, row) => txs.status[row] === 0) })
  await writer.insert(txByAddress, addressLists(batch, ids, pos))
}

/** Transactions by sender, receiver and created contract, each address once. */
function addressLists(
  { txs }: BlockBatch,
  ids: Float64Array,
  pos: Float64Array,
): ColumnsOf<typeof txByAddress> {
  const fanOut = new FanOut(txs.count * 2 + 16)
  for (let row = 0; row < txs.count; row++) {
    const from = u32At(txs.from, row)
    const to = txs.to[row] ?? noAddress
    const created = txs.created[row] ?? noAddress
    fanOut.add(f64At(ids, from), row)
    if (to !== noAddress && to !== from) fanOut.add(f64At(ids, to), row)
    if (created !== noAddress && created !== from && created !== to)
      fanOut.add(f64At(ids, created), row)
  }
  const { ids: owners, rows } = fanOut.sorted()
  return { address_id: owners, pos: gather(pos, rows) }
}

/** Σ gas × price of each block, wei, big-endian without leading zeros. */
function feesOf({ blocks, txs, arena }: BlockBatch): Uint8Array[] {
  const sums = Array.from({ length: blocks.count }, () => 0n)
  for (let row = 0; row < txs.count; row++) {
    const price = wideInteger(byteAt(arena, txs.gasPrice, row))
    const of = u32At(txs.block, row)
    sums[of] = itemAt(sums, of) + price * BigInt(f64At(txs.gasUsed, row))
  }
  return sums.map(wideBytes)
}

function sumsBefore(counts: Uint32Array, start: number): Float64Array {
  const sums = new Float64Array(counts.length)
  let sum = start
  for (let at = 0; at < counts.length; at++) {
    sums[at] = sum
    sum += u32At(counts, at)
  }
  return sums
}

/** -1 stands for a header without the field. */
function presentOf(values: Float64Array): (number | null)[] {
  return Array.from(values, (value) => (value < 0 ? null : value))
}
