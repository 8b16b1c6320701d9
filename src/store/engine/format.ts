/**
 * Version of the stored format, and the way from each version to the next.
 *
 * Every store makes tables that are missing when its writer opens it. One that holds blocks already
 * would then have a new table without the rows of those blocks, so that its answers would lack them
 * without a sign: such a store is refused, unless a migration makes and fills the table. A migration
 * goes forward only and is never edited after a release.
 */

import { Fault } from '../../core/fault.ts'
import { address, transfer } from '../schema/evm.ts'
import { type Statement, statement } from './database.ts'
import type { Table } from './table.ts'

/**
 * One change of tables that exist. It runs in stores that have all of `tables`. On PostgreSQL each
 * statement must end within what a writing one may take.
 */
export type Migration = {
  readonly name: string
  readonly tables: readonly Table[]
  readonly statements: readonly Statement[]
}

/** Progress of the conversion of a store; `step` of `steps` begins, 1 is the first. */
export type Conversion = {
  readonly store: string
  readonly migration: string
  readonly step: number
  readonly steps: number
}

/** In order. Version `n + 1` is what a store is after the first `n`. */
export const migrations: readonly Migration[] = [
  {
    name: 'case of addresses',
    // Primary networks have a table of the same name, and no transfers.
    tables: [address, transfer],
    statements: [
      statement('alter table address add column cased integer', {
        postgres: 'alter table address add column cased bigint',
      }),
    ],
  },
]

/** "Firn" in ASCII: marks our SQLite files. */
export const applicationId = 0x4669_726e

/** Version that `list` leads to. */
export function formatVersion(list: readonly Migration[]): number {
  return list.length + 1
}

/**
 * Migrations that a store of `version` with `tables` still needs. Throws `store-version` when
 * the store was written by a newer product.
 */
export function pendingMigrations(
  store: { readonly name: string; readonly tables: readonly Table[]; readonly version: number },
  list: readonly Migration[],
): Migration[] {
  const newest = formatVersion(list)
  if (store.version > newest)
    throw new Fault(
      'store-version',
      `store ${store.name} has a format newer than ${newest}: ${store.version}`,
      { detail: { store: store.name, version: store.version, newest } },
    )
  const present = new Set(store.tables.map((table) => table.name))
  return list
    .slice(store.version - 1)
    .filter((migration) => migration.tables.every((table) => present.has(table.name)))
}

/**
 * Statements of `pending` in order. `converting` hears of each before it runs.
 *
 * @yields one statement
 */
export function* conversionSteps(
  store: { readonly name: string; readonly converting?: (conversion: Conversion) => void },
  pending: readonly Migration[],
): Generator<Statement> {
  const steps = pending.reduce((sum, { statements }) => sum + statements.length, 0)
  let step = 0
  for (const { name, statements } of pending)
    for (const each of statements) {
      step++
      store.converting?.({ store: store.name, migration: name, step, steps })
      yield each
    }
}

/**
 * Returns whether a store with the tables `present` has checkpoints, so that it may hold blocks.
 */
export function saysHowFar(present: ReadonlySet<string>): boolean {
  return present.has('checkpoint')
}

/**
 * Throws `store-version` when a store that holds blocks lacks one of `tables`: an older version made
 * it. Tables without sums hold nothing of blocks and may come later.
 */
export function checkWhole(
  store: { readonly name: string; readonly tables: readonly Table[] },
  present: ReadonlySet<string>,
): void {
  const missing = store.tables.find(({ name, sums }) => sums !== undefined && !present.has(name))
  if (missing === undefined) return
  throw new Fault(
    'store-version',
    `store ${store.name} was made by an older version, delete it to index again, or make it again by ` +
      `firn rebuild --primary where it is of a primary network: missing table ${missing.name}`,
    { detail: { store: store.name, table: missing.name } },
  )
}
