/**
 * Fields of a C-Chain block besides its EVM transactions: header fields and extra data.
 *
 * A block is RLP: [header, transactions, uncles, version, extra data]. Of the header only the first
 * sixteen fields are read; they never moved. Source: avalanchego graft/coreth core/types.
 */

import { extraDataHash } from '../../codec/evm/proof/header-hash.ts'
import { equalBytes, isZero } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import { keccak256 } from '../../core/hash.ts'
import { u8At } from '../../core/item-at.ts'
import type { CBlock } from './primary-source.ts'

/** One RLP item: its content, and its place with its own head. */
type Item = {
  readonly list: boolean
  readonly from: number
  readonly content: number
  readonly until: number
}

const parentField = 0
const numberField = 8
const timeField = 11
const extraHashField = 15
const extraItem = 4

/** The block of RLP bytes, proposer left open. Throws `bad-bytes`. */
export function readEvmBlock(bytes: Uint8Array): Omit<CBlock, 'proposer'> {
  const whole = itemAt(bytes, 0, bytes.length)
  if (!whole.list || whole.until !== bytes.length) throw notEvm()
  const [header, transactions, ...rest] = itemsIn(bytes, whole)
  const extra = rest[extraItem - 2]
  if (header === undefined || transactions === undefined || !header.list || !transactions.list)
    throw notEvm()
  const fields = itemsIn(bytes, header)
  const parent = fields[parentField]
  if (parent === undefined || parent.until - parent.content !== 32) throw notEvm()
  const extraData = extra === undefined ? new Uint8Array() : bytes.slice(extra.content, extra.until)
  const wanted = fields[extraHashField]
  if (wanted === undefined) throw notEvm()
  checkExtraData(extraData, bytes.subarray(wanted.content, wanted.until))
  return {
    height: integerOf(bytes, fields[numberField]),
    blockId: keccak256(bytes.subarray(header.from, header.until)),
    parentId: bytes.slice(parent.content, parent.until),
    time: integerOf(bytes, fields[timeField]),
    sizeBytes: bytes.length,
    transactionCount: itemsIn(bytes, transactions).length,
    extraData,
  }
}

/**
 * That extra data is what the header says. Headers before Apricot Phase 1 say nothing: nodes have tables of
 * their own. Throws `bad-bytes`. Source: graft/coreth/plugin/evm/wrapped_block.go.
 */
export function checkExtraData(extraData: Uint8Array, wanted: Uint8Array): void {
  if (isZero(wanted) || equalBytes(wanted, extraDataHash(extraData))) return
  throw new Fault('bad-bytes', 'extra data of a C-Chain block is not that of its header')
}

/** Returns whether bytes are a block of the EVM chain. */
export function isEvmBlock(bytes: Uint8Array): boolean {
  try {
    readEvmBlock(bytes)
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === 'bad-bytes') return false
    throw error
  }
}

function itemsIn(bytes: Uint8Array, list: Item): Item[] {
  const items: Item[] = []
  for (let at = list.content; at < list.until;) {
    const item = itemAt(bytes, at, list.until)
    items.push(item)
    at = item.until
  }
  return items
}

function itemAt(bytes: Uint8Array, at: number, end: number): Item {
  const head = bytes[at]
  if (head === undefined) throw notEvm()
  if (head < 0x80) return { list: false, from: at, content: at, until: at + 1 }
  const list = head >= 0xc0
  const short = list ? 0xc0 : 0x80
  const lengthBytes = head - short > 55 ? head - short - 55 : 0
  const content = at + 1 + lengthBytes
  let size = head - short
  if (lengthBytes > 0) {
    size = 0
    for (let place = at + 1; place < content; place++) size = size * 256 + u8At(bytes, place)
  }
  if (content + size > end) throw notEvm()
  return { list, from: at, content, until: content + size }
}

function integerOf(bytes: Uint8Array, item: Item | undefined): number {
  if (item === undefined || item.until - item.content > 6) throw notEvm()
  let value = 0
  for (let at = item.content; at < item.until; at++) value = value * 256 + u8At(bytes, at)
  return value
}

function notEvm(): Fault {
  return new Fault('bad-bytes', 'not a block of the C-Chain')
}
