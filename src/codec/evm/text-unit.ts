/**
 * Blocks and receipts as the text of a reply, with the places of their values.
 *
 * The text is JSON to its last byte and of the plain form of nodes; what it says is unproven.
 */

import { u8At } from '../../core/item-at.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import { firstFree } from './keccak-code.ts'
import { listOf, objectOf, type RawBlock, type RawUnit } from './raw.ts'
import { ElementKind } from './text-elements.ts'
import { isNotPlain, maxTextBytes, notPlain, type TextMemory } from './text-memory.ts'
import { threadText } from './thread-memory.ts'

/** Values that are read of a transaction. */
export const txNames = [
  'hash',
  'from',
  'to',
  'value',
  'gas',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'nonce',
  'type',
  'input',
  'chainId',
  'v',
  'yParity',
  'r',
  's',
  'blockHash',
  'transactionIndex',
  'accessList',
  'blobs',
  'blobVersionedHashes',
  'authorizationList',
] as const

/** Values that are read of a receipt. */
export const receiptNames = [
  'transactionHash',
  'transactionIndex',
  'blockHash',
  'from',
  'to',
  'status',
  'contractAddress',
  'gasUsed',
  'cumulativeGasUsed',
  'effectiveGasPrice',
  'logsBloom',
  'type',
  'logs',
] as const

/** Values that are read of a log. */
export const logNames = ['address', 'topics', 'data', 'logIndex'] as const

/** Characters of a topic with its quotes and comma. */
export const topicStep = 69

/** A block in the text of a reply. */
export class TextBlock {
  readonly body: Uint8Array
  readonly from: number
  readonly until: number
  /** The block without its transactions. */
  readonly header: RawBlock
  readonly txs: Int32Array

  constructor(part: Omit<TextBlock, 'parsed'>) {
    this.body = part.body
    this.from = part.from
    this.until = part.until
    this.header = part.header
    this.txs = part.txs
  }

  /** The block as `JSON.parse` gives it. */
  parsed(): RawBlock {
    return objectOf(jsonOf(this.body.subarray(this.from, this.until)), 'block')
  }
}

/** Receipts of a block in the text of a reply. */
export class TextReceipts {
  readonly body: Uint8Array
  readonly from: number
  readonly until: number
  readonly receipts: Int32Array
  readonly logs: Int32Array
  /** Number of logs up to the end of each receipt. */
  readonly logEnds: Int32Array

  constructor(part: Omit<TextReceipts, 'parsed'>) {
    this.body = part.body
    this.from = part.from
    this.until = part.until
    this.receipts = part.receipts
    this.logs = part.logs
    this.logEnds = part.logEnds
  }

  /** The receipts as `JSON.parse` gives them. */
  parsed(): readonly unknown[] {
    return listOf(jsonOf(this.body.subarray(this.from, this.until)), 'receipts')
  }
}

/** A unit that is parsed only where objects are asked for. */
export class TextUnit implements RawUnit {
  readonly text: TextBlock
  readonly textReceipts: TextReceipts
  #block: RawBlock | undefined
  #receipts: readonly unknown[] | undefined

  constructor(text: TextBlock, textReceipts: TextReceipts) {
    this.text = text
    this.textReceipts = textReceipts
  }

