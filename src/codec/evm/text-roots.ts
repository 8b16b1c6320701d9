/**
 * Roots over transactions and receipts from the text of a reply, and where the bytes lie that were
 * written for them: columns copy these, so that no digit is read twice.
 *
 * Throws {@link notPlain} for what it cannot tell.
 */

import { i32At } from '../../core/item-at.ts'
import { OrderedList } from './ordered-root.ts'
import { headSize } from './rlp-head.ts'
import { absent, isNull } from './text-elements.ts'
import { notPlain, type TextMemory } from './text-memory.ts'
import { countOf, logNames, receiptNames, topicStep, txNames, type TextUnit } from './text-unit.ts'

/** Place of the slots of a value among those of its object. */
function slotsOf<const N extends string>(names: readonly N[]): Readonly<Record<N, number>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys come from names
  return Object.fromEntries(names.map((name, at) => [name, at * 2])) as Record<N, number>
}
export const txSlots = slotsOf(txNames)
export const receiptSlots = slotsOf(receiptNames)
export const logSlots = slotsOf(logNames)
export const txWidth = txNames.length * 2
export const receiptWidth = receiptNames.length * 2
export const logWidth = logNames.length * 2

/** Places of the bytes of a transaction, in this order; after `value` each with its end. */
export const txPlaces = { hash: 0, from: 1, to: 2, value: 3, maxFee: 5, tip: 7, input: 9 } as const
export const txPlaceWidth = 11
/** Of a log: address, first topic (others 33 bytes after each), data and its end. */
export const logPlaceWidth = 4

/** The unit whose text lies in the memory. */
export class TextRoots {
  readonly memory: TextMemory
  readonly count: number
  readonly txs: Int32Array
  readonly receipts: Int32Array
  readonly logs: Int32Array
  readonly logEnds: Int32Array
  readonly txPlaces: Int32Array
  readonly logPlaces: Int32Array

  /** Loads the text of `unit`. */
  constructor(memory: TextMemory, unit: TextUnit) {
    const { text, textReceipts } = unit
    this.memory = memory
    const home = memory.load(Math.max(text.body.length, textReceipts.body.length))
    for (const { body, from, until } of [text, textReceipts])
      memory.bytes.set(body.subarray(from, until), home + from)
    this.txs = text.txs
    this.receipts = textReceipts.receipts
    this.logs = textReceipts.logs
    this.logEnds = textReceipts.logEnds
    this.count = countOf(this.txs, txNames)
    if (countOf(this.receipts, receiptNames) !== this.count) throw notPlain
    this.txPlaces = new Int32Array(this.count * txPlaceWidth)
    this.logPlaces = new Int32Array(countOf(this.logs, logNames) * logPlaceWidth)
  }

  /** Root of the receipts. */
  receiptsRoot(): Uint8Array {
    const list = new OrderedList(this.memory.writer, this.count)
    for (let index = 0, log = 0; index < this.count; index++) {
      const base = index * receiptWidth
      const from = list.begin()
      this.#quantity(this.receipts, base + receiptSlots.status)
      this.#quantity(this.receipts, base + receiptSlots.cumulativeGasUsed)
      this.#string(this.receipts, base + receiptSlots.logsBloom)
      this.#expectList(this.receipts, base + receiptSlots.logs)
      const end = i32At(this.logEnds, index)
      let size = 0
      for (let each = log; each < end; each++) {
        const fields = this.#logFields(each)
        size += headSize(fields) + fields
      }
      this.memory.writeHead(size, 0xc0)
      for (; log < end; log++) this.#writeLog(log)
      list.end(this.#typed(from, this.typeOf(this.receipts, base + receiptSlots.type)))
    }
    return list.root()
  }

  /** Root of the transactions; their hashes are those that the node tells. */
  transactionsRoot(): Uint8Array {
    const { memory, count } = this
    const { writer } = memory
    const list = new OrderedList(writer, count)
    const hashes = writer.skip(count * 32)
    for (let index = 0; index < count; index++) {
      const from = list.begin()
      const start = this.#writeTransaction(index, from)
      writer.memory.add(start, writer.at - start, hashes + index * 32)
      list.end(start)
    }
    const root = list.root()
    for (let index = 0; index < count; index++) {
      const base = index * txWidth
      const hash = this.#fixed(this.txs, base + txSlots.hash, 32)
      if (!memory.same(hash, hashes + index * 32, 32)) throw notPlain
      const place = index * txPlaceWidth
      this.txPlaces[place + txPlaces.hash] = hash
      this.txPlaces[place + txPlaces.from] = this.#fixed(this.txs, base + txSlots.from, 20)
    }
    return root
  }

  /** Returns whether there is no value, or `null`; throws for `true` and `false`. */
  isAbsent(slots: Int32Array, slot: number): boolean {
    const from = i32At(slots, slot)
    if (from < isNull) throw notPlain
    return from === absent || from === isNull
  }

  number(slots: Int32Array, slot: number): number {
    return this.memory.number(i32At(slots, slot), i32At(slots, slot + 1))
  }

  /** A type that may be missing. */
  typeOf(slots: Int32Array, slot: number): number {
    return this.isAbsent(slots, slot) ? 0 : this.number(slots, slot)
  }

  #writeTransaction(index: number, from: number): number {
    const { txs } = this
    const base = index * txWidth
    const place = index * txPlaceWidth
    const type = this.typeOf(txs, base + txSlots.type)
    if (type > 2) throw notPlain
    for (const slot of unwantedSlots) if (i32At(txs, base + slot) !== absent) throw notPlain
    if (type > 0) this.#quantity(txs, base + txSlots.chainId)
    this.#quantity(txs, base + txSlots.nonce)
    if (type === 2) {
      this.#quantity(txs, base + txSlots.maxPriorityFeePerGas)
      this.#keep(place + txPlaces.tip)
      this.#quantity(txs, base + txSlots.maxFeePerGas)
      this.#keep(place + txPlaces.maxFee)
    } else {
      if (!this.isAbsent(txs, base + txSlots.maxFeePerGas)) throw notPlain
      this.#quantity(txs, base + txSlots.gasPrice)
    }
    this.#quantity(txs, base + txSlots.gas)
    if (this.isAbsent(txs, base + txSlots.to)) this.memory.writeHead(0, 0x80)
    else {
      if (i32At(txs, base + txSlots.to + 1) - i32At(txs, base + txSlots.to) !== 42) throw notPlain
      this.#string(txs, base + txSlots.to)
      this.txPlaces[place + txPlaces.to] = this.memory.itemAt
    }
    this.#quantity(txs, base + txSlots.value)
    this.#keep(place + txPlaces.value)
    this.#string(txs, base + txSlots.input)
    this.#keep(place + txPlaces.input)
    this.#writeEnd(base, type)
    return this.#typed(from, type)
  }

