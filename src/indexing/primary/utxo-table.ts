/**
 * Unspent outputs of closed batches in flat memory, the newest of them: 164 bytes each, a ninth of
 * what objects take, and nothing for the garbage collector to walk.
 *
 * The store has them all, so the table may leave out what it likes: outputs of none or of several
 * addresses, and spent ones; and, as keys come from chains, where anybody may choose them, those
 * whose hash meets too many others.
 */

import type { ChainName, KnownUtxo } from './ledger-rows.ts'

/** A bounded table of outputs that were made on a chain and can be spent there. */
export type UtxoTable = {
  readonly chain: ChainName
  /** Most outputs kept. */
  readonly limit: number
  /** Entries from 1 on: views of one buffer. */
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly words: Int32Array
  readonly doubles: Float64Array
  readonly bigs: BigUint64Array
  /** First entry of each bucket, and after each entry the next of its bucket, or of the free. */
  readonly heads: Int32Array
  readonly next: Int32Array
  /** Neighbours in the order of arrival. */
  readonly older: Int32Array
  readonly newer: Int32Array
  oldest: number
  newest: number
  free: number
  /** Entries that were ever in use. */
  used: number
  size: number
  /** The asset kept last, nearly always the one of every output: they share its array. */
  asset: Uint8Array
  readonly assetWords: Int32Array
}

// An entry by offset in bytes, or in words of 4 or 8: the key (id, index), traits, asset, threshold,
// address; then numbers of 8 bytes. Traits are the output's type above two bits.
const entryBytes = 144
const entryWords = entryBytes / 4
const entryDoubles = entryBytes / 8
const keyWords = 9
const indexByte = 32
const indexWord = 8
const traitsWord = 9
const assetWord = 10
const assetSize = 8
const thresholdWord = 18
const addressByte = 76
const addressSize = 20
const numberDouble = 12
const createdDouble = 13
const returnedDouble = 14
const amountDouble = 15
const locktimeDouble = 16
const stakeableDouble = 17
const stakedBit = 1
const returnedBit = 2

// There are at least twice as many buckets as entries: of ids nobody chose, none has this many.
const mostInBucket = 16

/** An empty table of at most `limit` outputs; memory is taken as they come. */
export function newUtxoTable(chain: ChainName, limit: number): UtxoTable {
  const buffer = new ArrayBuffer((limit + 1) * entryBytes)
  return {
    chain,
    limit,
    bytes: new Uint8Array(buffer),
    view: new DataView(buffer),
    words: new Int32Array(buffer),
    doubles: new Float64Array(buffer),
    bigs: new BigUint64Array(buffer),
    heads: new Int32Array(2 ** Math.ceil(Math.log2(Math.max(2, 2 * limit)))),
    next: new Int32Array(limit + 1),
    older: new Int32Array(limit + 1),
    newer: new Int32Array(limit + 1),
    oldest: 0,
    newest: 0,
    free: 0,
    used: 0,
    size: 0,
    asset: new Uint8Array(4 * assetSize),
    assetWords: new Int32Array(assetSize),
  }
}

/** Whether the output with this `outputKeyOf` is kept. */
export function isKept(table: UtxoTable, key: string): boolean {
  return entryOf(table, key) !== 0
}

/**
 * A kept output by its `outputKeyOf`. As from the store, `returned` says when, and not by what.
 * Its bytes are its own, but for an asset's id that many outputs share.
 */
export function keptUtxo(table: UtxoTable, key: string): KnownUtxo | undefined {
  const entry = entryOf(table, key)
  return entry === 0 ? undefined : utxoAt(table, entry)
}

/** Keeps an output that is not kept yet, over the oldest when there is no room, or leaves it out. */
export function keepUtxo(table: UtxoTable, key: string, utxo: KnownUtxo): void {
  const address = utxo.owner.addresses[0]
  const isPlain = utxo.consumed === undefined && utxo.owner.addresses.length === 1
  if (table.limit === 0 || address === undefined || !isPlain) return
  const bucket = bucketOf(table, wordIn(key, 0), wordIn(key, indexByte))
  let met = 0
  for (let one = table.heads[bucket] ?? 0; one !== 0; one = table.next[one] ?? 0) met++
  if (met >= mostInBucket) return
  if (table.size === table.limit) drop(table, table.oldest)
  const entry = takeFree(table)
  for (let at = 0; at < keyWords; at++) {
    table.words[entry * entryWords + at] = wordIn(key, 4 * at)
  }
  writeFields(table, entry, utxo)
  table.bytes.set(address, entry * entryBytes + addressByte)
  table.next[entry] = table.heads[bucket] ?? 0
  table.heads[bucket] = entry
  table.older[entry] = table.newest
  table.newer[entry] = 0
  if (table.newest === 0) table.oldest = entry
  else table.newer[table.newest] = entry
  table.newest = entry
  table.size++
}

/** Drops an output by its `outputKeyOf`, when it is kept. */
export function dropUtxo(table: UtxoTable, key: string): void {
  const entry = entryOf(table, key)
  if (entry !== 0) drop(table, entry)
}

