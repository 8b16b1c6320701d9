/**
 * True when receipts are those the header commits to.
 *
 * Catches altered statuses and amounts, lost and invented logs. `check-block.ts` cannot find these
 * where a block agrees with itself.
 */

import { concatBytes } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { isHexOf } from './hex-bytes.ts'
import { hexNumberOr } from './hex.ts'
import { OrderedList } from './ordered-root.ts'
import { type RawLog, type RawReceipt, type RawUnit, listOf, objectOf } from './raw.ts'
import { headSize } from './rlp-head.ts'
import { type RlpWriter, headRoom, stringSize, threadWriter } from './rlp-writer.ts'

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
  for (const sized of sizes) writeLog(writer, sized)
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

function writeLog(writer: RlpWriter, { log, topics, topicsSize, fields }: LogSize): void {
  writer.head(fields, 0xc0)
  expectHex(writer.string(log.address), 'log address')
  writer.head(topicsSize, 0xc0)
  for (const topic of topics) expectHex(writer.string(topic), 'topic')
  expectHex(writer.string(log.data), 'log data')
}

function expectHex(written: boolean, what: string): void {
  if (!written) throw new Fault('node-answer', `${what} is not hex`)
}
