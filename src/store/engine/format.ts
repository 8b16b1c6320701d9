/**
 * The layout of stored tables. A store of another one is refused: until 1.0 it is deleted and indexed again.
 *
 * Every store makes tables that are missing when its writer opens it. One that holds blocks already would then
 * have a table without the rows of those blocks, and its answers would lack them without a sign.
 */

import { Fault } from '../../core/fault.ts'
import { columnNames, type Table } from '../schema/table.ts'

/**
 * Number of the layout. It rises where stored values mean something else; other tables and columns are noticed
 * by themselves.
 */
export const storeFormat = 4

/** "Firn" in ASCII: marks our SQLite files. */
export const applicationId = 0x4669_726e

/** A store as its engine names it to an operator. */
export type NamedStore = {
  readonly name: string
  /** The file or the schema that goes when the store is deleted. */
  readonly place: string
  readonly tables: readonly Table[]
}

/** Tables of a store as they are, by name, and the names of their columns. */
export type PresentTables = ReadonlyMap<string, ReadonlySet<string>>

/** Throws `store-version` where `stored` is not the layout `format`. */
export function checkFormat(store: NamedStore, stored: number, format: number): void {
  const what = `layout ${stored} in place of ${format}`
  if (stored > format) throw newerLayout(store, what)
  if (stored < format) throw olderLayout(store, what)
}

/** Returns whether a store with the tables `present` has checkpoints, so that it may hold blocks. */
export function saysHowFar(present: PresentTables): boolean {
  return present.has('checkpoint')
}

/**
 * Throws `store-version` where a table lacks a column, and where a store that `hasBlocks` lacks one of its tables.
 * Tables without sums hold nothing of blocks and may come later. What else cannot be read is no difference of
 * versions.
 */
export function checkTables(
  store: NamedStore,
  { present, hasBlocks }: { readonly present: PresentTables; readonly hasBlocks: boolean },
): void {
  const foreign = [...present].flatMap(([name, columns]) => {
    const own = store.tables.find((table) => table.name === name)
    const known = new Set(own && columnNames(own))
    const unknown = [...columns].find((column) => !known.has(column))
    return own === undefined || unknown === undefined ? [] : `${name} has ${unknown}`
  })
  for (const table of store.tables) {
    const columns = present.get(table.name)
    const lacking = columns && columnNames(table).find((column) => !columns.has(column))
    if (lacking === undefined && (columns !== undefined || !hasBlocks || table.sums === undefined))
      continue
    const lacks =
      lacking === undefined ? `no table ${table.name}` : `${table.name} has no ${lacking}`
    if (foreign.length > 0) throw newerLayout(store, [lacks, ...foreign].join(', '))
    throw olderLayout(store, lacks)
  }
}

/** A store with columns that this version does not know was written by a newer one: it is left as it is. */
function newerLayout({ name, place }: NamedStore, what: string): Fault {
  return new Fault(
    'store-version',
    `store ${name} was written by a newer version of Firn (${what}): start that version; this one leaves ${place} as it is`,
    { detail: { store: name } },
  )
}

function olderLayout({ name, place, tables }: NamedStore, what: string): Fault {
  // Others hold keys, webhooks, verified contracts: no node gives them again.
  const isIndexed = tables.some((table) => table.name === 'checkpoint')
  const remedy = isIndexed
    ? `delete ${place} to index it again; firn snapshot of that version keeps a copy`
    : `start that version; ${place} holds what cannot be indexed again`
  return new Fault(
    'store-version',
    `store ${name} was written by an older version of Firn (${what}): ${remedy}`,
    { detail: { store: name } },
  )
}
