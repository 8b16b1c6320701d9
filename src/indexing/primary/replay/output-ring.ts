/**
 * Outputs of one chain in flat memory, spent or not, the newest of them: some 120 bytes each, and
 * nothing for the garbage collector to walk.
 *
 * Entries lie in a ring in the order they came. Within a batch it grows; when the batch is closed,
 * the oldest beyond the limit are forgotten: the store has them. Each bucket is a list of entries,
 * since `FlatTable` cannot give a place back without moving others. Ids come from chains, where with
 * patience and fees anybody may choose the part of them that decides their bucket: a search that
 * meets many entries is slow, and still right.
 */

import { f64At, i32At, u64At, u8At } from '../../../core/item-at.ts'
import type { ChainName, KeptOutput } from '../batch/ledger-rows.ts'

/** A bounded ring of outputs that were made on a chain and can be spent there. */
export type OutputRing = {
  readonly chain: ChainName
  /** Most outputs kept between batches. */
  readonly limit: number
  /** Entries there is room for, a power of 2. */
  capacity: number
  /** Entries: views of one buffer. */
  bytes: Uint8Array
  words: Int32Array
  doubles: Float64Array
  bigs: BigUint64Array
  /** First entry of each bucket plus 1. */
  heads: Int32Array
  /** Of each entry two words: the next of its bucket plus 1, and its hash. */
  links: Int32Array
  /** Number of outputs that came so far, and of those that were forgotten. */
  came: number
  gone: number
  /** Addresses of outputs with none or several, by number of the output. */
  readonly others: Map<number, readonly Uint8Array[]>
}

// An entry by offset in bytes, or in words of 4 or 8: id, index, address, flags; then numbers of 8
// bytes.
const entryBytes = 96
const entryWords = entryBytes / 4
const entryDoubles = entryBytes / 8
const idWords = 8
const indexWord = 8
const addressByte = 36
const flagsWord = 14
const numberDouble = 8
const createdDouble = 9
const traitsDouble = 10
const amountDouble = 11
const plainBit = 8

const firstCapacity = 1_024

/** An empty ring that keeps `limit` outputs between batches. */
export function newOutputRing(chain: ChainName, limit: number): OutputRing {
  return { chain, limit, ...room(firstCapacity), came: 0, gone: 0, others: new Map() }
}

function room(
  capacity: number,
): Pick<OutputRing, 'bytes' | 'words' | 'doubles' | 'bigs' | 'heads' | 'links' | 'capacity'> {
  const buffer = new ArrayBuffer(capacity * entryBytes)
  return {
    capacity,
    bytes: new Uint8Array(buffer),
    words: new Int32Array(buffer),
    doubles: new Float64Array(buffer),
    bigs: new BigUint64Array(buffer),
    heads: new Int32Array(2 * capacity),
    links: new Int32Array(2 * capacity),
  }
}

/** The entry of an output; -1 when it is not kept. */
export function findOutput(ring: OutputRing, txId: Uint8Array, outputIndex: number): number {
  const { words, heads, links } = ring
  const hash = hashOf(wordOf(txId, 0), outputIndex)
  let entry = i32At(heads, hash & (heads.length - 1)) - 1
  // Most that are met are others, and their hashes, which lie closer together, say so.
  while (entry !== -1 && !(links[2 * entry + 1] === hash && holds(words, entry, txId, outputIndex)))
    entry = i32At(links, 2 * entry) - 1
  return entry
}

function holds(words: Int32Array, entry: number, txId: Uint8Array, outputIndex: number): boolean {
  const from = entry * entryWords
  if (words[from + indexWord] !== (outputIndex | 0)) return false
  for (let at = 0; at < idWords; at++) if (words[from + at] !== wordOf(txId, 4 * at)) return false
  return true
}

