/**
 * Mends an EVM chain's store where its rows do not add up.
 *
 * Facts come from a node, checked as in indexing; everything else follows from facts that are whole
 * or whole again, by the code that wrote it. The sum that was stored with the rows says whether the
 * result is what once was written: sums are not touched, unless they are what was damaged.
 */

import type { Clock } from '../../../core/world.ts'
import { recountRollup } from '../../../rollup/rebuild.ts'
import { rollupState } from '../../../rollup/rollup-rows.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import { checkpointHeights } from '../../../store/checkpoint.ts'
import { type Database, statement, type Writer } from '../../../store/engine/database.ts'
import type { Table } from '../../../store/engine/table.ts'
import { holdLease, type Lease } from '../../../store/lease.ts'
import { meta, segmentsName, tracesSinceName } from '../../../store/schema/control.ts'
import {
  address,
  addressByBytes,
  block,
  holding,
  internal,
  internalByAddress,
  token,
} from '../../../store/schema/evm.ts'
import { metricsTables } from '../../../store/schema/metrics.ts'
import { nftMetadata, nftRange, nftToken } from '../../../store/schema/nft.ts'
import { heightsPerSum } from '../../../store/schema/sum-ranges.ts'
import { boundsOf, type DamagedRange, sumOfRange } from '../../../store/sums/check-store.ts'
import { type Settled, settleSums } from '../../../store/sums/settle-sums.ts'
import { blockStage } from '../write/apply-blocks.ts'
import { traceStage } from '../write/apply-traces.ts'
import {
  blockFacts,
  blockLists,
  blocksFromNode,
  listInternals,
  mendAmounts,
  mendBlocks,
  mendInternals,
  mendOwners,
  type NodeParts,
  runningAmounts,
  traceTables,
  tracesFromNode,
} from './mend-heights.ts'
import { mendAddresses, mendNumbers, mendTokens } from './mend-numbers.ts'
import { removePart } from './remove-part.ts'

/** Parts of a repair. `database` is open for writing without keeping sums. */
export type RepairParts = NodeParts & {
  readonly database: Database
  readonly lease: Lease
  readonly clock: Clock
  readonly log: (line: string) => void
}

const firstBlock = statement('select height from block order by height limit 1', {
  over: 'oldest',
})
const identityNames: readonly string[] = ['chainId', 'genesisHash', 'blockchainId']
const everyName = statement('select name from meta')
const metaValue = statement('select value from meta where name = ?')
const blockCount = statement("select sum(row_count) from range_sum where tab = 'block'")
const forgetAsked = statement(
  'update nft_token set asked = 0 where contract_id >= ? and contract_id < ?',
)

/** Heights stored: blocks up to `blocks`, traces up to `traces`. */
type Extent = {
  readonly first: number
  readonly blocks: number
  /** First height with traces, which is later where nodes had none of the oldest blocks. */
  readonly tracesSince: number
  readonly traces: number
}

/**
 * Mends `damaged`, all of what a check found. Returns what became of each range. Faults are those of
 * the source, `lease-lost` and `store-*`; ranges mended before stay so.
 */
