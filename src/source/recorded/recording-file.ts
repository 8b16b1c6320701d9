/**
 * A recording: what a node said about a chain, in one file that can be written bit by bit.
 *
 * Layout: the 8 bytes `firnrec1`, then parts. A part is 21 bytes of head, all big-endian: kind
 * (1), first height (6), number of heights (4), bytes of content (4), bytes packed (4), check
 * (2); then the content packed with zstd. Contents are JSON: the header, one line per block
 * `{"block","receipts"}`, one line of traces per block, one line per state answer, or one line per
 * answer of a node with which the stores are compared. Parts stand in order of writing; a
 * part cut off at the end of the file is ignored, so a recorder may be stopped at any time.
 */

import { zstdDecompressSync } from 'node:zlib'

import { Fault } from '../../core/fault.ts'
import { u8At } from '../../core/item-at.ts'
import { jsonOf } from '../../core/json.ts'
import type { HeightRange } from '../evm-source.ts'

/** Kinds of parts. */
export const partKinds = { header: 1, blocks: 2, traces: 3, state: 4, answers: 5 } as const

/** A part's place in the file. */
export type Part = HeightRange & {
  readonly kind: number
  readonly at: number
  readonly packedBytes: number
}

/** First content of every recording. */
export type RecordingHeader = {
  readonly chainId: number
  readonly blockchainId?: string | undefined
  /** Hash of block 0, where the recording begins later. */
  readonly genesisHash?: string | undefined
  readonly name: string
  readonly symbol: string
  /** `web3_clientVersion` of the node that was recorded. */
  readonly nodeVersion: string
}

/** The first bytes of every recording. */
export const magic = Buffer.from('firnrec1', 'latin1')
/** Length of a part's head. */
export const headBytes = 21

/** Content of one part when unpacked: 64 blocks of the largest kind seen stay below. */
const maxContentBytes = 256 * 1024 * 1024

/** The parts of a recording in order. Throws `bad-bytes` for other files. */
export function listParts(file: Uint8Array): Part[] {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (bytes.length < magic.length || !bytes.subarray(0, magic.length).equals(magic))
    throw new Fault('bad-bytes', 'not a recording: the first bytes are not firnrec1')
  const parts: Part[] = []
  let at = magic.length
  while (at + headBytes <= bytes.length) {
    const head = bytes.subarray(at, at + headBytes)
    if (head.readUInt16BE(19) !== checkOf(head))
      throw new Fault('bad-bytes', `a part of the recording is damaged at offset ${at}`)
    const packedBytes = head.readUInt32BE(15)
    const start = at + headBytes
    if (start + packedBytes > bytes.length) break
    const from = head.readUIntBE(1, 6)
    parts.push({
      kind: head.readUInt8(0),
      from,
      until: from + head.readUInt32BE(7),
      at: start,
      packedBytes,
    })
    at = start + packedBytes
  }
  return parts
}

/** The lines of a part. Throws `bad-bytes` when it is damaged. */
export function linesOf(file: Uint8Array, part: Part): string[] {
  const packed = file.subarray(part.at, part.at + part.packedBytes)
  let content: Buffer
  try {
    content = zstdDecompressSync(packed, { maxOutputLength: maxContentBytes })
  } catch (cause) {
    throw new Fault('bad-bytes', `a part of the recording does not unpack at ${part.at}`, { cause })
  }
  return content.length === 0 ? [] : content.toString('utf8').split('\n')
}

/** The JSON value of such a line. Throws `bad-bytes`. */
export function valueOfLine(line: string): unknown {
  const value = jsonOf(line)
  if (value === undefined) throw new Fault('bad-bytes', 'a line of the recording is not JSON')
  return value
}

/** Sum over the head without the check itself: distinguishes a head from noise. */
export function checkOf(head: Uint8Array): number {
  let sum = 0x1d0f
  for (let at = 0; at < headBytes - 2; at++) sum = (sum * 31 + u8At(head, at)) & 0xffff
  return sum
}
