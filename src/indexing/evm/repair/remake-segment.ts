/**
 * Makes a segment again, from blocks of a node or from its own: they are written into a store beside, whose
 * history then freezes as that of the chain did. Equal rows make equal bytes, so the name of what is made
 * says whether it is the segment that was lost, and whether all that a segment says follows from its blocks.
 */

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns.ts'
import { decodeBlocks } from '../../../codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../../codec/evm/decode-traces.ts'
import type { Compress } from '../../../codec/evm/growing-batch.ts'
import { mergeBlocks, mergeTraces } from '../../../codec/evm/merge-batches.ts'
import { assert, Fault } from '../../../core/fault.ts'
import type { EvmSource, HeightRange } from '../../../source/evm-source.ts'
import {
  type Database,
  type Reader,
  statement,
  type Writer,
} from '../../../store/engine/database.ts'
import type { Table } from '../../../store/engine/table.ts'
import { freezeStage } from '../../../store/history/freeze.ts'
import { historyOf } from '../../../store/history/history.ts'
import type { ManifestSegment } from '../../../store/history/manifest.ts'
import type { BlockChecks } from '../read/block-checks.ts'
import { asContractsSay, knownForms } from '../tokens/contract-forms.ts'
import { placeOfZero, writeFacts } from '../write/apply-blocks.ts'
import { writeInternals } from '../write/apply-traces.ts'
import { writeBalances } from '../write/balances.ts'
import { Interner } from '../write/intern.ts'
import { writeNftHoldings } from '../write/nft-rows.ts'

/** Blocks read at once. */
const blocksAtOnce = 256

/** Parts of reading from a node. */
export type NodeParts = {
  readonly source: EvmSource
  readonly checks: BlockChecks
  readonly compress: Compress
  readonly signal: AbortSignal
}

/** Blocks of a range and, where they have any, their traces. */
export type ReadBlocks = (range: HeightRange) => Promise<{
  readonly blocks: BlockBatch
  readonly traces: TraceBatch | undefined
}>

/** Parts of making a segment again. */
export type RemakeParts = {
  /** The store whose segment it is; what lies below that segment must be whole. */
  readonly database: Database
  /** An empty store beside it, which freezes. */
  readonly scratch: Database
  readonly read: ReadBlocks
  readonly signal: AbortSignal
}

/** Reads from a node; `traced` are the heights that have traces. Faults are those of the source. */
export function fromNode(parts: NodeParts, traced: HeightRange): ReadBlocks {
  return async (range) => {
    const frames = both(range, traced)
    return {
      blocks: await blocksFromNode(parts, range),
      traces: frames && (await tracesFromNode(parts, frames)),
    }
  }
}

/** Heights in both ranges; `undefined` where there are none. */
export function both(one: HeightRange, other: HeightRange): HeightRange | undefined {
  const range = { from: Math.max(one.from, other.from), until: Math.min(one.until, other.until) }
  return range.from < range.until ? range : undefined
}

/**
 * Makes `segment` again. Returns the path of its file, `undefined` where `read` tells other rows than
 * were written, or another SQLite or compressor made other bytes of them. Faults are those of `read`.
 */
export async function remakeSegment(
  parts: RemakeParts,
  segment: ManifestSegment,
): Promise<string | undefined> {
  const older = parts.database.historyBelow?.(segment.from)
  assert(older !== undefined, 'a store with segments reads them')
  try {
    await fillScratch(parts, segment, older)
    return await frozenAs(parts, { segment, older })
  } finally {
    older.close()
  }
}

async function fillScratch(
  parts: RemakeParts,
  { from, until }: HeightRange,
  older: Reader,
): Promise<void> {
  const { scratch, read, signal } = parts
  const interner = new Interner()
  const known = knownOnly(older)
  for (let at = from; at < until; at += blocksAtOnce) {
    signal.throwIfAborted()
    const range = { from: at, until: Math.min(until, at + blocksAtOnce) }
    const { blocks: batch, traces } = await read(range)
    const ids = await interner.ids(known, batch.addresses)
    const internalIds = await interner.ids(known, traces?.addresses ?? new Uint8Array())
    await scratch.transaction(async (writer) => {
      const into = frozenOnly(writer, { older, from })
      const before = await into.get(lastTx, [range.from - 1])
      const heights = await writeFacts(into, { batch, ids }, Number(before?.[0] ?? 0))
      const zero = placeOfZero(batch.addresses)
      await writeBalances(into, { batch, ids, zero, heights, stored: Number.POSITIVE_INFINITY })
      await writeNftHoldings(into, { batch, ids, zero, heights }, interner)
      if (traces !== undefined) await writeInternals(into, traces, internalIds)
    })
  }
}

const lastTx = statement('select first_tx + tx_count from block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})

type Trial = {
  readonly segment: ManifestSegment
  readonly older: Reader
}

/** The file of the segment where it has the name that is wanted. */
async function frozenAs(
  { scratch }: RemakeParts,
  { segment, older }: Trial,
): Promise<string | undefined> {
  const history = historyOf(scratch)
  assert(history !== undefined, 'the store beside freezes')
  try {
    return await scratch.transaction(async (writer) => {
      const own = frozenOnly(writer, { older, from: segment.from })
      const removing = { ...own, remove: writer.remove, upsert: writer.upsert }
      const made = await freezeStage({ writer: removing, history, recount: nothingLeft }, segment)
      if (made?.name !== segment.name) throw new OtherName()
      return history.pathOf(made.name)
    })
  } catch (error) {
    if (error instanceof OtherName) return undefined
    throw error
  }
}

/** All blocks of the store beside become the segment. */
async function nothingLeft(): Promise<void> {}

/** Takes the freezing of another name back. */
class OtherName extends Error {}

/** Reads and writes addresses that have numbers; throws `source-mismatch` for others. */
function knownOnly(reader: Reader): Writer {
  const refuse = (): never => {
    throw new Fault('source-mismatch', 'blocks name an address that the store does not know')
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

type Beside = { readonly older: Reader; readonly from: number }

/**
 * Writes rows of tables that freeze, and nothing else. Reads its own rows, and in `older` the block
 * before `from`.
 */
function frozenOnly(writer: Writer, { older, from }: Beside): Writer {
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

/** Blocks of `range` from a node, every one of them checked. */
async function blocksFromNode(parts: NodeParts, range: HeightRange): Promise<BlockBatch> {
  const { source, checks, compress, signal } = parts
  const batches: BlockBatch[] = []
  const known = knownForms()
  for (let from = range.from; from < range.until;) {
    const unit = { from, until: Math.min(range.until, from + source.unitBlocks()) }
    const batch = await source.blocks(
      unit,
      (units, origin) => {
        const good = checks.checkAll(units, { from: unit.from, origin, wants: () => true })
        return decodeBlocks(unit.from, good, compress)
      },
      signal,
    )
    await asContractsSay(batch, source, { known, signal })
    batches.push(batch)
    from = batch.until
  }
  return mergeBlocks(batches)
}

/** Traces of `range` from a node. Faults are those of the source. */
export async function tracesFromNode(parts: NodeParts, range: HeightRange): Promise<TraceBatch> {
  const { source, signal } = parts
  const batches: TraceBatch[] = []
  for (let from = range.from; from < range.until;) {
    const unit = { from, until: Math.min(range.until, from + 4) }
    const batch = await source.traces(unit, (raw) => decodeTraces(unit.from, raw), signal)
    batches.push(batch)
    from = batch.until
  }
  return mergeTraces(batches)
}