export async function repairChain(
  parts: RepairParts,
  damaged: readonly DamagedRange[],
): Promise<Settled[]> {
  const extent = await extentOf(parts.database, damaged)
  const of = (table: Table): DamagedRange[] => damaged.filter((each) => each.table === table)
  await inTransaction(parts, (writer) => mendAllNumbers(parts, writer, of))
  for (const part of partsOf(damaged, [...blockFacts, ...blockLists, ...traceTables]))
    await mendPart(parts, { part, extent, tables: tablesOf(damaged, part) })
  // A row that was moved to another height would hide that its own is missing.
  await inTransaction(parts, async (writer) => {
    for (const { part } of of(holding))
      await removePart(writer, { table: holding, part, engine: parts.database.engine })
  })
  for (const part of partsOf(damaged, [...runningAmounts]))
    await amountsOfPart(parts, { part, extent, tables: tablesOf(damaged, part) })
  await inTransaction(parts, async (writer) => {
    for (const { part } of of(token)) {
      await removePart(writer, { table: token, part, engine: parts.database.engine })
      await mendTokens(writer, part)
    }
  })
  if (of(nftToken).length + of(nftRange).length > 0) await ownersAnew(parts, extent)
  await inTransaction(parts, (writer) => forgetMetadata(parts, writer, of(nftMetadata)))
  const isCounted = of(meta).length > 0 || metricsTables.some((table) => of(table).length > 0)
  if (isCounted) await inTransaction(parts, (writer) => recountRollup(writer, extent))
  if (of(meta).length > 0) await identityAnew(parts, of(meta))
  return inTransaction(parts, (writer) => settleSums(writer, damaged, renewed))
}

/** Tables whose rows come back with other values: what a node says now, or nothing yet. */
const renewed: ReadonlySet<Table> = new Set<Table>([token, nftMetadata, meta])

async function inTransaction<T>(
  { database, lease, clock }: RepairParts,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  return database.transaction(async (writer) => {
    await holdLease(writer, lease, clock)
    return work(writer)
  })
}

/** The first block itself may be lost: how many there were is known by their sums. */
async function extentOf(database: Database, damaged: readonly DamagedRange[]): Promise<Extent> {
  const heights = await checkpointHeights(database)
  const blocks = heights.get(blockStage) ?? -1
  const traces = heights.get(traceStage) ?? -1
  const count = Number((await database.get(blockCount))?.[0] ?? 0)
  // Rows beyond the last block were moved there by damage, and had no sum.
  const isKnown = damaged.every(
    ({ table, written, range }) =>
      table !== block || written !== undefined || (range?.from ?? 0) > blocks,
  )
  const seen = Number((await database.get(firstBlock))?.[0] ?? 0)
  const first = Math.max(0, isKnown ? blocks + 1 - count : seen)
  const since = Number((await database.get(metaValue, [tracesSinceName]))?.[0] ?? 0)
  return { first, blocks, traces, tracesSince: Math.max(first, since) }
}

/** Numbers of the ranges in which one of `tables` is damaged, in order. */
function partsOf(damaged: readonly DamagedRange[], tables: readonly Table[]): number[] {
  const parts = damaged.filter(({ table }) => tables.includes(table)).map(({ part }) => part)
  return [...new Set(parts)].toSorted((a, b) => a - b)
}

function tablesOf(damaged: readonly DamagedRange[], part: number): ReadonlySet<Table> {
  return new Set(damaged.filter((each) => each.part === part).map(({ table }) => table))
}

/** Members of `all` that are in `some`. */
function among(all: ReadonlySet<Table>, some: ReadonlySet<Table>): ReadonlySet<Table> {
  return new Set([...all].filter((table) => some.has(table)))
}

/** Heights of a range of sums that are stored; `undefined` when there are none. */
function storedHeights(part: number, first: number, last: number): HeightRange | undefined {
  const from = Math.max(first, part * heightsPerSum)
  const until = Math.min(last + 1, (part + 1) * heightsPerSum)
  return from < until ? { from, until } : undefined
}

async function mendAllNumbers(
  { database }: RepairParts,
  writer: Writer,
  of: (table: Table) => DamagedRange[],
): Promise<void> {
  // Each is mended from the other; what both have lost in one range stays lost.
  for (const [table, mend] of [
    [address, mendAddresses],
    [addressByBytes, mendNumbers],
  ] as const) {
    const other = table === address ? addressByBytes : address
    const lost = new Set(of(other).map(({ part }) => part))
    const own = of(table).filter(({ part }) => !lost.has(part))
    for (const { part } of own) await removePart(writer, { table, part, engine: database.engine })
    for (const { part } of own) await mend(writer, part)
  }
}

