/**
 * Blocks with receipts into columns.
 *
 * Runs off the writer's thread, on what `JSON.parse` gives. Hex is read once, straight into
 * typed arrays. Inputs of a block are compressed here, one frame for all of its transactions:
 * the input of transaction `i` is the decompressed bytes from Σ `input_length` of the
 * transactions before it, `input_length` of its own long.
 */

import type { GrowingColumns } from '../../core/columns.ts'
import { Fault } from '../../core/fault.ts'
import { AddressBook } from './columns/address-book.ts'
import { noAddress } from './columns/column-kinds.ts'
import {
  type BlockBatch,
  type blockTable,
  loggingBlockTable,
  loggingTxTable,
  logTable,
  type LogBatch,
} from './columns/columns.ts'
import { Bytes } from './columns/growing.ts'
import { type Compress, GrowingBatch } from './growing-batch.ts'
import { hexNumber, hexNumberClamped, hexNumberOr, hexText, hexWord } from './hex.ts'
import { type CheckedUnit, checkParent, checkUnit } from './proof/check-block.ts'
import {
  type RawBlock,
  type RawReceipt,
  type RawTx,
  type RawUnit,
  listOf,
  type RawLog,
} from './raw.ts'

/** Input bytes of one block that are taken; 134 million gas pay for more. All bounds: docs/guide/evm-data.md. */
const maxInputBytes = 32 * 1024 * 1024

/**
 * Decodes blocks from height `from` on: all of `raws`, or those before the first that is not as
 * it must be, never none.
 *
 * Faults, of the first block: `node-answer` for what cannot be true, `node-not-yet` for receipts
 * that are not there.
 */
export function decodeBlocks(
  from: number,
  raws: readonly RawUnit[],
  compress: Compress,
): BlockBatch {
  const units = goodUnits(from, raws)
  const decoder = new BlockDecoder(units, compress)
  for (const [row, unit] of units.entries())
    try {
      decoder.add(unit)
    } catch (error) {
      if (row > 0 && error instanceof Fault) return decodeBlocks(from, raws.slice(0, row), compress)
      throw error
    }
  return decoder.batch.finish(from)
}

/** The units before the first that contradicts itself or the one before it. */
function goodUnits(from: number, raws: readonly RawUnit[]): CheckedUnit[] {
  const units: CheckedUnit[] = []
  for (const raw of raws) {
    const height = from + units.length
    try {
      const unit = checkUnit(raw, height)
      const before = units.at(-1)
      if (before !== undefined) checkParent(unit.block, before.block.hash, height)
      units.push(unit)
    } catch (error) {
      if (units.length > 0 && error instanceof Fault) return units
      throw error
    }
  }
  return units
}

/** Columns of one batch while it is decoded. */
class BlockDecoder {
  readonly batch: GrowingBatch

  constructor(units: readonly CheckedUnit[], compress: Compress) {
    let txCount = 0
    let logCount = 0
    for (const unit of units) {
      txCount += unit.txs.length
      logCount += unit.logCount
    }
    this.batch = new GrowingBatch({ blocks: units.length, txs: txCount, logs: logCount }, compress)
  }

  add(unit: CheckedUnit): void {
    const row = this.batch.blocks.timestamp.length
    pushHeader(this.batch.blocks, unit.block, unit.txs.length)
    const inputs = new Bytes(unit.txs.length * 128)
    for (let index = 0; index < unit.txs.length; index++) {
      const tx = this.batch.txs.block.length
      this.batch.txs.block.push(row)
      this.#transaction(unit.txs[index] ?? {}, inputs)
      this.#receipt(unit.txs[index] ?? {}, unit.receipts[index] ?? {})
      for (const log of unit.logs[index] ?? []) this.batch.logs.add(log, tx)
    }
    if (inputs.length > maxInputBytes)
      throw new Fault('node-answer', `inputs of a block are too long: ${inputs.length}`)
    this.batch.addInputs(inputs)
  }

  #transaction(tx: RawTx, inputs: Bytes): void {
    const all = this.batch.txs
    all.hash.pushHex(tx.hash, 'transaction hash', 32)
    all.from.push(this.batch.addresses.idOf(tx.from, 'sender'))
    all.to.push(this.#optional(tx.to, 'receiver'))
    all.value.pushQuantity(tx.value, 'value')
    all.gasLimit.pushQuantity(tx.gas, 'gas')
    const dynamic = typeof tx.maxFeePerGas === 'string'
    all.hasMaxFee.push(dynamic ? 1 : 0)
    if (dynamic) {
      all.maxFee.pushQuantity(tx.maxFeePerGas, 'fee cap')
      all.maxPriorityFee.pushQuantity(tx.maxPriorityFeePerGas ?? '0x0', 'tip cap')
    } else {
      all.maxFee.pushEmpty()
      all.maxPriorityFee.pushEmpty()
    }
    all.nonce.push(hexNumberClamped(tx.nonce, 'nonce'))
    all.type.push(hexNumberOr(tx.type, 0, 'transaction type'))
    const input = hexText(tx.input, 'input')
    all.inputLength.push(inputs.pushHex(input, 'input'))
    all.selector.push(selectorOf(input))
  }

