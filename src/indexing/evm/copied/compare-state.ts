/**
 * Compares tokens and owners of NFTs of a copied history with those that all of its blocks make. The code
 * that wrote them makes them again in a temporary store, from rows that were compared with the node before.
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
import { columnNames, type Table } from '../../../store/engine/table.ts'
import { openStore } from '../../../store/open.ts'
import { controlTables } from '../../../store/schema/control.ts'
import { token } from '../../../store/schema/evm.ts'
import { nftAmount, nftRange, nftToken } from '../../../store/schema/nft.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import { heightsPerSum } from '../../../store/schema/sum-ranges.ts'
import { eachPage } from '../../../store/sums/pages.ts'
import { blockStage } from '../write/apply-blocks.ts'
import { Interner } from '../write/intern.ts'
import { writeNfts } from '../write/nft-rows.ts'
import { amountsInput, storedBatch } from '../write/stored-batch.ts'
import { writeTokens } from '../write/transfer-rows.ts'
import { isEqual } from './compare-facts.ts'
import { differs, leftOver } from './difference.ts'

/** A table that is made again, its columns that follow from blocks, and the height of its rows. */
type Remade = {
  readonly table: Table
  readonly columns: readonly string[]
  readonly heightOf: (row: Row) => number
}

const heightOfPlace =
  (column: number) =>
  (row: Row): number =>
    Math.floor(Number(row[column]) / placesPerBlock)

const remade: readonly Remade[] = [
  { table: token, columns: ['standard', 'first_height'], heightOf: (row) => Number(row[2]) },
  { table: nftToken, columns: ['owner_id', 'at'], heightOf: heightOfPlace(4) },
  { table: nftRange, columns: ['last_item', 'owner_id', 'at'], heightOf: heightOfPlace(4) },
  { table: nftAmount, columns: ['amount', 'negative'], heightOf: (row) => Number(row[3]) },
]

