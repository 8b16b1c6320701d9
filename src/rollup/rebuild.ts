/**
 * Counts a stored chain again from its blocks, transactions and transfers, without a node.
 *
 * Rows are read back into the columns that counting takes, so that there is one way to count.
 * Address numbers of the columns are the stored ones: no address is looked up.
 */

import { setImmediate as turn } from 'node:timers/promises'

import { noAddress, type Slices } from '../codec/evm/columns/column-kinds.ts'
import { frameKinds } from '../codec/evm/columns/columns.ts'
import { u32At } from '../core/item-at.ts'
import { statement, type AnswerRow, type Writer } from '../store/engine/database.ts'
import { meta } from '../store/schema/control.ts'
import { metricsTables, rollupState } from '../store/schema/metrics.ts'
import { placesPerBlock } from '../store/schema/sums.ts'
import { openRollup } from './chain-rollup.ts'
import type { CountedBlocks, Rollup } from './rollup.ts'

/** Blocks read at once: some 5,000 transactions on a busy chain. */
const blocksAtOnce = 200

const blockRows = statement(
  'select height, timestamp, timestamp_ms, gas_used, tx_count from evm_block where height >= ? and height < ? order by height',
  { over: 'oldest', within: { height: [0, 1] } },
)
const txRows = statement(
  'select pos, from_id, to_id, created_id, gas_used, gas_price, status from evm_transaction where pos >= ? and pos < ? order by pos',
  { over: 'oldest', within: { pos: [0, 1] } },
)
const transferRows = statement(
  'select pos, tx_index, kind, from_id, to_id from transfer where pos >= ? and pos < ? order by pos',
  { over: 'oldest', within: { pos: [0, 1] } },
)
const creations = statement(
  `select pos, kind, from_id from internal
   where pos >= ? and pos < ? and reverted = 0 and kind in (2, 3, 4) order by pos`,
  { over: 'oldest', within: { pos: [0, 1] }, stage: 'traces' },
)

/** Heights up to which is counted again: the checkpoints of both stages, -1 for none. */
export type RebuildHeights = {
  readonly first: number
  readonly blocks: number
  readonly traces: number
}

/**
 * Replaces all counts of the chain, in the transaction of `writer`: readers see the old ones or the new ones.
 * The caller holds the chain's lease.
 */
export async function recountRollup(writer: Writer, heights: RebuildHeights): Promise<void> {
  for (const table of metricsTables) await writer.clear(table)
  await writer.remove(meta, { name: [rollupState] })
  const rollup = await openRollup(writer)
  for (let from = heights.first; from <= heights.blocks; from += blocksAtOnce) {
    const until = Math.min(from + blocksAtOnce, heights.blocks + 1)
    const local = new LocalIds()
    const batch = await storedBlocks(writer, { from, until }, local)
    await rollup.blocks(writer, batch, Float64Array.from(local.ids))
    const traced = Math.min(until, heights.traces + 1)
    const { timestamp } = batch.blocks
    if (traced > from) await countCreations(writer, rollup, { from, until: traced, timestamp })
    await turn()
  }
}

type Range = { readonly from: number; readonly until: number }

/** Stored ids by their place in a batch. */
class LocalIds {
  readonly ids: number[] = []
  readonly #places = new Map<number, number>()

  of(id: unknown): number {
    if (typeof id !== 'number') return noAddress
    const known = this.#places.get(id)
    if (known !== undefined) return known
    this.#places.set(id, this.ids.length)
    return this.ids.push(id) - 1
  }
}

async function storedBlocks(writer: Writer, range: Range, local: LocalIds): Promise<CountedBlocks> {
  const { from, until } = range
  const places = [from * placesPerBlock, until * placesPerBlock]
  const blocks = await writer.all(blockRows, [from, until])
  const txs = await writer.all(txRows, places)
  const transfers = await writer.all(transferRows, places)
  const txCount = Uint32Array.from(blocks, (row) => row[4])
  const firstTx = runningSums(txCount)
  const { arena, slices } = joined(txs.map((row) => row[5]))
  const txOf = ([pos, txIndex]: AnswerRow<typeof transferRows>): number =>
    u32At(firstTx, Math.floor(pos / placesPerBlock) - from) + txIndex
  return {
    from,
    arena,
    blocks: {
      count: blocks.length,
      timestamp: Float64Array.from(blocks, (row) => row[1]),
      timestampMs: Float64Array.from(blocks, (row) => row[2] ?? -1),
      gasUsed: Float64Array.from(blocks, (row) => row[3]),
      txCount,
    },
    txs: {
      from: Uint32Array.from(txs, (row) => local.of(row[1])),
      to: Uint32Array.from(txs, (row) => local.of(row[2])),
      gasUsed: Float64Array.from(txs, (row) => row[4]),
      gasPrice: slices,
      status: Uint8Array.from(txs, (row) => row[6]),
    },
    transfers: {
      count: transfers.length,
      tx: Uint32Array.from(transfers, txOf),
      kind: Uint8Array.from(transfers, (row) => row[2]),
      from: Uint32Array.from(transfers, (row) => local.of(row[3])),
      to: Uint32Array.from(transfers, (row) => local.of(row[4])),
    },
  }
}

/** Creations below the root of a transaction are stored; those at the root are transactions. */
async function countCreations(
  writer: Writer,
  rollup: Rollup,
  range: Range & { readonly timestamp: Float64Array },
): Promise<void> {
  const places = [range.from * placesPerBlock, range.until * placesPerBlock]
  const inner = (await writer.all(creations, places)).map((row) => [row[0], row[2]])
  const outer = (await writer.all(txRows, places))
    .filter((row) => row[3] !== null && row[6] === 1)
    .map((row) => [row[0], row[1]])
  const heightOf = ([pos]: readonly unknown[]): number => Math.floor(Number(pos) / placesPerBlock)
  const rows = [...outer, ...inner].sort((a, b) => heightOf(a) - heightOf(b))
  const local = new LocalIds()
  await rollup.traces(
    writer,
    {
      from: range.from,
      frames: {
        count: rows.length,
        block: Uint32Array.from(rows, (row) => heightOf(row) - range.from),
        kind: new Uint8Array(rows.length).fill(frameKinds.create),
        from: Uint32Array.from(rows, (row) => local.of(row[1])),
        reverted: new Uint8Array(rows.length),
      },
    },
    Float64Array.from(local.ids),
    range.timestamp,
  )
}

function runningSums(counts: Uint32Array): Uint32Array {
  let sum = 0
  return counts.map((count) => {
    sum += count
    return sum - count
  })
}

function joined(parts: readonly Uint8Array[]): { arena: Uint8Array; slices: Slices } {
  const offset = new Uint32Array(parts.length)
  const length = Uint32Array.from(parts, (part) => part.length)
  let at = 0
  for (const [row, part] of parts.entries()) {
    offset[row] = at
    at += part.length
  }
  const arena = new Uint8Array(at)
  for (const [row, part] of parts.entries()) arena.set(part, u32At(offset, row))
  return { arena, slices: { offset, length } }
}
