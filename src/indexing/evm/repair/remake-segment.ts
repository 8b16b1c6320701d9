/**
 * Makes a segment again from a node's blocks: they are written into a store beside, whose history then freezes
 * as that of the chain did. Equal rows make equal bytes, so the name of what is made says whether it is the
 * segment that was lost, or that somebody says it is.
 */

import { rmSync } from 'node:fs'
import { zstdCompressSync } from 'node:zlib'

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { mergeBlocks, mergeTraces } from '../../../codec/evm/columns/merge-batches.ts'
import { decodeBlocks } from '../../../codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../../codec/evm/decode-traces.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { assert, Fault } from '../../../core/fault.ts'
import type { EvmSource, HeightRange } from '../../../source/evm-source.ts'
import {
  type Database,
  type Reader,
  statement,
  type Writer,
} from '../../../store/engine/database.ts'
import { freezeStage } from '../../../store/history/freeze.ts'
import type { ManifestSegment } from '../../../store/history/manifest.ts'
import { openStore } from '../../../store/open.ts'
import { address } from '../../../store/schema/evm.ts'
import { chainTables } from '../../../store/schema/stores.ts'
import type { Table } from '../../../store/schema/table.ts'
import type { BlockChecks } from '../read/block-checks.ts'
import { asContractsSay, KnownForms } from '../tokens/contract-forms.ts'
import { placeOfZero, writeFacts } from '../write/apply-blocks.ts'
import { writeInternals } from '../write/apply-traces.ts'
import { writeBalances } from '../write/balances.ts'
import { Interner } from '../write/intern.ts'
import { writeNftHoldings } from '../write/nft-rows.ts'

/** Blocks written at once. */
const blocksAtOnce = 256
/** Blocks whose traces are requested at once. */
const blocksOfTraces = 4

/** How blocks are read from a node. */
export type NodeReading = {
  readonly source: EvmSource
  readonly checks: BlockChecks
  /** Heights that have traces. */
  readonly traced: HeightRange
  /** Endpoints that are not used while others can be. */
  readonly otherThan?: readonly string[] | undefined
  readonly signal: AbortSignal
}

/** Reads blocks of a range and, where they have any, their traces. */
export type ReadBlocks = (range: HeightRange) => Promise<{
  readonly blocks: BlockBatch
  readonly traces: TraceBatch | undefined
}>

/** A segment to make again, and the blocks for it. */
export type Remaking = {
  /** The store whose segment it is; what lies below that segment must be whole. */
  readonly database: Database
  /** For a store beside it, which is gone afterwards; no other one has this folder. */
  readonly folder: string
  readonly read: ReadBlocks
  readonly signal: AbortSignal
}

/** Reads from a node, every block checked. Faults are those of the source. */
export function fromNode(reading: NodeReading): ReadBlocks {
  return async (range) => {
    const frames = both(range, reading.traced)
    return {
      blocks: await blocksFromNode(reading, range),
      traces: frames && (await tracesFromNode(reading, frames)),
    }
  }
}

/** Heights in both ranges; `undefined` where there are none. */
function both(one: HeightRange, other: HeightRange): HeightRange | undefined {
  const range = { from: Math.max(one.from, other.from), until: Math.min(one.until, other.until) }
  return range.from < range.until ? range : undefined
}

/**
 * Makes `segment` again in a store beside, and does `work` with its file and the name of that. It has another
 * name where `read` gives other rows than were written, or another SQLite or compressor made other bytes of
 * them. Throws `source-mismatch` where `read` names an address that the store does not know by that number, and
 * faults of `read` and of stores.
 */
export async function withRemade<T>(
  remaking: Remaking,
  segment: ManifestSegment,
  work: (made: { readonly path: string; readonly name: string }) => Promise<T>,
): Promise<T> {
  const { database, folder, signal } = remaking
  const older = database.historyBelow?.(segment.from)
  assert(older !== undefined, 'a store with segments reads them')
  rmSync(folder, { recursive: true, force: true })
  const place = { store: 'embedded', dataDir: folder, freeze: {} }
  const scratch = await openStore(place, database.name, chainTables, 'write')
  try {
    await fillScratch({ ...remaking, scratch, older }, segment)
    return await work(await frozen(scratch, segment, older))
  } finally {
    older.close()
    await scratch.close()
    // A killed process leaves its work unfinished: the next one begins with an empty folder.
    if (!signal.aborted) rmSync(folder, { recursive: true, force: true })
  }
}

