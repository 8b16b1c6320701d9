/** Rows of blocks and transactions. */

import { noAddress } from '../../../codec/evm/columns/column-kinds.ts'
import type { BlockBatch } from '../../../codec/evm/columns/columns.ts'
import { f64At, itemAt, u32At } from '../../../core/item-at.ts'
import { wideBytes, wideInteger } from '../../../core/wide-integer.ts'
import type { ColumnsOf, Writer } from '../../../store/engine/database.ts'
import { block, tx, txByAddress, txByHash, txFailed } from '../../../store/schema/evm.ts'
import { gather, radixOrder } from '../../stream/radix-order.ts'
import { byteAt, prefixesOf, storedBlocks, storedColumns, storedTxs } from './batch-columns.ts'
import { FanOut } from './fan-out.ts'

/** Headers name no address. */
const noIds = new Float64Array()

/** Writes headers. `firstTx` counts the transactions of all blocks before the batch. */
export async function writeBlocks(
  writer: Writer,
  batch: BlockBatch,
  firstTx: number,
): Promise<void> {
  const { blocks, arena } = batch
  const sums = new Float64Array(blocks.txCount.length)
  let sum = firstTx
  for (let at = 0; at < blocks.txCount.length; at++) {
    sums[at] = sum
    sum += u32At(blocks.txCount, at)
  }
  await writer.insert(block, {
    ...storedColumns(storedBlocks, blocks, { arena, ids: noIds }),
    height: Float64Array.from(blocks.txCount, (_, row) => batch.from + row),
    hash_prefix: prefixesOf(blocks.hash),
    first_tx: sums,
    fees: feesOf(batch),
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
  await writer.insert(tx, { pos, ...storedColumns(storedTxs, txs, { arena, ids }) })
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