/** The word of a key that begins at byte `at`. */
function wordIn(key: string, at: number): number {
  return (
    key.charCodeAt(at) |
    (key.charCodeAt(at + 1) << 8) |
    (key.charCodeAt(at + 2) << 16) |
    (key.charCodeAt(at + 3) << 24)
  )
}

/** The bucket of a key, by its index and the first 32 bits of its id. */
function bucketOf(table: UtxoTable, first: number, index: number): number {
  return mix(mix(index) ^ first) & (table.heads.length - 1)
}

function mix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return mixed ^ (mixed >>> 16)
}

/** The entry of a key; 0 when it is not kept. */
function entryOf(table: UtxoTable, key: string): number {
  if (table.size === 0) return 0
  const { words, next } = table
  const first = wordIn(key, 0)
  let entry = table.heads[bucketOf(table, first, wordIn(key, indexByte))] ?? 0
  // Most that are met are others, and their first word says so.
  while (entry !== 0 && !(words[entry * entryWords] === first && holds(words, entry, key))) {
    entry = next[entry] ?? 0
  }
  return entry
}

function holds(words: Int32Array, entry: number, key: string): boolean {
  const from = entry * entryWords
  for (let at = 1; at < keyWords; at++) if (words[from + at] !== wordIn(key, 4 * at)) return false
  return true
}

function takeFree(table: UtxoTable): number {
  const { free } = table
  if (free === 0) return ++table.used
  table.free = table.next[free] ?? 0
  return free
}

function drop(table: UtxoTable, entry: number): void {
  const { heads, next, older, newer, words } = table
  const word = entry * entryWords
  const bucket = bucketOf(table, words[word] ?? 0, words[word + indexWord] ?? 0)
  const after = next[entry] ?? 0
  let before = heads[bucket] ?? 0
  if (before === entry) {
    heads[bucket] = after
  } else {
    while (next[before] !== entry) before = next[before] ?? 0
    next[before] = after
  }
  const olderOne = older[entry] ?? 0
  const newerOne = newer[entry] ?? 0
  if (olderOne === 0) table.oldest = newerOne
  else newer[olderOne] = newerOne
  if (newerOne === 0) table.newest = olderOne
  else older[newerOne] = olderOne
  next[entry] = table.free
  table.free = entry
  table.size--
}

function writeFields(table: UtxoTable, entry: number, utxo: KnownUtxo): void {
  const { words, doubles, bigs } = table
  const word = entry * entryWords
  const double = entry * entryDoubles
  const { owner, returned } = utxo
  words[word + traitsWord] =
    (utxo.outputType << 2) |
    (utxo.staked ? stakedBit : 0) |
    (returned === undefined ? 0 : returnedBit)
  if (table.asset !== utxo.assetId) {
    table.asset = utxo.assetId
    new Uint8Array(table.assetWords.buffer).set(utxo.assetId)
  }
  words.set(table.assetWords, word + assetWord)
  words[word + thresholdWord] = owner.threshold
  doubles[double + numberDouble] = utxo.number
  doubles[double + createdDouble] = utxo.createdTime
  doubles[double + returnedDouble] = returned?.time ?? 0
  bigs[double + amountDouble] = utxo.amount
  bigs[double + locktimeDouble] = owner.locktime
  bigs[double + stakeableDouble] = utxo.stakeableLocktime
}

function utxoAt(table: UtxoTable, entry: number): KnownUtxo {
  const { chain, bytes, view, words, doubles, bigs } = table
  const from = entry * entryBytes
  const word = entry * entryWords
  const double = entry * entryDoubles
  const traits = words[word + traitsWord] ?? 0
  const address = from + addressByte
  const time = doubles[double + returnedDouble] ?? 0
  return {
    number: doubles[double + numberDouble] ?? 0,
    txId: bytes.slice(from, from + indexByte),
    outputIndex: view.getUint32(from + indexByte),
    assetId: assetAt(table, entry),
    outputType: traits >>> 2,
    amount: bigs[double + amountDouble] ?? 0n,
    owner: {
      locktime: bigs[double + locktimeDouble] ?? 0n,
      threshold: (words[word + thresholdWord] ?? 0) >>> 0,
      addresses: [bytes.slice(address, address + addressSize)],
    },
    stakeableLocktime: bigs[double + stakeableDouble] ?? 0n,
    createdOn: chain,
    consumableOn: chain,
    createdTime: doubles[double + createdDouble] ?? 0,
    staked: (traits & stakedBit) !== 0,
    returned:
      (traits & returnedBit) === 0 ? undefined : { height: 0, time, rewardTxId: new Uint8Array() },
    consumed: undefined,
  }
}

function assetAt(table: UtxoTable, entry: number): Uint8Array {
  const { words, assetWords } = table
  const from = entry * entryWords + assetWord
  for (let at = 0; at < assetSize; at++) {
    if (words[from + at] !== assetWords[at]) {
      return table.bytes.slice(4 * from, 4 * (from + assetSize))
    }
  }
  return table.asset
}
