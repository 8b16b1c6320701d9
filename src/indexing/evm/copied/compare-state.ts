/**
 * Tokens and owners of NFTs of a copied history, followed again through all of its blocks: in a store
 * beside, by the code that wrote them, from rows that were compared with the node before.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'

import { assert, Fault } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { getCheckpoint } from '../../../store/checkpoint.ts'
import {
  type Database,
  type Reader,
  type Row,
  type Statement,
  statement,
  type Writer,
} from '../../../store/engine/database.ts'
import { openStore } from '../../../store/engine/open.ts'
import { columnNames, type Table } from '../../../store/engine/table.ts'
import { controlTables } from '../../../store/schema/control.ts'
import { token } from '../../../store/schema/evm.ts'
import { nftAmount, nftRange, nftToken } from '../../../store/schema/nft.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import { heightsPerSum } from '../../../store/schema/sum-ranges.ts'
import { eachPage } from '../../../store/sums/pages.ts'
import { blockStage } from '../apply-blocks.ts'
import { Interner } from '../intern.ts'
import { writeNfts } from '../nft-rows.ts'
import { amountsInput, storedBatch } from '../stored-batch.ts'
import { writeTokens } from '../transfer-rows.ts'
import { isEqual } from './compare-facts.ts'
import { differs, leftOver } from './difference.ts'

/** A table that is followed again, its columns that all blocks give, and where it says the height. */
type Followed = {
  readonly table: Table
  readonly columns: readonly string[]
  readonly heightOf: (row: Row) => number
}

const heightOfPlace =
  (column: number) =>
  (row: Row): number =>
    Math.floor(Number(row[column]) / placesPerBlock)

const followed: readonly Followed[] = [
  { table: token, columns: ['standard', 'first_height'], heightOf: (row) => Number(row[2]) },
  { table: nftToken, columns: ['owner_id', 'at'], heightOf: heightOfPlace(4) },
  { table: nftRange, columns: ['last_item', 'owner_id', 'at'], heightOf: heightOfPlace(4) },
  { table: nftAmount, columns: ['amount', 'negative'], heightOf: (row) => Number(row[3]) },
]