/** Adds an output and gives its entry; -1 when there is one of its name. */
export function addOutput(
  ring: OutputRing,
  output: KeptOutput,
  addresses: readonly Uint8Array[],
): number {
  if (findOutput(ring, output.txId, output.outputIndex) !== -1) return -1
  if (ring.came - ring.gone === ring.capacity) {
    // Twice the room; entries keep their place in the order of arrival.
    const { words, links, gone, came, capacity: before } = ring
    Object.assign(ring, room(before * 2))
    // As many as lie side by side before and after.
    for (let one = gone; one < came;) {
      const from = one & (before - 1)
      const count = Math.min(came - one, before - from)
      const to = one & (2 * before - 1)
      ring.words.set(
        words.subarray(from * entryWords, (from + count) * entryWords),
        to * entryWords,
      )
      one += count
    }
    for (let one = gone; one < came; one++)
      link(ring, one & (2 * before - 1), i32At(links, 2 * (one & (before - 1)) + 1))
  }
  const entry = ring.came++ & (ring.capacity - 1)
  const { words, doubles, bigs } = ring
  const word = entry * entryWords
  const double = entry * entryDoubles
  const { txId } = output
  for (let at = 0; at < idWords; at++) words[word + at] = wordOf(txId, 4 * at)
  words[word + indexWord] = output.outputIndex
  link(ring, entry, hashOf(wordOf(txId, 0), output.outputIndex))
  let { flags } = output
  const [address] = addresses
  if (address !== undefined && addresses.length === 1) {
    flags |= plainBit
    ring.bytes.set(address, entry * entryBytes + addressByte)
  } else ring.others.set(output.number, addresses)
  words[word + flagsWord] = flags
  doubles[double + numberDouble] = output.number
  doubles[double + createdDouble] = output.createdAt
  doubles[double + traitsDouble] = output.traits
  bigs[double + amountDouble] = output.amount
  return entry
}

/** Forgets the oldest beyond the limit, of the first `stored` that came. */
export function trimOutputs(ring: OutputRing, stored: number): void {
  const mask = ring.capacity - 1
  const until = Math.min(stored, ring.came - ring.limit)
  for (; ring.gone < until; ring.gone++) {
    const entry = ring.gone & mask
    unlink(ring, entry)
    if (addressAt(ring, entry) === -1) ring.others.delete(numberAt(ring, entry))
  }
}

/** Number of an entry's output. */
export function numberAt(ring: OutputRing, entry: number): number {
  return f64At(ring.doubles, entry * entryDoubles + numberDouble)
}

/** When it was made, Unix seconds. */
export function createdAtAt(ring: OutputRing, entry: number): number {
  return f64At(ring.doubles, entry * entryDoubles + createdDouble)
}

/** Its traits, as `packTraits` says. */
export function traitsAt(ring: OutputRing, entry: number): number {
  return f64At(ring.doubles, entry * entryDoubles + traitsDouble)
}

/** Its amount. */
export function amountAt(ring: OutputRing, entry: number): bigint {
  return u64At(ring.bigs, entry * entryDoubles + amountDouble)
}

/** Bits of `outputFlags`, and none other. */
export function flagsAt(ring: OutputRing, entry: number): number {
  return i32At(ring.words, entry * entryWords + flagsWord) & (plainBit - 1)
}

/** Adds a bit of `outputFlags`. */
export function flagOutput(ring: OutputRing, entry: number, flag: number): void {
  const word = entry * entryWords + flagsWord
  ring.words[word] = i32At(ring.words, word) | flag
}

/**
 * Where in `ring.bytes` the 20 bytes of its only address begin; -1 when it has none or several.
 */
export function addressAt(ring: OutputRing, entry: number): number {
  const flags = i32At(ring.words, entry * entryWords + flagsWord)
  return (flags & plainBit) === 0 ? -1 : entry * entryBytes + addressByte
}

/** Makes an entry the first of its bucket. */
function link({ heads, links }: OutputRing, entry: number, hash: number): void {
  const bucket = hash & (heads.length - 1)
  links[2 * entry] = i32At(heads, bucket)
  links[2 * entry + 1] = hash
  heads[bucket] = entry + 1
}

function unlink({ heads, links }: OutputRing, entry: number): void {
  const bucket = i32At(links, 2 * entry + 1) & (heads.length - 1)
  const after = i32At(links, 2 * entry)
  let before = i32At(heads, bucket) - 1
  if (before === entry) {
    heads[bucket] = after
    return
  }
  while (links[2 * before] !== entry + 1) before = i32At(links, 2 * before) - 1
  links[2 * before] = after
}

/**
 * The hash of an output, by its index and the first 32 bits of its transaction's id. The outputs of
 * one transaction are neighbours, whose buckets the processor has at hand after the first.
 */
function hashOf(first: number, index: number): number {
  return (mix(first) + index) | 0
}

function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return mixed ^ (mixed >>> 16)
}

function wordOf(id: Uint8Array, at: number): number {
  return (
    u8At(id, at) | (u8At(id, at + 1) << 8) | (u8At(id, at + 2) << 16) | (u8At(id, at + 3) << 24)
  )
}
