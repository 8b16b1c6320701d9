/**
 * Mends an EVM chain's store where its rows do not add up, without a node: a store is its addresses, its
 * segments and what follows from both.
 *
 * What lies in tables goes from the first damaged height on, and is read again when Firn runs. What has no
 * height (tokens, owners of NFTs, metrics) is made again from the blocks that stay. Addresses stand in two
 * tables, one of which is mended from the other.
 */

import { setImmediate as turn } from 'node:timers/promises'

import type { Clock } from '../../../core/world.ts'
import { recountRollup } from '../../../rollup/rebuild.ts'
import { getCheckpoint, blockStage, traceStage } from '../../../store/checkpoint.ts'
import { type Database, statement, type Writer } from '../../../store/engine/database.ts'
import { frozenUntil, readManifest } from '../../../store/history/manifest.ts'
import { placeColumn, placesPerHeight } from '../../../store/history/segment-file.ts'
import { type Lease, underLease } from '../../../store/lease.ts'
import { cutOutbox } from '../../../store/query/events/outbox.ts'
import { casesOf } from '../../../store/query/evm/addresses.ts'
import { posOfHeight } from '../../../store/query/evm/position.ts'
import { bytesAt } from '../../../store/query/row-values.ts'
import { meta, segmentsName, tracesSinceName } from '../../../store/schema/control.ts'
import { address, addressByBytes, token, tokenWord } from '../../../store/schema/evm.ts'
import { metricsTables } from '../../../store/schema/metrics.ts'
import { nftAmount, nftRange, nftToken } from '../../../store/schema/nft.ts'
import { chainTables } from '../../../store/schema/stores.ts'
import { heightsPerSum, idsPerSum } from '../../../store/schema/sums.ts'
import { stageOf, type Table } from '../../../store/schema/table.ts'
import type { DamagedRange } from '../../../store/sums/check-store.ts'
import { moveStagesBack } from '../cut/cut-chain.ts'
import { Interner } from '../write/intern.ts'
import { writeNfts } from '../write/nft-rows.ts'
import { writingOnly } from '../write/recount.ts'
import { amountsInput, storedBatch } from '../write/stored-batch.ts'
import { writeTokens } from '../write/transfer-rows.ts'

/** Rows of heights, which are read again. */
const history: readonly Table[] = chainTables.filter(({ freezes }) => freezes !== undefined)
/** Rows that all blocks together make. */
const state: ReadonlySet<Table> = new Set<Table>([token, tokenWord, nftToken, nftRange, nftAmount])
const numbers: readonly Table[] = [address, addressByBytes]

const past = { over: 'tables', unsummed: true } as const
const firstBlock = statement('select height from evm_block order by height limit 1', {
  over: 'oldest',
})
const forgetSums = statement('delete from range_sum where tab = ? and (part >= ? or part < ?)')
const forgetSum = statement('delete from range_sum where tab = ? and part = ?')
const keptMeta = statement('select name, value from meta where name in (?, ?)')
const clearMeta = statement('delete from meta', { unsummed: true })

/**
 * Mends `damaged`, all of what a check found, in one transaction. What is not mended is still damaged
 * afterwards: addresses of which both tables lost the same range. Throws `lease-lost`, `store-*`.
 *
 * Cost: all transfers and kept logs that stay are read once.
 */
export async function repairChain(
  {
    database,
    lease,
    clock,
    log,
  }: {
    readonly database: Database
    readonly lease: Lease
    readonly clock: Clock
    readonly log: (line: string) => void
  },
  damaged: readonly DamagedRange[],
): Promise<void> {
  await underLease(database, { lease, clock }, async (writer) => {
    for (const table of numbers) await mendNumbers(writer, { table, damaged, database })
    const lost = new Set(damaged.map(({ table }) => table))
    if (lost.has(meta)) {
      // Keeps the list of segments; a node names the chain again, and counting begins anew.
      const kept = await writer.all(keptMeta, [segmentsName, tracesSinceName])
      await writer.run(clearMeta)
      await writer.run(forgetSum, [meta.name, 0])
      await writer.insert(meta, {
        name: kept.map(([name]) => name),
        value: kept.map(([, value]) => value),
      })
    }
    for (const table of lost)
      if (!history.includes(table) && !numbers.includes(table) && table !== meta)
        await writer.clear(table)
    const from = await firstDamaged(writer, damaged)
    if (from !== undefined) {
      log(`blocks from height ${from} on are read again when Firn runs`)
      await readAgain(writer, { database, from, epoch: lease.epoch })
    } else if ([...state, ...metricsTables, meta].some((table) => lost.has(table)))
      await stateAnew(writer)
  })
}

