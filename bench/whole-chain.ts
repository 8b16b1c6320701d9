/**
 * Needs of a whole chain, reckoned from figures that were measured here: bytes, hours, disk, memory.
 * Prints the tables of `docs/guide/whole-chains.md`.
 *
 *     node bench/whole-chain.ts
 */

/** A chain to be indexed. All counts are assumed, see the page. */
type Chain = {
  readonly name: string
  readonly blocks: number
  readonly txs: number
  readonly transfers: number
  readonly addresses: number
  /** Addresses times the tokens each of them ever held. */
  readonly pairs: number
}

const cChain: Chain = {
  name: 'the C-Chain',
  blocks: 75e6,
  txs: 1.1e9,
  transfers: 3.5e9,
  addresses: 60e6,
  pairs: 400e6,
}
const l1: Chain = {
  name: 'an L1',
  blocks: 5e6,
  txs: 10e6,
  transfers: 10e6,
  addresses: 1e6,
  pairs: 3e6,
}
const l1s = 100

/** Bytes in segments, `bench/growth-once.ts at-once 18519 rich off`: a million transfers. */
const segmentBytes = {
  // A header; what is left of 1,622 for a block of 40 transactions is their call data.
  block: 90,
  tx: 38.3 + 63.2 + 7.4 + 2 * 2.75,
  // The row, two entries by address, one by token, 1.81 changes of balances.
  transfer: 19 + 2 * 2.73 + 2.6 + 1.81 * 13.84,
  pair: 3.99,
}
/** Bytes in the tables that grow beside them: an address by its number, and its number. */
const addressBytes = 38 + 31.7

/** Transactions and transfers of a commit: `goodBatchRows`. */
const commitRows = 80_000
const segmentsMerged = 8
const pageBytes = 16_384
const logBytes = 2 ** 30
/** Pages that the system keeps in memory, assumed. */
const cacheBytes = 4 * 2 ** 30

/**
 * A backfill of plain transfers that was measured, `bench/growth.ts 16000000 plain off /tmp at-once`:
 * counted in its tables, and bytes written a transfer until its log and merges were finished.
 */
const measuredChain: Chain = {
  name: 'plain transfers of the benchmark',
  blocks: 80_000,
  txs: 3_200_000,
  transfers: 16_000_000,
  addresses: 204_997,
  pairs: 11_521_693,
}
const measuredWritten = 203

/** Microseconds of processor: of the writer, of decoding, of checks, of merging for each tier. */
const us = { write: 9, decode: 7.5, check: 6.5, merge: 4 }
/** Assumed: what a node answers, and what a disk writes and finds. */
const assumed = { blocksPerSecond: 600, diskBytesPerSecond: 500e6, diskReadsPerSecond: 50_000 }

type Reckoned = {
  readonly segments: number
  readonly tables: number
  readonly tiers: number
  readonly segmentsWritten: number
  /** Each new address is at a random place. */
  readonly tablesWritten: number
  readonly pagesRead: number
}

function reckoned(chain: Chain): Reckoned {
  const { blocks, txs, transfers, pairs } = chain
  const segments =
    blocks * segmentBytes.block +
    txs * segmentBytes.tx +
    transfers * segmentBytes.transfer +
    pairs * segmentBytes.pair
  const tables = chain.addresses * addressBytes
  const commits = Math.ceil((txs + transfers) / commitRows)
  const tiers = Math.ceil(Math.log(commits) / Math.log(segmentsMerged))
  const { written, read } = changesOfTables(tables, commits, chain.addresses / commits)
  const segmentsWritten = segments * (1 + tiers)
  return { segments, tables, tiers, segmentsWritten, tablesWritten: written, pagesRead: read }
}

/**
 * Pages of tables that grow evenly to `bytes`, of which each of `commits` changes `changes` at random:
 * into the log, and into the file whenever the log is full. Pages beyond those that memory holds are
 * read first.
 */
function changesOfTables(
  bytes: number,
  commits: number,
  changes: number,
): { readonly written: number; readonly read: number } {
  const steps = 100
  let written = 0
  let read = 0
  for (let step = 0; step < steps; step++) {
    const pages = ((step + 0.5) / steps) * (bytes / pageBytes)
    const changed = distinct(pages, changes)
    const commitsPerFold = Math.max(1, logBytes / pageBytes / changed)
    const folded = distinct(pages, changes * commitsPerFold) / commitsPerFold
    written += (commits / steps) * (changed + folded) * pageBytes
    const cached = Math.min(1, cacheBytes / pageBytes / pages)
    read += (commits / steps) * changed * (1 - cached)
  }
  return { written, read }
}

/** Pages of `pages` that `changes` at random places touch. */
function distinct(pages: number, changes: number): number {
  return pages * (1 - Math.exp(-changes / pages))
}

const gb = 1e9
const hours = 3_600

/** Figures of a chain; those that say `a transfer` or `tiers` do not add up over several. */
function figures(chain: Chain): Readonly<Record<string, number>> {
  const { segments, tables, tiers, segmentsWritten, tablesWritten, pagesRead } = reckoned(chain)
  const { txs, transfers, blocks } = chain
  const written = segmentsWritten + tablesWritten
  // Times were measured a transfer, on a chain with 0.74 transactions for each.
  const units = (txs + transfers) / 1.74
  const workUs = us.write + us.decode + us.check + us.merge * tiers
  return {
    'kept in segments, GB': segments / gb,
    'kept in tables, GB': tables / gb,
    'bytes kept a transfer': (segments + tables) / transfers,
    'tiers of segments': tiers,
    'written for segments, GB': segmentsWritten / gb,
    'written for tables, GB': tablesWritten / gb,
    'bytes written a transfer': written / transfers,
    'processor, hours of one core': (units * workUs) / 1e6 / hours,
    'the disk writes, hours': written / assumed.diskBytesPerSecond / hours,
    'the disk finds pages, hours': pagesRead / assumed.diskReadsPerSecond / hours,
    'the node answers, hours': blocks / assumed.blocksPerSecond / hours,
  }
}

function whole(value: number): string {
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US')
}

const one = figures(cChain)
const each = figures(l1)
const rows = Object.keys(one).map((name) => {
  const ofOne = one[name] ?? Number.NaN
  const ofEach = each[name] ?? Number.NaN
  const isRatio = /a transfer|tiers/.test(name)
  return [name, whole(ofOne), whole(isRatio ? ofEach : ofEach * l1s)]
})
const table = [['', cChain.name, `${l1s} L1s`], ...rows]
const widths = [0, 1, 2].map((at) => Math.max(...table.map((row) => row[at]?.length ?? 0)))
const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
const [head = [], ...body] = table
const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
console.log([line(head), rule, ...body.map(line)].join('\n'))
const known = figures(measuredChain)['bytes written a transfer']
console.error(
  `${measuredChain.name}: ${whole(known ?? 0)} bytes written a transfer reckoned, ${measuredWritten} measured`,
)