  get block(): RawBlock {
    return (this.#block ??= this.text.parsed())
  }

  get receipts(): readonly unknown[] {
    return (this.#receipts ??= this.textReceipts.parsed())
  }
}

const idHead = Buffer.from('{"jsonrpc":"2.0","id":')
const resultHead = Buffer.from(',"result":')
const listHead = Buffer.from('"transactions":[')
const nameOfList = Buffer.from('"transactions"')

/** After so many replies in a row that are not plain one in so many is tried. */
const mostMisses = 8

/** Reads the replies of one chain's nodes, whose elements have their keys in the same order. */
export class TextReader {
  /** Replies since the last that was plain. */
  #misses = 0
  readonly #memory: TextMemory = threadText()
  readonly #txs = new ElementKind(txNames)
  readonly #receipts = new ElementKind(receiptNames, [['logs', (at) => this.#logList(at)]])
  readonly #logs = new ElementKind(logNames, [['topics', (at) => this.#topics(at)]])
  #slots = new Int32Array(4_096)
  #logSlots = new Int32Array(4_096)
  #logCount = 0
  #text: Buffer = Buffer.alloc(0)

  /**
   * Elements of a batch reply whose results are blocks with transactions (`TextBlock`) and lists of
   * receipts (`TextReceipts`); undefined where the text is not plainly that.
   */
  elements(body: Uint8Array): readonly unknown[] | undefined {
    if (body.length > maxTextBytes || !this.#isWorthwhile()) return undefined
    try {
      const elements = this.#read(body)
      this.#misses = 0
      return elements
    } catch (error) {
      this.#misses++
      if (isNotPlain(error)) return undefined
      throw error
    }
  }

  /** Returns whether the next reply may well be plain, by those before. */
  #isWorthwhile(): boolean {
    if (this.#misses < mostMisses || this.#misses % mostMisses === 0) return true
    this.#misses++
    return false
  }

  #read(body: Uint8Array): readonly unknown[] {
    const home = this.#memory.load(body.length)
    this.#memory.bytes.set(body, home)
    this.#text = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    for (const kind of [this.#txs, this.#receipts, this.#logs]) kind.begin()
    const elements: unknown[] = []
    let at = this.#byte(home, 91)
    for (;;) {
      at = this.#expect(at, idHead)
      const idFrom = at
      while (this.#isDigit(at)) at++
      const id = Number(this.#memory.textAt(idFrom, at))
      if (at === idFrom || String(id) !== this.#memory.textAt(idFrom, at)) throw notPlain
      at = this.#expect(at, resultHead)
      const result = this.#memory.view.getUint8(at) === 123 ? this.#block(at) : this.#list(at)
      elements.push({ id, result })
      at = this.#byte(firstFree + result.until, 125)
      if (this.#memory.view.getUint8(at) === 93) break
      at = this.#byte(at, 44)
    }
    at++
    if (this.#memory.view.getUint8(at) === 10) at++
    if (at !== home + body.length) throw notPlain
    return elements
  }

  /** The block at `from`; its header is parsed without its transactions. */
  #block(from: number): TextBlock {
    const { view } = this.#memory
    const start = this.#text.indexOf(listHead, from - firstFree)
    if (start < 0) throw notPlain
    const listFrom = firstFree + start + listHead.length
    let at = listFrom
    let count = 0
    if (view.getUint8(at) !== 93)
      for (;;) {
        const base = count++ * this.#txs.width
        this.#slots = roomFor(this.#slots, base + this.#txs.width)
        at = this.#txs.read(this.#memory, at, this.#slots, base)
        if (view.getUint8(at) === 93) break
        at = this.#byte(at, 44)
      }
    const end = this.#objectEnd(at + 1)
    const tail = this.#text.subarray(at - firstFree, end - firstFree)
    if (tail.includes(nameOfList)) throw notPlain
    const head = this.#memory.textAt(from, listFrom) + this.#memory.textAt(at, end)
    return new TextBlock({
      body: this.#text,
      from: from - firstFree,
      until: end - firstFree,
      header: headerOf(head),
      txs: this.#slots.slice(0, count * this.#txs.width),
    })
  }

  /** Where the object ends of which the rest begins at `from`, outside of any list. */
  #objectEnd(from: number): number {
    const { view } = this.#memory
    let isInside = false
    for (let at = from; ; at++) {
      const code = view.getUint8(at)
      if (code === 0) throw notPlain
      if (code === 34) isInside = !isInside
      else if (code === 125 && !isInside) return at + 1
    }
  }

  #list(from: number): TextReceipts {
    const { view } = this.#memory
    const ends: number[] = []
    this.#logCount = 0
    let at = this.#byte(from, 91)
    if (view.getUint8(at) !== 93)
      for (;;) {
        const base = ends.length * this.#receipts.width
        this.#slots = roomFor(this.#slots, base + this.#receipts.width)
        at = this.#receipts.read(this.#memory, at, this.#slots, base)
        ends.push(this.#logCount)
        if (view.getUint8(at) === 93) break
        at = this.#byte(at, 44)
      }
    return new TextReceipts({
      body: this.#text,
      from: from - firstFree,
      until: at + 1 - firstFree,
      receipts: this.#slots.slice(0, ends.length * this.#receipts.width),
      logs: this.#logSlots.slice(0, this.#logCount * this.#logs.width),
      logEnds: Int32Array.from(ends),
    })
  }

  #logList(from: number): number {
    const { view } = this.#memory
    let at = from + 1
    if (view.getUint8(at) === 93) return at + 1
    for (;;) {
      const base = this.#logCount++ * this.#logs.width
      this.#logSlots = roomFor(this.#logSlots, base + this.#logs.width)
      at = this.#logs.read(this.#memory, at, this.#logSlots, base)
      if (view.getUint8(at) === 93) return at + 1
      at = this.#byte(at, 44)
    }
  }

  /** Topics are texts of 32 bytes. */
  #topics(from: number): number {
    const { view } = this.#memory
    let at = from + 1
    if (view.getUint8(at) === 93) return at + 1
    for (;;) {
      at = this.#byte(at, 34)
      if (!this.#memory.isLongHex(at, at + 66)) throw notPlain
      at = this.#byte(at + 66, 34)
      if (view.getUint8(at) === 93) return at + 1
      at = this.#byte(at, 44)
    }
  }

  /** The place after the byte `code`, which must be at `at`. */
  #byte(at: number, code: number): number {
    if (this.#memory.view.getUint8(at) !== code) throw notPlain
    return at + 1
  }

  #expect(at: number, text: Uint8Array): number {
    for (let next = 0; next < text.length; next++) this.#byte(at + next, u8At(text, next))
    return at + text.length
  }

  #isDigit(at: number): boolean {
    const code = this.#memory.view.getUint8(at)
    return code >= 48 && code <= 57
  }
}

/** A header of texts, with lists that are empty. */
function headerOf(text: string): RawBlock {
  // oxlint-disable-next-line no-control-regex -- these make a text that is read otherwise
  if (/[^\x20-\x7e]|\\/.test(text)) throw notPlain
  const header = jsonOf(text)
  if (!isObject(header)) throw notPlain
  for (const value of Object.values(header)) {
    const isEmpty = Array.isArray(value) && value.length === 0
    if (typeof value !== 'string' && value !== null && !isEmpty) throw notPlain
  }
  // Receipts of these are proven by later blocks, from objects.
  if (header['settledHeight'] !== undefined) throw notPlain
  if (!Array.isArray(header['transactions'])) throw notPlain
  return header
}

function roomFor(slots: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> {
  if (size <= slots.length) return slots
  const grown = new Int32Array(Math.max(size, slots.length * 2))
  grown.set(slots)
  return grown
}

/** Number of transactions or receipts that `slots` have, of `names` each. */
export function countOf(slots: Int32Array, names: readonly string[]): number {
  return slots.length / (names.length * 2)
}
