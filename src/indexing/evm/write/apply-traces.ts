/** Decoded traces into rows: internal transactions, and who took part in them. */

import { noAddress } from '../../../codec/evm/columns/column-kinds.ts'
import type { TraceBatch } from '../../../codec/evm/columns/columns.ts'
import { assert, Fault } from '../../../core/fault.ts'
import { f64At, u32At } from '../../../core/item-at.ts'
import {
  type Checkpoint,
  getCheckpoint,
  blockStage,
  traceStage,
} from '../../../store/checkpoint.ts'
import { columnOf, statement, valueAt, type Writer } from '../../../store/engine/database.ts'
import { internal, internalByAddress } from '../../../store/schema/evm.ts'
import { byColumn } from '../../../store/schema/table.ts'
import { gather, gatherWords } from '../../stream/radix-order.ts'
import { placesOf, storedColumns, storedFrames } from './batch-columns.ts'
import { FanOut, maxBatchRows } from './fan-out.ts'
import type { Interner } from './intern.ts'

const timesOfBlocks = statement(
  'select timestamp from evm_block where height >= ? and height < ? order by height',
  { over: 'oldest', within: { height: [0, 1] } },
)

/** Result of writing a batch. */
export type AppliedTraces = {
  readonly ids: Float64Array
  readonly before: Checkpoint | undefined
  /** Unix seconds of the batch's blocks. */
  readonly timestamps: Float64Array
}

/**
 * Writes the rows of `batch`, whose blocks must be stored and which must follow the traces
 * stored last. Frames at the root of a transaction are that transaction and give no row.
 */
export async function applyTraces(
  writer: Writer,
  batch: TraceBatch,
  interner: Interner,
): Promise<AppliedTraces> {
  const before = await getCheckpoint(writer, traceStage)
  const blocks = await getCheckpoint(writer, blockStage)
  assert(before === undefined || batch.from === before.height + 1, 'traces follow one another')
  assert(blocks !== undefined && batch.until <= blocks.height + 1, 'traces come after blocks')
  const times = await writer.all(timesOfBlocks, [batch.from, batch.until])
  assert(times.length === batch.until - batch.from, 'the blocks of traces are stored')
  const ids = await interner.ids(writer, batch.addresses)
  await writeInternals(writer, batch, ids)
  return { ids, before, timestamps: Float64Array.from(times, ([time]) => time) }
}

/**
 * Writes listed frames and the lists of their senders and receivers. `ids` are numbers of
 * addresses.
 */
export async function writeInternals(
  writer: Writer,
  batch: TraceBatch,
  ids: Float64Array,
): Promise<void> {
  const { frames, arena } = batch
  const listed = listedRows(frames.position)
  const { pos, overfull } = placesOf(batch.from, gatherWords(frames.block, listed))
  if (overfull !== undefined)
    throw new Fault('source-mismatch', `block has more frames than can be kept: ${overfull}`)
  const columns = storedColumns(storedFrames, frames, { arena, ids })
  await writer.insert(internal, {
    pos,
    ...byColumn(storedFrames.fields, (_, column) =>
      Array.from(listed, (row) => valueAt(columnOf(columns, column), row)),
    ),
  })
  const fanOut = new FanOut(listed.length * 2)
  for (let at = 0; at < listed.length; at++) {
    const from = u32At(frames.from, u32At(listed, at))
    const to = frames.to[u32At(listed, at)] ?? noAddress
    fanOut.add(f64At(ids, from), at)
    if (to !== noAddress && to !== from) fanOut.add(f64At(ids, to), at)
  }
  const { ids: owners, rows } = fanOut.sorted()
  await writer.insert(internalByAddress, { address_id: owners, pos: gather(pos, rows) })
}

function listedRows(position: Uint32Array): Uint32Array {
  const rows: number[] = []
  for (let row = 0; row < position.length; row++) if (position[row] !== 0) rows.push(row)
  assert(rows.length <= maxBatchRows, 'batches are cut below the limit of rows')
  return Uint32Array.from(rows)
}
