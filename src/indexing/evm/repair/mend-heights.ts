/**
 * Writes the rows of a range of heights again: blocks and their lists from a node, lists alone from
 * the stored blocks, balances from the transfers.
 */

import type { BlockBatch, TraceBatch } from '../../../codec/evm/columns.ts'
import { decodeBlocks } from '../../../codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../../codec/evm/decode-traces.ts'
import type { Compress } from '../../../codec/evm/growing-batch.ts'
import { mergeBlocks, mergeTraces } from '../../../codec/evm/merge-batches.ts'
import type { EvmSource, HeightRange } from '../../../source/evm-source.ts'
import { statement, type Writer } from '../../../store/engine/database.ts'
import type { Table } from '../../../store/engine/table.ts'
import {
  balance,
  block,
  event,
  eventByKind,
  holding,
  internal,
  internalByAddress,
  transfer,
  transferByAddress,
  transferByToken,
  tx,
  txByAddress,
  txByHash,
  txFailed,
} from '../../../store/schema/evm.ts'
import { nftAmount } from '../../../store/schema/nft.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import type { BlockChecks } from '../read/block-checks.ts'
import { asContractsSay, knownForms } from '../tokens/contract-forms.ts'
import { writeFacts } from '../write/apply-blocks.ts'
import { writeInternals } from '../write/apply-traces.ts'
import { writeBalances } from '../write/balances.ts'
import { Interner } from '../write/intern.ts'
import { writeNfts } from '../write/nft-rows.ts'
import { keysOfRows } from '../write/row-keys.ts'
import { amountsInput, storedBatch } from '../write/stored-batch.ts'
import { narrowWriter } from './narrow-writer.ts'

/** Tables that only a node can say again. */
export const blockFacts: ReadonlySet<Table> = new Set<Table>([block, tx, transfer, event])

/** Lists that follow from them. */
export const blockLists: ReadonlySet<Table> = new Set<Table>([
  txByHash,
  txFailed,
  txByAddress,
  transferByAddress,
  transferByToken,
  eventByKind,
])

/** Running amounts, and who may hold some. */
export const runningAmounts: ReadonlySet<Table> = new Set<Table>([balance, nftAmount, holding])

/** Tables filled from traces. */
export const traceTables: ReadonlySet<Table> = new Set<Table>([internal, internalByAddress])

/** Parts that reading from a node needs. */
export type NodeParts = {
  readonly source: EvmSource
  readonly checks: BlockChecks
  readonly compress: Compress
  readonly signal: AbortSignal
}

const firstTxOf = statement('select first_tx + tx_count from block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})
const internalParties = statement(
  'select pos, from_id, to_id from internal where pos >= ? and pos < ? order by pos',
  { over: 'oldest', within: { pos: [0, 1] }, stage: 'traces' },
)

/** Blocks of `range` from a node, every one of them checked. Faults are those of the source. */
export async function blocksFromNode(parts: NodeParts, range: HeightRange): Promise<BlockBatch> {
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

/** Writes rows of `tables` again that follow from blocks: those of a node, or stored ones. */
export async function mendBlocks(
  writer: Writer,
  of: {
    readonly range: HeightRange
    readonly tables: ReadonlySet<Table>
    readonly told?: BlockBatch
  },
): Promise<void> {
  const { range, tables, told } = of
  const narrow = narrowWriter(writer, { tables, from: range.from })
  const batch =
    told === undefined
      ? await storedBatch(writer, range)
      : { batch: told, ids: await new Interner().ids(writer, told.addresses) }
  const before = await writer.get(firstTxOf, [range.from - 1])
  await writeFacts(narrow, batch, Number(before?.[0] ?? 0))
}

/** Writes running amounts of `tables` again from stored transfers, as of what came before. */
export async function mendAmounts(
  writer: Writer,
  of: { readonly range: HeightRange; readonly tables: ReadonlySet<Table> },
): Promise<void> {
  const { range, tables } = of
  const stored = await storedBatch(writer, range)
  const narrow = narrowWriter(writer, { tables, from: range.from })
  const input = amountsInput(stored)
  await writeBalances(narrow, { ...input, stored: Number.POSITIVE_INFINITY })
  await writeNfts(narrow, input, new Interner())
}

/** Owners of NFTs anew: what the logs of stored blocks of `range` say, after those before it. */
export async function mendOwners(
  writer: Writer,
  of: { readonly range: HeightRange; readonly tables: ReadonlySet<Table> },
): Promise<void> {
  const stored = await storedBatch(writer, of.range)
  const narrow = narrowWriter(writer, { tables: of.tables, from: of.range.from })
  await writeNfts(narrow, amountsInput(stored), new Interner())
}

/** Writes internal transactions of traces again. */
export async function mendInternals(
  writer: Writer,
  of: { readonly tables: ReadonlySet<Table>; readonly told: TraceBatch },
): Promise<void> {
  const narrow = narrowWriter(writer, { tables: of.tables, from: of.told.from })
  const ids = await new Interner().ids(writer, of.told.addresses)
  await writeInternals(narrow, of.told, ids)
}

/** Lists internal transactions again that are stored. */
export async function listInternals(writer: Writer, range: HeightRange): Promise<void> {
  const places = [range.from * placesPerBlock, range.until * placesPerBlock]
  const entries = new Map<string, readonly [number, number]>()
  for (const [pos, from, to] of await writer.all(internalParties, places))
    for (const id of [from, to])
      if (typeof id === 'number') entries.set(`${id} ${Number(pos)}`, [id, Number(pos)])
  const sorted = [...entries.values()].toSorted(([a, x], [b, y]) => a - b || x - y)
  await writer.insert(internalByAddress, keysOfRows(internalByAddress, sorted))
}
