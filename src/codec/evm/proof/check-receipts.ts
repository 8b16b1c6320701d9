/**
 * True when receipts are those the header commits to.
 *
 * Catches altered statuses and amounts, lost and invented logs. `check-block.ts` cannot find these
 * where a block agrees with itself.
 */

import { concatBytes } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { keccak256 } from '../../../core/hash.ts'
import { u8At } from '../../../core/item-at.ts'
import { isHexOf, hexNumberOr, hexQuantity, hexNumber, hexText, writeHex } from '../hex.ts'
import {
  type RawLog,
  type RawReceipt,
  type RawUnit,
  listOf,
  objectOf,
  type RawBlock,
  type RawTx,
} from '../raw.ts'
import { OrderedList } from './ordered-root.ts'
import { type RlpWriter, headRoom, stringSize, threadWriter } from './rlp-writer.ts'
import { headSize, createdAddress } from './rlp.ts'

/** As much of a receipt as its root covers. */
type Receipt = RawReceipt & { readonly type?: unknown; readonly logsBloom?: unknown }

/**
 * Checks the receipts of a block against its header. Throws `node-answer`.
 *
 * Nothing is checked where execution comes after acceptance (saevm): there the header commits to
 * receipts of other blocks, see {@link joinedRoot}.
 */
export function checkReceipts(unit: RawUnit, height: number): void {
  const { block } = unit
  if (block.settledHeight !== undefined || block.receiptsRoot === undefined) return
  const root = receiptsRoot(unit.receipts)
  if (isHexOf(block.receiptsRoot, root)) return
  throw new Fault('node-answer', `receipts are not those of the header at height ${height}`, {
    detail: { height },
  })
}

/** Root a header commits to its receipts with. Throws `node-answer` for anything but a receipt. */
export function receiptsRoot(receipts: readonly unknown[]): Uint8Array {
  const writer = threadWriter()
  const list = new OrderedList(writer, receipts.length)
  for (const receipt of receipts) {
    const from = list.begin()
    list.end(writeReceipt(writer, objectOf(receipt, 'receipt'), from))
  }
  return list.root()
}

/** Receipts of a block as they are hashed, kept until a later header commits to them. */
export type PackedReceipts = {
  readonly bytes: Uint8Array
  /** Where each receipt ends. */
  readonly ends: readonly number[]
}

/** Packs the receipts of a block. Throws `node-answer` for anything but a receipt. */
export function packReceipts(receipts: readonly unknown[]): PackedReceipts {
  const writer = threadWriter()
  const parts: Uint8Array[] = []
  const ends: number[] = []
  let size = 0
  for (const receipt of receipts) {
    writer.clear()
    writer.skip(headRoom)
    const start = writeReceipt(writer, objectOf(receipt, 'receipt'), writer.at)
    parts.push(writer.bytes.slice(start, writer.at))
    size += writer.at - start
    ends.push(size)
  }
  return { bytes: concatBytes(...parts), ends }
}

/** Root over the receipts of several blocks as one list, as headers after Helicon have it. */
export function joinedRoot(blocks: readonly PackedReceipts[]): Uint8Array {
  const writer = threadWriter()
  const count = blocks.reduce((sum, { ends }) => sum + ends.length, 0)
  const list = new OrderedList(writer, count)
  for (const { bytes, ends } of blocks) {
    let start = 0
    for (const end of ends) {
      const from = list.begin()
      writer.raw(bytes.subarray(start, end))
      list.end(from)
      start = end
    }
  }
  return list.root()
}

/** Writes a receipt whose fields begin at `from`. Returns where it begins, a head before them. */
function writeReceipt(writer: RlpWriter, receipt: Receipt, from: number): number {
  expectHex(writer.quantity(receipt.status), 'status')
  expectHex(writer.quantity(receipt.cumulativeGasUsed), 'cumulative gas')
  expectHex(writer.string(receipt.logsBloom), 'logs bloom')
  const logs = listOf(receipt.logs, 'logs')
  const sizes: LogSize[] = []
  let size = 0
  for (const log of logs) {
    const sized = sizeOfLog(objectOf(log, 'log'))
    sizes.push(sized)
    size += headSize(sized.fields) + sized.fields
  }
  writer.head(size, 0xc0)
  for (const sized of sizes) {
    const { log, topics, topicsSize, fields } = sized
    writer.head(fields, 0xc0)
    expectHex(writer.string(log.address), 'log address')
    writer.head(topicsSize, 0xc0)
    for (const topic of topics) expectHex(writer.string(topic), 'topic')
    expectHex(writer.string(log.data), 'log data')
  }
  const start = writer.headBefore(from, 0xc0)
  const type = hexNumberOr(receipt.type, 0, 'receipt type')
  if (type === 0) return start
  writer.bytes[start - 1] = type
  return start - 1
}

/** A log and the bytes of its lists, without their heads. */
type LogSize = {
  readonly log: RawLog
  readonly topics: readonly unknown[]
  readonly topicsSize: number
  readonly fields: number
}

function sizeOfLog(log: RawLog): LogSize {
  const topics = listOf(log.topics, 'topics')
  let topicsSize = 0
  for (const topic of topics) topicsSize += stringSize(topic)
  const fields = stringSize(log.address) + headSize(topicsSize) + topicsSize + stringSize(log.data)
  return { log, topics, topicsSize, fields }
}

function expectHex(written: boolean, what: string): void {
  if (!written) throw new Fault('node-answer', `${what} is not hex`)
}

// Checks the fields of a receipt that its root does not cover: all follow from the transaction, the
// header and the receipt before, so they are worked out again and compared.
//
// The one thing that follows from nothing cheap is the sender: block and receipt must name the same
// one.

