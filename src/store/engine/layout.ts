/**
 * Stores that this version can read and write, by the number of their layout and by their tables.
 *
 * A writer brings an older store to its own layout. A newer store is read by an older version as long as nothing was
 * taken away since, and written as long as none of its tables was changed.
 */

import { Fault } from '../../core/fault.ts'
import { version } from '../../core/version.ts'
import {
  type Change,
  changesOf,
  concerned,
  firstLayout,
  newestLayout,
  statementsOf,
} from '../migrations/migration.ts'
import { type Layouts, ownLayout } from '../migrations/migrations.ts'
import { columnNames, type Table } from '../schema/table.ts'
import { type Database, type Reader, type Row, statement } from './database.ts'

/** "Firn" in ASCII: marks our SQLite files. */
export const applicationId = 0x4669_726e

/** A store as its engine names it to an operator. */
export type NamedStore = {
  readonly name: string
  /** The file or the schema that goes when the store is deleted. */
  readonly place: string
  readonly tables: readonly Table[]
  readonly layouts: Layouts
}

/** The layout of a store as it is. */
export type StoredLayout = {
  readonly number: number
  /** The oldest layout whose version can read it, and the oldest whose version can write it. */
  readonly readableFrom: number
  readonly writableFrom: number
  /** Version of the product that made it; empty where that was not written. */
  readonly firn: string
}

/** The layout of a row of `firn_format`; those of unreleased versions had fewer columns. */
export function layoutOf(row: Row): StoredLayout {
  const [number = 0, readableFrom = number, writableFrom = number, firn = ''] = row
  return {
    number: Number(number),
    readableFrom: Number(readableFrom),
    writableFrom: Number(writableFrom),
    firn: String(firn),
  }
}

/** Values of the row of `firn_format` of a store with the tables `present`, which has the newest layout. */
export function layoutRow({ layouts }: NamedStore, present: PresentTables): string {
  const { tables, migrations } = layouts
  // Which stores had a table that is gone is not known any more.
  const isOwn = (change: Change): boolean =>
    change.does === 'drops' || present.has(concerned(change))
  const changed = (isMeant: (change: Change) => boolean): number =>
    migrations.findLast((each) =>
      changesOf(each, tables, migrations).some((change) => isOwn(change) && isMeant(change)),
    )?.layout ?? firstLayout
  const readableFrom = changed(({ does }) => /^(?:removes|drops|freezes)$/.test(does))
  const writableFrom = changed(({ does }) => does !== 'indexes')
  return `${newestLayout(migrations)}, ${readableFrom}, ${writableFrom}, '${version}'`
}

/** Tables of a store as they are, by name, and the names of their columns. */
export type PresentTables = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Throws `store-version` for a store that this version cannot read, and `store-failed` for one that a writer of this
 * version will bring to its layout.
 */
export function checkReadable(store: NamedStore, stored: StoredLayout): void {
  const own = newestLayout(store.layouts.migrations)
  if (stored.readableFrom > own) throw newerLayout(store, stored)
  const names = new Set(store.tables.map(({ name }) => name))
  if (changesSince(store, stored, names).length > 0)
    throw new Fault(
      'store-failed',
      `store ${store.name} has layout ${stored.number}: a process of this version that indexes brings it to ${own}`,
      { detail: { layout: stored.number } },
    )
}

/**
 * Statements that bring a store to the layout of this version, in order; none where it has it or a newer one. Throws
 * `store-version` for one that this version cannot write, and for one that is too old.
 */
export function migrationOf(
  store: NamedStore,
  stored: StoredLayout,
  { engine, present }: { readonly engine: Database['engine']; readonly present: PresentTables },
): readonly string[] {
  checkWritable(store, stored, newestLayout(store.layouts.migrations))
  return changesSince(store, stored, present).flatMap((change) => statementsOf(change, engine))
}

/** Changes to the tables that a store has, since its layout. Throws `store-version` for one that is too old. */
function changesSince(
  store: NamedStore,
  { number }: StoredLayout,
  present: { readonly has: (table: string) => boolean },
): readonly Change[] {
  if (number < firstLayout) throw olderLayout(store, `layout ${number}`)
  const { tables, migrations } = store.layouts
  return migrations
    .filter(({ layout }) => layout > number)
    .flatMap((migration) => changesOf(migration, tables, migrations))
    .filter((change) => present.has(concerned(change)))
}

/** Throws `store-version` for a store that the version of layout `own` cannot write, since a newer one has changed it. */
export function checkWritable(
  store: Pick<NamedStore, 'name' | 'place'>,
  stored: StoredLayout,
  own = ownLayout,
): void {
  if (stored.writableFrom > own) throw newerLayout(store, stored)
}

const layoutQuestion = statement<string>('select * from firn_format', { over: undefined })

/** Layout of an open store; `undefined` before it has one. Cost: one row. */
export async function storedLayout(reader: Pick<Reader, 'get'>): Promise<StoredLayout | undefined> {
  const row = await reader.get(layoutQuestion)
  return row && layoutOf(row)
}

/** As {@link checkWritable}, of an open store. Cost: one row. */
export async function checkOpenWritable(
  reader: Pick<Reader, 'get'>,
  store: Pick<NamedStore, 'name' | 'place'>,
): Promise<void> {
  const stored = await storedLayout(reader)
  if (stored !== undefined) checkWritable(store, stored)
}

/** Returns whether a store with the tables `present` has checkpoints, so that it may hold blocks. */
export function saysHowFar(present: PresentTables): boolean {
  return present.has('checkpoint')
}

/**
 * Throws `store-version` where a table lacks a column, and where a store that `hasBlocks` lacks one of its tables:
 * without the rows of these blocks its answers would lack them without a sign. Tables without sums hold nothing of
 * blocks and may come later. What else cannot be read is no difference of versions.
 */
export function checkTables(
  store: NamedStore,
  { present, hasBlocks }: { readonly present: PresentTables; readonly hasBlocks: boolean },
): void {
  for (const table of store.tables) {
    const columns = present.get(table.name)
    const lacking = columns && columnNames(table).find((column) => !columns.has(column))
    if (lacking === undefined && (columns !== undefined || !hasBlocks || table.sums === undefined))
      continue
    throw olderLayout(
      store,
      lacking === undefined ? `no table ${table.name}` : `${table.name} has no ${lacking}`,
    )
  }
}

function newerLayout(
  { name, place }: Pick<NamedStore, 'name' | 'place'>,
  { firn, number }: StoredLayout,
): Fault {
  const version = firn === '' ? 'a newer version of Firn' : `version ${firn} of Firn`
  return new Fault(
    'store-version',
    `store ${name} was written by ${version} (layout ${number}): start that version; this one leaves ${place} as it is`,
    { detail: { store: name } },
  )
}

/** Of an unreleased version. */
function olderLayout({ name, place, tables }: NamedStore, what: string): Fault {
  // Others hold keys, webhooks, verified contracts: no node gives them again.
  const isIndexed = tables.some((table) => table.name === 'checkpoint')
  const remedy = isIndexed
    ? `delete ${place} to index it again; firn snapshot of that version keeps a copy`
    : `start that version; ${place} holds what cannot be indexed again`
  return new Fault(
    'store-version',
    `store ${name} was written by a version before 1.0 (${what}): ${remedy}`,
    { detail: { store: name } },
  )
}
