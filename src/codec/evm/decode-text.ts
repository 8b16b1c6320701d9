/**
 * Blocks with receipts from the text of a reply into columns, proven on the way: the same columns
 * as `decode-blocks.ts` gives of the same text.
 *
 * Gives columns only of blocks that hashes prove: header, transactions and receipts. Whatever else
 * there may be, a contradiction or a form that is rare, is for `JSON.parse`, the checks and the
 * decoder of objects, which know the faults.
 */

import { Fault } from '../../core/fault.ts'
import { i32At } from '../../core/item-at.ts'
import { checkDerived } from './check-derived.ts'
import { noAddress } from './column-kinds.ts'
import type { BlockBatch } from './columns.ts'
import { maxInputBytes, pushHeader } from './decode-blocks.ts'
import { LogColumns } from './decode-logs.ts'
import { type Compress, GrowingBatch } from './growing-batch.ts'
import { Bytes } from './growing.ts'
import { compareHeader } from './header-hash.ts'
import { isHexOf } from './hex-bytes.ts'
import { hexNumber } from './hex.ts'
import type { RawBlock, RawLog, RawReceipt } from './raw.ts'
import { absent, isNull } from './text-elements.ts'
import { isNotPlain, notPlain } from './text-memory.ts'
import {
  logPlaceWidth,
  logSlots,
  logWidth,
  receiptSlots,
  receiptWidth,
  TextRoots,
  txPlaces,
  txPlaceWidth,
  txSlots,
  txWidth,
} from './text-roots.ts'
import { logNames, receiptNames, type TextUnit, topicStep, txNames } from './text-unit.ts'
import { threadText } from './thread-memory.ts'

/**
 * Columns of blocks from height `from` on, above 0; undefined where not all of them are proven by
 * their hashes and of the plain form.
 */
export function decodeText(
  from: number,
  units: readonly TextUnit[],
  compress: Compress,
): BlockBatch | undefined {
  if (from === 0) return undefined
  const decoder = new TextDecoding(units, compress)
  try {
    let parent: unknown
    for (const [row, unit] of units.entries()) {
      const { header } = unit.text
      if (hexNumber(header.number, 'block number') !== from + row) return undefined
      if (row > 0 && header.parentHash !== parent) return undefined
      parent = header.hash
      decoder.add(unit, from + row)
    }
  } catch (error) {
    if (isNotPlain(error) || error instanceof Fault) return undefined
    throw error
  }
  return decoder.batch.finish(from)
}

class TextDecoding {
  readonly batch: GrowingBatch

  constructor(units: readonly TextUnit[], compress: Compress) {
    let txCount = 0
    let logCount = 0
    for (const { text, textReceipts } of units) {
      txCount += text.txs.length / txWidth
      logCount += textReceipts.logs.length / logWidth
    }
    this.batch = new GrowingBatch({ blocks: units.length, txs: txCount, logs: logCount }, compress)
  }

  add(unit: TextUnit, height: number): void {
    const { header } = unit.text
    const roots = new TextRoots(threadText(), unit)
    if (header.settledHeight !== undefined || compareHeader(header) !== 'hold') throw notPlain
    if (!isHexOf(header.receiptsRoot, roots.receiptsRoot())) throw notPlain
    if (!isHexOf(header.transactionsRoot, roots.transactionsRoot())) throw notPlain
    const row = this.batch.blocks.timestamp.length
    pushHeader(this.batch.blocks, header, roots.count)
    const inputs = new Bytes(roots.count * 128)
    const block = new BlockText(roots, header, height)
    for (let index = 0, log = 0; index < roots.count; index++) {
      const gasUsed = block.checkPair(index)
      const tx = this.batch.txs.block.length
      this.batch.txs.block.push(row)
      this.#transaction(roots, index, inputs)
      this.#receipt(roots, index, gasUsed)
      for (const end = i32At(roots.logEnds, index); log < end; log++) this.#log(roots, log, tx)
    }
    if (block.gasUntil !== hexNumber(header.gasUsed, 'gas used')) throw notPlain
    if (inputs.length > maxInputBytes) throw notPlain
    this.batch.addInputs(inputs)
  }