/** A transaction with its receipt, and the gas that its block had used before it. */
type Pair = {
  readonly block: RawBlock
  readonly tx: RawTx
  readonly receipt: RawReceipt
  readonly gasBefore: number
  readonly height: number
}

/** Gas used by the block up to this transaction. Throws `node-answer`. */
export function checkDerived(pair: Pair): number {
  const { tx, receipt, gasBefore, height } = pair
  const gasUntil = hexNumber(receipt.cumulativeGasUsed, 'cumulative gas')
  if (hexNumber(receipt.gasUsed, 'gas used') !== gasUntil - gasBefore)
    throw differing('gas used', height)
  if (!sameOrAbsent(receipt.from, tx.from)) throw differing('sender of a receipt', height)
  if (!sameOrAbsent(receipt.to, tx.to)) throw differing('receiver of a receipt', height)
  if (!isPriceOf(pair)) throw differing('gas price of a receipt', height)
  if (!isCreatedBy(pair)) throw differing('created contract', height)
  return gasUntil
}

/** The fault of a node whose answer contradicts the block. */
export function differing(what: string, height: number): Fault {
  return new Fault('node-answer', `${what} does not match at height ${height}`, {
    detail: { height },
  })
}

/** Both absent in a creation; a node may leave the second out altogether. */
function sameOrAbsent(repeated: unknown, given: unknown): boolean {
  if (repeated === undefined || repeated === given) return true
  if (typeof repeated !== 'string' || typeof given !== 'string') return repeated === (given ?? null)
  return repeated.toLowerCase() === given.toLowerCase()
}

/**
 * The price paid for gas: what the sender offers, or base fee and tip up to the cap.
 *
 * Where execution comes after acceptance (saevm) the header's base fee is the most that it can
 * become. Source: libevm core/types/tx_dynamic_fee.go effectiveGasPrice; avalanchego
 * vms/saevm/README.md.
 */
function isPriceOf({ block, tx, receipt }: Pair): boolean {
  const given = integer(receipt.effectiveGasPrice ?? tx.gasPrice, 'gas price')
  if (typeof tx.maxFeePerGas !== 'string')
    return tx.gasPrice === undefined || given === integer(tx.gasPrice, 'gas price')
  const most = integer(tx.maxFeePerGas, 'fee cap')
  const { baseFeePerGas } = block
  if (baseFeePerGas === undefined || baseFeePerGas === null) return given <= most
  const tip = integer(tx.maxPriorityFeePerGas ?? '0x0', 'tip cap')
  const offered = integer(baseFeePerGas, 'base fee') + tip
  const price = offered < most ? offered : most
  return block.settledHeight === undefined ? given === price : given <= price
}

function integer(value: unknown, what: string): bigint {
  const text = hexText(value, what)
  if (!/^0x[0-9a-f]+$/i.test(text)) throw new Fault('node-answer', `${what} is not hex`)
  return BigInt(text)
}

function isCreatedBy({ tx, receipt }: Pair): boolean {
  const { contractAddress } = receipt
  const isNone = contractAddress === undefined || contractAddress === null
  if (tx.to !== undefined && tx.to !== null) return isNone
  // A creation that failed created nothing; most nodes name the address all the same.
  if (isNone) return receipt.status === '0x0'
  const nonce = hexQuantity(tx.nonce)
  if (nonce === undefined) throw new Fault('node-answer', 'nonce is not hex')
  return isHexOf(contractAddress, createdAddress(hexText(tx.from, 'sender'), nonce))
}

// The bloom filter of a header: three bits for each address and topic of the logs of a block.
//
// Source: Ethereum yellow paper, section 4.3.1; libevm core/types/bloom9.go.

/** 2,048 bits. */
const bloomBytes = 256

/**
 * Returns whether the bloom in a header is that of the logs of its block; `none` without logs, and
 * where execution comes after acceptance (saevm): there it is of other blocks. Throws
 * `node-answer`.
 */
export function compareBloom(unit: RawUnit): 'none' | 'hold' | 'broken' {
  const { block } = unit
  if (block.settledHeight !== undefined) return 'none'
  const bloom = logsBloom(unit.receipts)
  if (!isHexOf(block.logsBloom, bloom)) return 'broken'
  return bloom.some((byte) => byte !== 0) ? 'hold' : 'none'
}

/** Bloom over all logs of `receipts`. Throws `node-answer` for anything but a receipt or log. */
export function logsBloom(receipts: readonly unknown[]): Uint8Array {
  // The same token and topic come again and again: half of what a block hashes else.
  const seen = new Set<unknown>()
  for (const each of receipts) {
    const receipt: RawReceipt = objectOf(each, 'receipt')
    for (const one of listOf(receipt.logs, 'logs')) {
      const log: RawLog = objectOf(one, 'log')
      seen.add(log.address)
      for (const topic of listOf(log.topics, 'topics')) seen.add(topic)
    }
  }
  const bloom = new Uint8Array(bloomBytes)
  // The first three words of the hash of each name a bit, counted from the last.
  for (const each of seen) {
    const item = hexText(each, 'address or topic')
    const bytes = Buffer.allocUnsafe((item.length - 2) >>> 1)
    writeHex(item, { from: 2, until: 2 + bytes.length * 2 }, bytes, 0)
    const hash = keccak256(bytes)
    for (let at = 0; at < 6; at += 2) {
      const bit = ((u8At(hash, at) << 8) | u8At(hash, at + 1)) & 2_047
      const byte = bloomBytes - 1 - (bit >>> 3)
      bloom[byte] = u8At(bloom, byte) | (1 << (bit & 7))
    }
  }
  return bloom
}