type PartToMend = {
  readonly part: number
  readonly extent: Extent
  readonly tables: ReadonlySet<Table>
}

async function mendPart(parts: RepairParts, of: PartToMend): Promise<void> {
  const { part, extent, tables } = of
  const facts = among(blockFacts, tables)
  const blockTables = new Set([...facts, ...among(blockLists, tables)])
  const traced = among(traceTables, tables)
  const range = storedHeights(part, extent.first, extent.blocks)
  const tracedRange = storedHeights(part, extent.tracesSince, extent.traces)
  if (range !== undefined && facts.size > 0)
    parts.log(`blocks ${range.from} to ${range.until - 1} are read from the node`)
  const told =
    range === undefined || facts.size === 0 ? undefined : await blocksFromNode(parts, range)
  const frames =
    tracedRange === undefined || !traced.has(internal)
      ? undefined
      : await tracesFromNode(parts, tracedRange)
  await inTransaction(parts, async (writer) => {
    for (const table of [...blockTables, ...traced])
      await removePart(writer, { table, part, engine: parts.database.engine })
    if (range !== undefined && blockTables.size > 0)
      await mendBlocks(writer, {
        range,
        tables: blockTables,
        ...(told === undefined ? {} : { told }),
      })
    if (frames !== undefined) await mendInternals(writer, { tables: traced, told: frames })
    else if (tracedRange !== undefined && traced.has(internalByAddress))
      await listInternals(writer, tracedRange)
  })
}

async function amountsOfPart(parts: RepairParts, of: PartToMend): Promise<void> {
  const { part, extent, tables } = of
  const range = storedHeights(part, extent.first, extent.blocks)
  const running = among(runningAmounts, tables)
  await inTransaction(parts, async (writer) => {
    for (const table of running)
      await removePart(writer, { table, part, engine: parts.database.engine })
    if (range !== undefined) await mendAmounts(writer, { range, tables: running })
  })
}

/** Owners depend on all that came before: they are followed from the first block on. */
async function ownersAnew(parts: RepairParts, extent: Extent): Promise<void> {
  parts.log('owners of NFTs are followed again from the first block on')
  const tables = new Set<Table>([nftToken, nftRange])
  await inTransaction(parts, async (writer) => {
    for (const table of tables) await writer.clear(table)
    for (let from = extent.first; from <= extent.blocks; from += heightsPerSum) {
      const range = { from, until: Math.min(extent.blocks + 1, from + heightsPerSum) }
      await mendOwners(writer, { range, tables })
    }
  })
}

/** Removes the metadata of a range, which is asked for again. */
async function forgetMetadata(
  { database }: RepairParts,
  writer: Writer,
  damaged: readonly DamagedRange[],
): Promise<void> {
  for (const { part } of damaged) {
    await removePart(writer, { table: nftMetadata, part, engine: database.engine })
    const { from = 0, until = 0 } = boundsOf(nftMetadata, part) ?? {}
    await writer.run(forgetAsked, [from, until])
  }
}

/**
 * Writes the identity of the chain as the node gives it. Where it was whole, the damage was in the
 * marks of how far metadata was read: they go, and metadata is read from the newest block on.
 */
async function identityAnew(parts: RepairParts, [damaged]: readonly DamagedRange[]): Promise<void> {
  const identity = await parts.source.identity(parts.signal)
  const told: Readonly<Record<string, string | number | undefined>> = identity
  const names = identityNames.filter((name) => told[name] !== undefined)
  await inTransaction(parts, async (writer) => {
    await writer.upsert(meta, {
      name: names,
      value: names.map((name) => String(told[name])),
    })
    const now = await sumOfRange(writer, meta, 0)
    if (now !== undefined && now.sum === damaged?.written?.sum) return
    const kept = new Set([...names, rollupState, tracesSinceName, segmentsName])
    const all = (await writer.all(everyName)).map(([name]) => String(name))
    await writer.remove(meta, { name: all.filter((name) => !kept.has(name)) })
  })
}