  #transaction(roots: TextRoots, index: number, inputs: Bytes): void {
    const all = this.batch.txs
    const { txs, memory } = roots
    const { bytes, view } = memory
    const slot = index * txWidth
    const place = index * txPlaceWidth
    const at = (of: number): number => i32At(roots.txPlaces, place + of)
    all.hash.pushPart(bytes, at(txPlaces.hash), at(txPlaces.hash) + 32)
    all.from.push(this.batch.addresses.idOfBytes(view, at(txPlaces.from)))
    const to = at(txPlaces.to)
    all.to.push(to === 0 ? noAddress : this.batch.addresses.idOfBytes(view, to))
    all.value.pushPart(bytes, at(txPlaces.value), at(txPlaces.value + 1))
    all.gasLimit.push(roots.number(txs, slot + txSlots.gas))
    const isDynamic = at(txPlaces.maxFee) !== 0
    all.hasMaxFee.push(isDynamic ? 1 : 0)
    if (isDynamic) {
      all.maxFee.pushPart(bytes, at(txPlaces.maxFee), at(txPlaces.maxFee + 1))
      all.maxPriorityFee.pushPart(bytes, at(txPlaces.tip), at(txPlaces.tip + 1))
    } else {
      all.maxFee.pushEmpty()
      all.maxPriorityFee.pushEmpty()
    }
    all.nonce.push(roots.number(txs, slot + txSlots.nonce))
    all.type.push(roots.typeOf(txs, slot + txSlots.type))
    const input = at(txPlaces.input)
    const size = at(txPlaces.input + 1) - input
    inputs.pushPart(bytes, input, input + size)
    all.inputLength.push(size)
    let selector = 0
    for (let byte = 0; byte < 4; byte++)
      selector = (selector << 8) | (byte < size ? view.getUint8(input + byte) : 0)
    all.selector.push(selector >>> 0)
  }

  #receipt(roots: TextRoots, index: number, gasUsed: number): void {
    const all = this.batch.txs
    const { receipts, memory } = roots
    const slot = index * receiptWidth
    const { writer } = memory
    const back = writer.at
    const created = slot + receiptSlots.contractAddress
    if (roots.isAbsent(receipts, created)) all.created.push(noAddress)
    else {
      const at = memory.writeFixed(i32At(receipts, created), i32At(receipts, created + 1), 20)
      all.created.push(this.batch.addresses.idOfBytes(memory.view, at))
    }
    all.gasUsed.push(gasUsed)
    const price = slot + receiptSlots.effectiveGasPrice
    memory.writeQuantity(i32At(receipts, price), i32At(receipts, price + 1))
    all.gasPrice.pushPart(memory.bytes, memory.itemAt, writer.at)
    writer.at = back
    all.status.push(roots.number(receipts, slot + receiptSlots.status))
  }

  #log(roots: TextRoots, log: number, tx: number): void {
    const { logs, memory, logPlaces } = roots
    const slot = log * logWidth
    const count = roots.topicCount(log)
    if (count === 0) return
    const place = log * logPlaceWidth
    const first = i32At(logPlaces, place + 1)
    if (!LogColumns.isKnown(memory.view.getUint32(first))) return
    const data = i32At(logPlaces, place + 2)
    const size = i32At(logPlaces, place + 3) - data
    if (count === 3 && size >= 32 && LogColumns.isTransfer(memory.view, first)) {
      const places = { token: i32At(logPlaces, place), from: first + 45, to: first + 78, data }
      this.batch.logs.addTransfer(memory, places, {
        tx,
        logIndex: roots.number(logs, slot + logSlots.logIndex),
      })
      return
    }
    this.batch.logs.add(rawLog(roots, log), tx)
  }
}

/** A log as `JSON.parse` gives it, as far as it is read. */
function rawLog({ memory, logs }: TextRoots, log: number): RawLog {
  const told = object(memory, logs, log * logWidth, logNames)
  const topics: string[] = []
  const slot = log * logWidth + logSlots.topics
  const end = i32At(logs, slot + 1)
  for (let at = i32At(logs, slot) + 2; at < end; at += topicStep)
    topics.push(memory.textAt(at, at + 66))
  return { ...told, topics }
}

/** Lists: they are read by their places. */
const listNames: ReadonlySet<string> = new Set(['accessList', 'logs', 'topics'])

/** Values of an object that are texts or `null`. */
function object(
  memory: TextRoots['memory'],
  slots: Int32Array,
  base: number,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const told: Record<string, unknown> = {}
  for (const [at, name] of names.entries()) {
    const from = i32At(slots, base + at * 2)
    if (from === isNull) told[name] = null
    else if (from > 0 && memory.view.getUint8(from - 1) === 34)
      told[name] = memory.textAt(from, i32At(slots, base + at * 2 + 1))
    else if (from !== absent && !listNames.has(name)) throw notPlain
  }
  return told
}