/** Parts of {@link compareState}. */
export type StateParts = {
  readonly database: Database
  /** Folder in which the temporary store may lie. */
  readonly dataDir: string
  /** Waited for now and then, so that others have their turn. */
  readonly pause: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Throws `source-mismatch` for a row that is not what all blocks from height `from` on make.
 *
 * Cost: all transfers and kept logs are read.
 */
export async function compareState(parts: StateParts, from: number): Promise<void> {
  const { database, dataDir, signal } = parts
  const folder = join(dataDir, 'copied-check')
  rmSync(folder, { recursive: true, force: true })
  const tables = [...controlTables, ...remade.map(({ table }) => table)]
  const temporary = await openStore(
    { store: 'embedded', dataDir: folder },
    database.name,
    tables,
    'write',
  )
  try {
    // Most of it outside of a snapshot, which keeps what others replace.
    const reached = await remakeTo(parts, { reader: database, temporary, from })
    await database.snapshot(async (reader) => {
      await remakeTo(parts, { reader, temporary, from: reached })
      for (const each of remade) await compareTable(parts, { reader, temporary, remade: each })
    })
  } finally {
    await temporary.close()
    if (!signal.aborted) rmSync(folder, { recursive: true, force: true })
  }
}

type Remaking = { readonly reader: Reader; readonly temporary: Database; readonly from: number }

/** Makes the rows of all blocks of `reader` from `from` on; returns the height after the last one. */
async function remakeTo(
  { pause, signal }: StateParts,
  { reader, temporary, from }: Remaking,
): Promise<number> {
  const last = (await getCheckpoint(reader, blockStage))?.height ?? -1
  const interner = new Interner()
  for (let at = from; at <= last; at += heightsPerSum) {
    signal.throwIfAborted()
    const range = { from: at, until: Math.min(last + 1, at + heightsPerSum) }
    const input = amountsInput(await storedBatch(reader, range))
    await temporary.transaction(async (writer) => {
      const into = writerOver(reader, writer)
      await writeTokens(into, input.batch, input)
      await writeNfts(into, input, interner)
    })
    await pause()
  }
  return last + 1
}

/** A writer that reads facts and numbers of addresses in `reader`, and what is made again in `writer`. */
function writerOver(reader: Reader, writer: Writer): Writer {
  const isRemade = (table: Table): boolean => remade.some((each) => each.table === table)
  const asked = ({ sqlite }: Statement): Reader =>
    sqlite.includes(`from ${nftRange.name}`) ? writer : reader
  return {
    ...writer,
    all: (question, parameters) => asked(question).all(question, parameters),
    get: (question, parameters) => asked(question).get(question, parameters),
    lookup: (lookup, keys) =>
      isRemade(lookup.table) ? writer.lookup(lookup, keys) : reader.lookup(lookup, keys),
    insert: (table, columns) => {
      if (isRemade(table)) return writer.insert(table, columns)
      const isEmpty = Object.values(columns).every(({ length }) => length === 0)
      assert(isEmpty, 'addresses of stored blocks have numbers')
      return undefined
    },
    // Holders are compared with the blocks.
    insertNew: (table, columns) => (isRemade(table) ? writer.insertNew(table, columns) : undefined),
  }
}

type TableToCompare = {
  readonly reader: Reader
  readonly temporary: Database
  readonly remade: Remade
}

async function compareTable(
  { pause }: StateParts,
  { reader, temporary, remade: { table, columns, heightOf } }: TableToCompare,
): Promise<void> {
  const names = columnNames(table)
  const keyAt = table.key.map((name) => names.indexOf(name))
  let copied = 0
  const pages = { table, names, where: '1 = 1', limits: [] }
  const isWhole = await eachPage(reader, pages, async (rows) => {
    copied += rows.length
    const keys = keyAt.map((at) => rows.map((row) => itemAt(row, at)))
    const told = await temporary.lookup({ table, key: table.key, select: columns }, keys)
    for (const [at, row] of rows.entries())
      await compareRow(temporary, { table, columns, height: heightOf(row), row, told: told[at] })
    await pause()
  })
  if (!isWhole) throw new Fault('store-failed', `rows cannot be read of table ${table.name}`)
  const all = Number((await temporary.get(countOf(table)))?.[0])
  if (all !== copied) throw leftOver(table.name, copied, all)
}

type RowToCompare = {
  readonly table: Table
  readonly columns: readonly string[]
  readonly height: number
  /** All columns of the copy. */
  readonly row: Row
  /** `columns` as the blocks make them; `undefined` where they make no such row. */
  readonly told: Row | undefined
}

async function compareRow(temporary: Reader, of: RowToCompare): Promise<void> {
  const { table, columns, height, row, told } = of
  const where = { height, table: table.name }
  const names = columnNames(table)
  if (told === undefined)
    throw differs({ ...where, column: itemAt(table.key, 0), copied: row[0], told: undefined })
  for (const [place, column] of columns.entries()) {
    const [has, must] = [itemAt(row, names.indexOf(column)), itemAt(told, place)]
    if (isEqual(has, must)) continue
    if (!(await mayDiffer(temporary, { table, row, column, told: must })))
      throw differs({ ...where, column, copied: has, told: must })
  }
}

function countOf({ name }: Table): Statement {
  return statement(`select count(*) from ${name}`)
}

const anyRange = statement('select 1 from nft_range where contract_id = ? limit 1')

/**
 * Returns whether the copy may have another value than the blocks make: a contract may declare a higher
 * standard than its logs show, and the first height of a contract that gave ranges depends on how blocks
 * were batched.
 */
async function mayDiffer(
  temporary: Reader,
  of: { readonly table: Table; readonly row: Row; readonly column: string; readonly told: Row[0] },
): Promise<boolean> {
  const { table, row, column, told } = of
  if (table !== token) return false
  if (column === 'standard') return Number(row[1]) > Number(told)
  return (await temporary.get(anyRange, [itemAt(row, 0)])) !== undefined
}
