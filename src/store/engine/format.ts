/**
 * The layout of stored tables. A store of another one is refused: until 1.0 it is deleted and indexed again.
 *
 * Every store makes tables that are missing when its writer opens it. One that holds blocks already would then
 * have a table without the rows of those blocks, and its answers would lack them without a sign.
 */

import { Fault } from '../../core/fault.ts'
import type { Table } from './table.ts'

/**
 * Number of the layout. It rises where stored values mean something else; other tables and columns are noticed
 * by themselves.
 */
export const storeFormat = 3

/** "Firn" in ASCII: marks our SQLite files. */
export const applicationId = 0x4669_726e

/** A store as its engine names it to an operator. */
export type NamedStore = {
  readonly name: string
  /** The file or the schema that goes when the store is deleted. */
  readonly place: string
}

/** The fault `store-version` of a store whose `what` is of another version. */
export function otherLayout({ name, place }: NamedStore, what: string, cause?: unknown): Fault {
  return new Fault(
    'store-version',
    `store ${name} was written by another version of Firn (${what}): delete ${place} to index it again; ` +
      'firn snapshot of that version keeps a copy',
    { detail: { store: name }, cause },
  )
}

/** Throws `store-version` where `stored` is not the layout `format`. */
export function checkFormat(store: NamedStore, stored: number, format: number): void {
  if (stored !== format) throw otherLayout(store, `layout ${stored} in place of ${format}`)
}

/** Returns whether a store with the tables `present` has checkpoints, so that it may hold blocks. */
export function saysHowFar(present: ReadonlySet<string>): boolean {
  return present.has('checkpoint')
}

/**
 * Throws `store-version` when a store that holds blocks lacks one of `tables`: another version made it. Tables
 * without sums hold nothing of blocks and may come later.
 */
export function checkWhole(
  store: NamedStore & { readonly tables: readonly Table[] },
  present: ReadonlySet<string>,
): void {
  const missing = store.tables.find(({ name, sums }) => sums !== undefined && !present.has(name))
  if (missing !== undefined) throw otherLayout(store, `no table ${missing.name}`)
}