  #receipt(tx: RawTx, receipt: RawReceipt): void {
    const all = this.batch.txs
    all.created.push(this.#optional(receipt.contractAddress, 'created contract'))
    all.gasUsed.push(hexNumber(receipt.gasUsed, 'gas used'))
    all.gasPrice.pushQuantity(receipt.effectiveGasPrice ?? tx.gasPrice, 'gas price')
    // Avalanche receipts always have a status; chains without one only kept what succeeded.
    all.status.push(hexNumberOr(receipt.status, 1, 'status'))
  }

  #optional(address: unknown, what: string): number {
    return address === null || address === undefined
      ? noAddress
      : this.batch.addresses.idOf(address, what)
  }
}

/** Adds the row of a header. Throws `node-answer`. */
function pushHeader(
  all: GrowingColumns<typeof blockTable.kinds>,
  block: RawBlock,
  txCount: number,
): void {
  all.hash.pushHex(block.hash, 'block hash', 32)
  all.parentHash.pushHex(block.parentHash, 'parent hash', 32)
  all.timestamp.push(hexNumber(block.timestamp, 'timestamp'))
  all.timestampMs.push(hexNumberOr(block.timestampMilliseconds, -1, 'timestamp'))
  all.gasUsed.push(hexNumber(block.gasUsed, 'gas used'))
  all.gasLimit.pushQuantity(block.gasLimit, 'gas limit')
  const hasBaseFee = block.baseFeePerGas !== undefined && block.baseFeePerGas !== null
  all.hasBaseFee.push(hasBaseFee ? 1 : 0)
  if (hasBaseFee) all.baseFee.pushQuantity(block.baseFeePerGas, 'base fee')
  else all.baseFee.pushEmpty()
  all.blockGasCost.push(hexNumberOr(block.blockGasCost, 0, 'block gas cost'))
  all.minDelayExcess.push(hexNumberOr(block.minDelayExcess, -1, 'minimum delay'))
  all.txCount.push(txCount)
}

/** First four bytes of an input as an integer, missing bytes zero. */
function selectorOf(input: string): number {
  return input.length >= 10 ? hexWord(input, 2) : hexWord(input.slice(2).padEnd(8, '0'), 0)
}

/** The EVM has LOG0 to LOG4. */
const maxTopics = 4

/**
 * Logs of the blocks from height `from` on. Throws `node-answer` for what cannot be true,
 * `node-not-yet` for receipts that are not there.
 */
export function decodeAllLogs(from: number, raws: readonly RawUnit[]): LogBatch {
  const units = raws.map((raw, row) => checkUnit(raw, from + row))
  const count = units.reduce((sum, { logCount }) => sum + logCount, 0)
  const addresses = new AddressBook(count + 16)
  const arena = new Bytes(count * 160)
  const all = logTable.growing(count, arena)
  const blocks = loggingBlockTable.growing(units.length, arena)
  const txs = loggingTxTable.growing(count, arena)
  for (const [block, unit] of units.entries()) {
    if (unit.logCount === 0) continue
    blocks.block.push(block)
    blocks.hash.pushHex(unit.block.hash, 'block hash', 32)
    blocks.timestamp.push(hexNumber(unit.block.timestamp, 'timestamp'))
    for (const [txIndex, logs] of unit.logs.entries()) {
      if (logs.length === 0) continue
      txs.block.push(block)
      txs.txIndex.push(txIndex)
      txs.hash.pushHex(unit.txs[txIndex]?.hash, 'transaction hash', 32)
      for (const log of logs) {
        all.block.push(block)
        all.txIndex.push(txIndex)
        all.logIndex.push(hexNumber(log.logIndex, 'log index'))
        all.address.push(addresses.idOf(log.address, 'log address'))
        const start = arena.length
        pushTopics(arena, log)
        all.topics.pushFrom(start)
        all.data.pushHex(log.data, 'log data')
      }
    }
  }
  return {
    kind: 'logs',
    from,
    until: from + units.length,
    logs: logTable.taken(all),
    blocks: loggingBlockTable.taken(blocks),
    txs: loggingTxTable.taken(txs),
    arena: arena.taken(),
    addresses: addresses.taken(),
  }
}

function pushTopics(arena: Bytes, { topics }: RawLog): void {
  for (const topic of listOf(topics, 'topics').slice(0, maxTopics))
    arena.pushHex(topic, 'topic', 32)
}