  /** List of accesses, which is empty, and signature. */
  #writeEnd(base: number, type: number): void {
    const { txs } = this
    if (type > 0) {
      const list = base + txSlots.accessList
      if (!this.isAbsent(txs, list)) {
        this.#expectList(txs, list)
      }
      this.memory.writeHead(0, 0xc0)
    }
    const hasParity = type > 0 && !this.isAbsent(txs, base + txSlots.yParity)
    this.#quantity(txs, base + (hasParity ? txSlots.yParity : txSlots.v))
    this.#quantity(txs, base + txSlots.r)
    this.#quantity(txs, base + txSlots.s)
  }

  #logFields(log: number): number {
    const base = log * logWidth
    const { logs, memory } = this
    this.#expectList(logs, base + logSlots.topics)
    const topics = this.topicCount(log) * 33
    const data = base + logSlots.data
    return (
      21 + headSize(topics) + topics + memory.sizeOfString(i32At(logs, data), i32At(logs, data + 1))
    )
  }

  /** Number of topics of a log. */
  topicCount(log: number): number {
    const slot = log * logWidth + logSlots.topics
    // Two brackets, and a comma less than there are topics.
    return Math.floor((i32At(this.logs, slot + 1) - i32At(this.logs, slot)) / topicStep)
  }

  #writeLog(log: number): void {
    const { memory, logs, logPlaces } = this
    const base = log * logWidth
    memory.writeHead(this.#logFields(log), 0xc0)
    const address = base + logSlots.address
    if (i32At(logs, address + 1) - i32At(logs, address) !== 42) throw notPlain
    this.#string(logs, address)
    logPlaces[log * logPlaceWidth] = memory.itemAt
    const count = this.topicCount(log)
    memory.writeHead(count * 33, 0xc0)
    logPlaces[log * logPlaceWidth + 1] = memory.writer.at + 1
    let at = i32At(logs, base + logSlots.topics) + 2
    for (let topic = 0; topic < count; topic++, at += topicStep) memory.writeString(at, at + 66)
    this.#string(logs, base + logSlots.data)
    logPlaces[log * logPlaceWidth + 2] = memory.itemAt
    logPlaces[log * logPlaceWidth + 3] = memory.writer.at
  }

  /** Puts the head of a list and the type before what is written from `from` on. */
  #typed(from: number, type: number): number {
    const start = this.memory.writer.headBefore(from, 0xc0)
    if (type === 0) return start
    if (type > 127) throw notPlain
    this.memory.bytes[start - 1] = type
    return start - 1
  }

  #keep(place: number): void {
    this.txPlaces[place] = this.memory.itemAt
    this.txPlaces[place + 1] = this.memory.writer.at
  }

  #quantity(slots: Int32Array, slot: number): void {
    this.memory.writeQuantity(i32At(slots, slot), i32At(slots, slot + 1))
  }

  #string(slots: Int32Array, slot: number): void {
    this.memory.writeString(i32At(slots, slot), i32At(slots, slot + 1))
  }

  #fixed(slots: Int32Array, slot: number, size: number): number {
    return this.memory.writeFixed(i32At(slots, slot), i32At(slots, slot + 1), size)
  }

  /** That a value is a list: behind a colon, not behind a quote. */
  #expectList(slots: Int32Array, slot: number): void {
    const from = i32At(slots, slot)
    if (from < 0 || this.memory.view.getUint8(from - 1) !== 58) throw notPlain
  }
}

const unwantedSlots = [txSlots.blobs, txSlots.blobVersionedHashes, txSlots.authorizationList]