/** Parts of following. */
export type StateParts = {
  readonly database: Database
  /** Where the store beside may lie. */
  readonly dataDir: string
  /** Waited for now and then, so that others have their turn. */
  readonly pause: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Throws `source-mismatch` for a row that is not what all blocks from height `from` on give.
 *
 * Cost: all transfers and kept logs are read.
 */
export async function compareState(parts: StateParts, from: number): Promise<void> {
  const { database, dataDir, signal } = parts
  const folder = join(dataDir, 'copied-check')
  rmSync(folder, { recursive: true, force: true })
  const tables = [...controlTables, ...followed.map(({ table }) => table)]
  const beside = await openStore(
    { store: 'embedded', dataDir: folder },
    database.name,
    tables,
    'write',
  )
  try {
    // Most of it without holding on to one state of the store, which keeps what others replace.
    const reached = await followTo(parts, { reader: database, beside, from })
    await database.snapshot(async (reader) => {
      await followTo(parts, { reader, beside, from: reached })
      for (const each of followed) await compareTable(parts, { reader, beside, followed: each })
    })
  } finally {
    await beside.close()
    if (!signal.aborted) rmSync(folder, { recursive: true, force: true })
  }
}

type Following = { readonly reader: Reader; readonly beside: Database; readonly from: number }

/** Follows all blocks of `reader` from `from` on; gives the height after the last one. */
async function followTo(
  { pause, signal }: StateParts,
  { reader, beside, from }: Following,
): Promise<number> {
  const last = (await getCheckpoint(reader, blockStage))?.height ?? -1
  const interner = new Interner()
  for (let at = from; at <= last; at += heightsPerSum) {
    signal.throwIfAborted()
    const range = { from: at, until: Math.min(last + 1, at + heightsPerSum) }
    const input = amountsInput(await storedBatch(reader, range))
    await beside.transaction(async (writer) => {
      const into = over(reader, writer)
      await writeTokens(into, input.batch, input)
      await writeNfts(into, input, interner)
    })
    await pause()
  }
  return last + 1
}

/** Reads facts and numbers of addresses in `reader`; what is followed is in `writer` alone. */
function over(reader: Reader, writer: Writer): Writer {
  const isFollowed = (table: Table): boolean => followed.some((each) => each.table === table)
  const asked = ({ sqlite }: Statement): Reader =>
    sqlite.includes(`from ${nftRange.name}`) ? writer : reader
  return {
    ...writer,
    all: (question, parameters) => asked(question).all(question, parameters),
    get: (question, parameters) => asked(question).get(question, parameters),
    lookup: (lookup, keys) =>
      isFollowed(lookup.table) ? writer.lookup(lookup, keys) : reader.lookup(lookup, keys),
    insert: (table, columns) => {
      if (isFollowed(table)) return writer.insert(table, columns)
      const isEmpty = Object.values(columns).every(({ length }) => length === 0)
      assert(isEmpty, 'addresses of stored blocks have numbers')
      return undefined
    },
    // Holders are compared with the blocks.
    insertNew: (table, columns) =>
      isFollowed(table) ? writer.insertNew(table, columns) : undefined,
  }
}

type TableToCompare = {
  readonly reader: Reader
  readonly beside: Database
  readonly followed: Followed
}

async function compareTable(
  { pause }: StateParts,
  { reader, beside, followed: { table, columns, heightOf } }: TableToCompare,
): Promise<void> {
  const names = columnNames(table)
  const keyAt = table.key.map((name) => names.indexOf(name))
  let copied = 0
  const pages = { table, names, where: '1 = 1', limits: [] }
  const isWhole = await eachPage(reader, pages, async (rows) => {
    copied += rows.length
    const keys = keyAt.map((at) => rows.map((row) => itemAt(row, at)))
    const told = await beside.lookup({ table, key: table.key, select: columns }, keys)
    for (const [at, row] of rows.entries())
      await compareRow(beside, { table, columns, height: heightOf(row), row, told: told[at] })
    await pause()
  })
  if (!isWhole) throw new Fault('store-failed', `rows cannot be read of table ${table.name}`)
  const all = Number((await beside.get(countOf(table)))?.[0])
  if (all !== copied) throw leftOver(table.name, copied, all)
}

type RowToCompare = {
  readonly table: Table
  readonly columns: readonly string[]
  readonly height: number
  /** All columns of the copy. */
  readonly row: Row
  /** `columns` as the blocks give them; `undefined` where they give no such row. */
  readonly told: Row | undefined
}

async function compareRow(beside: Reader, of: RowToCompare): Promise<void> {
  const { table, columns, height, row, told } = of
  const where = { height, table: table.name }
  const names = columnNames(table)
  if (told === undefined)
    throw differs({ ...where, column: itemAt(table.key, 0), copied: row[0], told: undefined })
  for (const [place, column] of columns.entries()) {
    const [has, must] = [itemAt(row, names.indexOf(column)), itemAt(told, place)]
    if (isEqual(has, must)) continue
    if (!(await mayDiffer(beside, { table, row, column, told: must })))
      throw differs({ ...where, column, copied: has, told: must })
  }
}

function countOf({ name }: Table): Statement {
  return statement(`select count(*) from ${name}`)
}

const anyRange = statement('select 1 from nft_range where contract_id = ? limit 1')

/**
 * A contract may declare a higher standard than its logs show; and which height is the first one of a
 * contract that gave ranges depends on how blocks were batched.
 */
async function mayDiffer(
  beside: Reader,
  of: { readonly table: Table; readonly row: Row; readonly column: string; readonly told: Row[0] },
): Promise<boolean> {
  const { table, row, column, told } = of
  if (table !== token) return false
  if (column === 'standard') return Number(row[1]) > Number(told)
  return (await beside.get(anyRange, [itemAt(row, 0)])) !== undefined
}
