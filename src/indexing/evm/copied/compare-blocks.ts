/** Reads blocks of a copied history from the node again, and compares the copy with them. */

import { zstdDecompressSync } from 'node:zlib'

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns.ts'
import { to0x } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { EvmSource, ReadRange } from '../../../source/evm-source.ts'
import {
  columnOf,
  type Columns,
  type Database,
  type Reader,
  valueAt,
} from '../../../store/engine/database.ts'
import { columnNames, type Table } from '../../../store/engine/table.ts'
import { storedHeights } from '../../../store/query/evm/heights.ts'
import { addressByBytes } from '../../../store/schema/evm.ts'
import type { BlockChecks } from '../read/block-checks.ts'
import { type BlocksPiece, readPiece } from '../read/block-piece.ts'
import { TakenOnTrust } from '../read/taken-on-trust.ts'
import { tracesFromNode } from '../repair/remake-segment.ts'
import { asContractsSay, knownForms } from '../tokens/contract-forms.ts'
import { writeFacts } from '../write/apply-blocks.ts'
import { type StoredBatch, storedBatch, storedTraces } from '../write/stored-batch.ts'
import { compareTexts, differs } from './difference.ts'
import { frameTexts, rowTexts } from './row-texts.ts'

/** Parts of a comparison. */
export type ComparisonParts = {
  readonly database: Database
  readonly source: EvmSource
  readonly checks: BlockChecks
}

/** Blocks to compare, all of them with their traces or none. */
export type BlocksToCompare = ReadRange & {
  readonly isTraced: boolean
  /** True where they begin the history. */
  readonly isFirst: boolean
}

/** Blocks of the copy that are as the node tells them. */
export type ComparedBlocks = {
  readonly from: number
  /** First height that was not compared: a node may give fewer than were asked for. */
  readonly until: number
  /** Reason why traces were not compared; absent where they were, or are none. */
  readonly withoutTraces: string | undefined
}

/**
 * Compares the blocks of `units` in order, up to the first unit of which a node returned a part only. A
 * difference is believed once a second endpoint confirms it, where there is one. Throws `source-mismatch`
 * for a row that differs, with block and table in its detail; other faults are those of the source
 * and the store.
 */
export async function compareUnits(
  parts: ComparisonParts,
  units: readonly BlocksToCompare[],
  signal: AbortSignal,
): Promise<readonly ComparedBlocks[]> {
  const reads = units.map((unit) => read(parts, unit, signal))
  // Of several reads that fail the first one counts.
  await Promise.allSettled(reads)
  const told = await Promise.all(reads)
  const short = told.findIndex(({ piece, unit }) => piece.until < unit.until)
  const whole = short === -1 ? told : told.slice(0, short + 1)
  const compared: ComparedBlocks[] = []
  let differing: ToldUnit | undefined
  try {
    // One state of the store, whatever is frozen or merged meanwhile.
    await parts.database.snapshot(async (reader) => {
      for (const each of whole) {
        await checkStored(reader, each)
        differing = each
        compared.push(await compareTold(reader, each))
      }
    })
    return compared
  } catch (error) {
    if (faultOf(error)?.code !== 'source-mismatch' || differing === undefined) throw error
    return [...compared, await secondOpinion(parts, { first: differing, error }, signal)]
  }
}

/** Blocks as a node tells them. */
type ToldUnit = {
  readonly unit: BlocksToCompare
  readonly piece: BlocksPiece
  readonly traces?: TraceBatch
  /** Reason why there are no traces. */
  readonly reason?: string
}

async function secondOpinion(
  parts: ComparisonParts,
  { first, error }: { readonly first: ToldUnit; readonly error: unknown },
  signal: AbortSignal,
): Promise<ComparedBlocks> {
  const { unit, piece } = first
  const second = await read(parts, { ...unit, otherThan: [piece.origin] }, signal)
  if (second.piece.origin === piece.origin) throw error
  const compared = await parts.database.snapshot((reader) => compareTold(reader, second))
  parts.source.doubt(piece.origin, 'told other blocks than another endpoint and the copied history')
  return compared
}