/** Comparisons of what a block, its transactions and its receipts say twice. */
class BlockText {
  readonly #roots: TextRoots
  readonly #header: RawBlock
  readonly #height: number
  readonly #baseFee: number
  readonly #hash: string
  gasUntil = 0
  #logCount = 0

  constructor(roots: TextRoots, header: RawBlock, height: number) {
    this.#roots = roots
    this.#header = header
    this.#height = height
    const { baseFeePerGas, hash } = header
    this.#baseFee = typeof baseFeePerGas === 'string' ? hexNumber(baseFeePerGas, 'base fee') : -1
    if (typeof hash !== 'string') throw notPlain
    this.#hash = hash
  }

  /** Checks a transaction with its receipt. Returns the gas that it used. */
  checkPair(index: number): number {
    const roots = this.#roots
    const { txs, receipts } = roots
    const tx = index * txWidth
    const receipt = index * receiptWidth
    if (!this.#isSame(receipt + receiptSlots.transactionHash, tx + txSlots.hash)) throw notPlain
    this.#expectBlock(txs, tx + txSlots.blockHash, tx === 0)
    this.#expectBlock(receipts, receipt + receiptSlots.blockHash, false)
    if (roots.number(txs, tx + txSlots.transactionIndex) !== index) throw notPlain
    if (roots.number(receipts, receipt + receiptSlots.transactionIndex) !== index) throw notPlain
    const until = roots.number(receipts, receipt + receiptSlots.cumulativeGasUsed)
    const gasUsed = roots.number(receipts, receipt + receiptSlots.gasUsed)
    if (!this.#isPlainPair(tx, receipt, until - gasUsed)) this.#checkDerived(tx, receipt)
    this.gasUntil = until
    for (let log = this.#logCount; log < i32At(roots.logEnds, index); log++)
      if (roots.number(roots.logs, log * logWidth + logSlots.logIndex) !== log) throw notPlain
    this.#logCount = i32At(roots.logEnds, index)
    return gasUsed
  }

  /** Returns whether all that follows from a transaction is as it must be, without a look at rare cases. */
  #isPlainPair(tx: number, receipt: number, gasBefore: number): boolean {
    const roots = this.#roots
    const { txs, receipts } = roots
    if (gasBefore !== this.gasUntil || i32At(txs, tx + txSlots.to) <= 0) return false
    if (!this.#isSame(receipt + receiptSlots.from, tx + txSlots.from)) return false
    if (!this.#isSame(receipt + receiptSlots.to, tx + txSlots.to)) return false
    if (!roots.isAbsent(receipts, receipt + receiptSlots.contractAddress)) return false
    const price = roots.number(receipts, receipt + receiptSlots.effectiveGasPrice)
    if (roots.typeOf(txs, tx + txSlots.type) < 2)
      return price === roots.number(txs, tx + txSlots.gasPrice)
    if (this.#baseFee < 0) return false
    const most = roots.number(txs, tx + txSlots.maxFeePerGas)
    const offered = this.#baseFee + roots.number(txs, tx + txSlots.maxPriorityFeePerGas)
    return offered <= Number.MAX_SAFE_INTEGER && price === Math.min(offered, most)
  }

  #checkDerived(tx: number, receipt: number): void {
    const { memory, txs, receipts } = this.#roots
    const told: RawReceipt = object(memory, receipts, receipt, receiptNames)
    checkDerived({
      block: this.#header,
      tx: object(memory, txs, tx, txNames),
      receipt: told,
      gasBefore: this.gasUntil,
      height: this.#height,
    })
  }

  /** Returns whether a value of a receipt is that of the transaction, letter by letter. */
  #isSame(receiptSlot: number, txSlot: number): boolean {
    const { memory, txs, receipts } = this.#roots
    const one = i32At(receipts, receiptSlot)
    const other = i32At(txs, txSlot)
    const size = i32At(txs, txSlot + 1) - other
    if (one <= 0 || other <= 0 || i32At(receipts, receiptSlot + 1) - one !== size) return false
    return memory.same(one, other, size)
  }

  /** That a value is the hash of the block; all but the first are compared with the first. */
  #expectBlock(slots: Int32Array, slot: number, isFirst: boolean): void {
    const { memory, txs } = this.#roots
    const from = i32At(slots, slot)
    const until = i32At(slots, slot + 1)
    if (from <= 0 || until - from !== this.#hash.length) throw notPlain
    const isSame = isFirst
      ? memory.textAt(from, until) === this.#hash
      : memory.same(from, i32At(txs, txSlots.blockHash), until - from)
    if (!isSame) throw notPlain
  }
}