async function fillScratch(
  of: Remaking & { readonly scratch: Database; readonly older: Reader },
  { from, until }: HeightRange,
): Promise<void> {
  const { scratch, older, read, signal } = of
  const interner = new Interner()
  const known = knownOnly(older)
  for (let at = from; at < until; at += blocksAtOnce) {
    signal.throwIfAborted()
    const range = { from: at, until: Math.min(until, at + blocksAtOnce) }
    const { blocks: batch, traces } = await read(range)
    const ids = await numbersOf(known, interner, batch.addresses)
    const internalIds = await numbersOf(known, interner, traces?.addresses ?? new Uint8Array())
    await scratch.transaction(async (writer) => {
      const into = frozenOnly(writer, older, from)
      const before = await into.get(lastTx, [range.from - 1])
      const heights = await writeFacts(into, { batch, ids }, Number(before?.[0] ?? 0))
      const zero = placeOfZero(batch.addresses)
      await writeBalances(into, { batch, ids, zero, heights, stored: Number.POSITIVE_INFINITY })
      await writeNftHoldings(into, { batch, ids, zero, heights }, interner)
      if (traces !== undefined) await writeInternals(into, traces, internalIds)
    })
  }
}

/** Numbers of addresses, which must stand for the same in both tables of addresses. */
async function numbersOf(
  known: Writer,
  interner: Interner,
  addresses: Uint8Array,
): Promise<Float64Array> {
  const ids = await interner.ids(known, addresses)
  const bytes = { table: address, key: ['id'], select: ['bytes'] } as const
  for (const [at, row] of (await known.lookup(bytes, [[...ids]])).entries())
    if (row === undefined || !equalBytes(row[0], addresses.subarray(at * 20, at * 20 + 20)))
      throw differs(`number ${ids[at]} stands for two addresses`)
  return ids
}

const lastTx = statement('select first_tx + tx_count from evm_block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})

async function frozen(
  scratch: Database,
  segment: ManifestSegment,
  older: Reader,
): Promise<{ readonly path: string; readonly name: string }> {
  const history = scratch.history
  assert(history !== undefined, 'the store beside freezes')
  return scratch.transaction(async (writer) => {
    const own = frozenOnly(writer, older, segment.from)
    const removing = { ...own, remove: writer.remove, upsert: writer.upsert }
    const made = await freezeStage({ writer: removing, history, recount: nothingLeft }, segment)
    assert(made !== undefined, 'the blocks of a segment were written')
    return { path: history.folder.pathOf(made.name), name: made.name }
  })
}

/**
 * The fault of blocks that do not make the stored rows: it is about the rows, not about a source
 * of another chain.
 */
export function differs(what: string): Fault {
  return new Fault('source-mismatch', what, { detail: { isDifference: true } })
}

/** Distinguishes it from others. */
export function isDifference(error: unknown): error is Fault {
  return error instanceof Fault && error.detail['isDifference'] === true
}

/** All blocks of the store beside become the segment. */
async function nothingLeft(): Promise<void> {}

/** Reads and writes addresses that have numbers; throws `source-mismatch` for others. */
function knownOnly(reader: Reader): Writer {
  const refuse = (): never => {
    throw differs('blocks name an address that the store does not know')
  }
  const insert: Writer['insert'] = (_, columns) =>
    Object.values(columns).every(({ length }) => length === 0) ? undefined : refuse()
  return {
    all: reader.all,
    get: reader.get,
    lookup: reader.lookup,
    run: refuse,
    insert,
    insertNew: refuse,
    upsert: refuse,
    update: refuse,
    remove: refuse,
    clear: refuse,
  }
}

/**
 * Writes rows of tables that freeze, and nothing else. Reads its own rows, and in `older` the block
 * before `from`.
 */
function frozenOnly(writer: Writer, older: Reader, from: number): Writer {
  const freezes = (table: Table): boolean => table.freezes !== undefined
  return {
    ...writer,
    get: async (question, parameters = []) => {
      const own = await writer.get(question, parameters)
      const isBefore = parameters.length === 1 && parameters[0] === from - 1
      return own === undefined && isBefore ? older.get(question, parameters) : own
    },
    insert: (table, columns) => (freezes(table) ? writer.insert(table, columns) : undefined),
    insertNew: (table, columns) => (freezes(table) ? writer.insertNew(table, columns) : undefined),
    upsert: () => undefined,
    update: () => undefined,
  }
}

async function blocksFromNode(
  { source, checks, otherThan, signal }: NodeReading,
  range: HeightRange,
): Promise<BlockBatch> {
  const batches: BlockBatch[] = []
  const known = new KnownForms()
  for (let from = range.from; from < range.until;) {
    const unit = { from, until: Math.min(range.until, from + source.unitBlocks()), otherThan }
    const batch = await source.blocks(
      unit,
      (units, origin) => {
        const good = checks.checkAll(units, { from: unit.from, origin, wants: () => true })
        return decodeBlocks(unit.from, good, zstdCompressSync)
      },
      signal,
    )
    await asContractsSay(batch, source, { known, signal })
    batches.push(batch)
    from = batch.until
  }
  return mergeBlocks(batches)
}

async function tracesFromNode(
  { source, otherThan, signal }: NodeReading,
  range: HeightRange,
): Promise<TraceBatch> {
  const batches: TraceBatch[] = []
  for (let from = range.from; from < range.until;) {
    const unit = { from, until: Math.min(range.until, from + blocksOfTraces), otherThan }
    const batch = await source.traces(unit, (raw) => decodeTraces(unit.from, raw), signal)
    batches.push(batch)
    from = batch.until
  }
  return mergeTraces(batches)
}