/**
 * Removes what tables have from height `from` on, which must not be frozen, and makes what has no height again
 * from the blocks that stay: the stages go on from there.
 */
export async function readAgain(
  writer: Writer,
  of: { readonly database: Database; readonly from: number; readonly epoch: number },
): Promise<void> {
  // Removes rows from height `from` on, and those below what is frozen, which damage moved there.
  const { from, database } = of
  const manifest = await readManifest(writer)
  for (const table of history) {
    const column = placeColumn(table)
    const scale = placesPerHeight(table)
    const end = frozenUntil(manifest, stageOf(table) ?? 'blocks')
    await writer.run(
      statement<string>(`delete from ${table.name} where ${column} >= ? or ${column} < ?`, past),
      [from * scale, end * scale],
    )
    await removePlaceless(writer, table, { column, database })
    await writer.run(forgetSums, [
      table.name,
      Math.floor(from / heightsPerSum),
      Math.floor(end / heightsPerSum),
    ])
  }
  await cutOutbox(writer, posOfHeight(of.from))
  await moveStagesBack(writer, of.from, of.epoch)
  await stateAnew(writer)
}

/** Height from which on rows of history go: that of the first damaged range that is not frozen. */
async function firstDamaged(
  writer: Writer,
  damaged: readonly DamagedRange[],
): Promise<number | undefined> {
  const places = damaged.filter(({ table }) => history.includes(table)).map(({ part }) => part)
  if (places.length === 0) return undefined
  const end = frozenUntil(await readManifest(writer), 'blocks')
  // A row whose place is no number any more is missing in another range.
  const heights = places.filter(Number.isFinite).map((part) => part * heightsPerSum)
  const after = ((await getCheckpoint(writer, blockStage))?.height ?? -1) + 1
  return Math.max(end, Math.min(after, ...heights.filter((each) => each + heightsPerSum > end)))
}

/** SQLite keeps a value of another type where damage puts one. */
async function removePlaceless(
  writer: Writer,
  { name }: Table,
  { column, database }: { readonly column: string; readonly database: Database },
): Promise<void> {
  if (database.engine === 'sqlite')
    await writer.run(
      statement<string>(`delete from ${name} where typeof(${column}) <> 'integer'`, past),
    )
}

/**
 * Makes tokens, owners of NFTs and metrics again; contracts and documents are read when Firn runs.
 */
async function stateAnew(writer: Writer): Promise<void> {
  for (const table of state) await writer.clear(table)
  const into = writingOnly(writer, state)
  const interner = new Interner()
  const first = (await writer.get(firstBlock))?.[0] ?? 0
  const blocks = (await getCheckpoint(writer, blockStage))?.height ?? -1
  for (let from = first; from <= blocks; from += heightsPerSum) {
    const range = { from, until: Math.min(blocks + 1, from + heightsPerSum) }
    const input = amountsInput(await storedBatch(writer, range))
    await writeTokens(into, input.batch, input)
    await writeNfts(into, input, interner)
    await turn()
  }
  const traces = (await getCheckpoint(writer, traceStage))?.height ?? -1
  await recountRollup(writer, { first, blocks, traces })
}

/** Fills damaged ranges of one table of addresses from the other one, where that is whole. */
async function mendNumbers(
  writer: Writer,
  of: {
    readonly table: Table
    readonly damaged: readonly DamagedRange[]
    readonly database: Database
  },
): Promise<void> {
  const { table, damaged, database } = of
  const other = table === address ? addressByBytes : address
  const partsOf = (one: Table): number[] =>
    damaged.filter((each) => each.table === one).map(({ part }) => part)
  const own = partsOf(table)
  if (own.length > 0) await removePlaceless(writer, table, { column: 'id', database })
  const lost = new Set(partsOf(other))
  const ranges = own
    .filter((part) => Number.isFinite(part) && !lost.has(part))
    .map((part) => ({ part, limits: [part * idsPerSum, (part + 1) * idsPerSum] }))
  const words = (name: string): string => `from ${name} where id >= ? and id < ?`
  // All of them before any is filled: a row may have got a number of another range.
  for (const { part, limits } of ranges) {
    await writer.run(statement<string>(`delete ${words(table.name)}`, past), limits)
    await writer.run(forgetSum, [table.name, part])
  }
  for (const { limits } of ranges) {
    const rows = await writer.all(
      statement<string>(`select id, bytes ${words(other.name)}`, past),
      limits,
    )
    const bytes = rows.map((row) => bytesAt(row, 1))
    const columns = { id: rows.map(([id]) => Number(id)), bytes }
    if (table === address) await writer.insert(address, { ...columns, cased: casesOf(bytes) })
    else await writer.insert(addressByBytes, columns)
  }
}