async function read(
  { source, checks }: ComparisonParts,
  unit: BlocksToCompare,
  signal: AbortSignal,
): Promise<ToldUnit> {
  const how = {
    source,
    checks,
    compress: plain,
    trust: new TakenOnTrust(),
    wants: () => true,
  }
  const piece = await readPiece(how, unit, signal)
  await asContractsSay(piece.batch, source, { known: knownForms(), signal })
  if (!unit.isTraced) return { unit, piece }
  try {
    const parts = { source, checks, compress: plain, signal }
    return { unit, piece, traces: await tracesFromNode(parts, piece) }
  } catch (error) {
    const fault = faultOf(error)
    if (fault?.code !== 'node-refused' && fault?.code !== 'not-served') throw error
    return { unit, piece, reason: fault.message }
  }
}

/**
 * Throws `not-ready` where blocks are no longer stored: an end that proved wrong was taken away, which is
 * no difference.
 */
async function checkStored(reader: Reader, { piece, traces }: ToldUnit): Promise<void> {
  const stored = await storedHeights(reader)
  const last = traces === undefined ? stored.blocks : Math.min(stored.blocks, stored.traces)
  if (piece.until - 1 <= last) return
  throw new Fault('not-ready', `blocks to compare are not stored any more: ${piece.from}`)
}

/** Compressed bytes depend on who compressed them. */
function plain(bytes: Uint8Array): Uint8Array {
  return bytes
}

async function compareTold(
  reader: Reader,
  { unit: { isFirst }, piece, traces, reason: withoutTraces }: ToldUnit,
): Promise<ComparedBlocks> {
  const { batch, from, until } = piece
  const range = { from, until }
  const stored = await storedBatch(reader, range)
  if (!isFirst) compareTexts('blocks', [parentOf(stored.batch)], [parentOf(batch)])
  const copied = rowTexts(stored.batch, unpacked(Math.max(...batch.blocks.inputs.length)))
  const told = rowTexts(batch, plain)
  for (const table of ['headers', 'inputs', 'transactions', 'transfers', 'logs'] as const)
    compareTexts(table, copied[table], told[table])
  await compareLists(reader, stored)
  if (traces !== undefined)
    compareTexts(
      'internal transactions',
      frameTexts(await storedTraces(reader, range)),
      frameTexts(traces),
    )
  return { from, until, withoutTraces }
}

/** Throws `source-mismatch` where a list lacks an entry of stored blocks, or an address has two numbers. */
async function compareLists(reader: Reader, stored: StoredBatch): Promise<void> {
  const { from } = stored.batch
  const missing = async (table: Table, columns: Columns): Promise<void> => {
    if (columnNames(table).join() !== table.key.join()) return
    const keys = table.key.map((name) => columnOf(columns, name))
    const found = await reader.lookup({ table, key: table.key, select: table.key }, keys)
    const at = found.indexOf(undefined)
    if (at === -1) return
    const row = keys.map((column) => String(valueAt(column, at))).join(' ')
    throw differs(`blocks from ${from} on, ${table.name}: has no ${row}`, { table: table.name })
  }
  const none = (): never => {
    throw new Error('broken invariant: rows of blocks are only added')
  }
  const lists = { ...reader, insert: missing, insertNew: missing }
  await writeFacts(
    { ...lists, run: none, upsert: none, update: none, remove: none, clear: none },
    stored,
    0,
  )
  const { addresses } = stored.batch
  const bytes = Array.from(stored.ids, (_, at) => addresses.subarray(at * 20, at * 20 + 20))
  const numbers = { table: addressByBytes, key: ['bytes'], select: ['id'] }
  for (const [at, row] of (await reader.lookup(numbers, [bytes])).entries())
    if (row?.[0] !== stored.ids[at])
      throw differs(`blocks from ${from} on, number of ${to0x(itemAt(bytes, at))}`, {
        table: addressByBytes.name,
      })
}

/** The hash that the first block of a batch names as its parent's. */
function parentOf({ from, blocks }: BlockBatch): string {
  return `${from - 1} ${to0x(blocks.parentHash.subarray(0, 32))}`
}

/** Unpacks at most so many bytes: what is not what a compressor makes, or more, stays as it is. */
function unpacked(most: number): (kept: Uint8Array) => Uint8Array {
  return (kept) => {
    try {
      return zstdDecompressSync(kept, { maxOutputLength: Math.max(1, most) })
    } catch (error) {
      if (error instanceof Error && 'code' in error) return kept
      throw error
    }
  }
}
