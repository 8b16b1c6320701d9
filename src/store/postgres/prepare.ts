/** Makes a store on PostgreSQL what this version reads and writes: its namespace, format and tables. */

import { createHash } from 'node:crypto'

import { Fault } from '../../core/fault.ts'
import type { Statement } from '../engine/database.ts'
import { postgresDdl } from '../engine/ddl.ts'
import {
  checkTables,
  layoutRow,
  migrationOf,
  type NamedStore,
  type PresentTables,
  saysHowFar,
  storedLayout,
} from '../engine/layout.ts'
import { newestLayout } from '../migrations/migration.ts'
import { storeLayout } from '../schema/control.ts'
import { queryRows, exec, type Link, readerOf } from './link.ts'

/** A store to prepare, within a transaction. */
export type PreparedStore = NamedStore & {
  readonly namespace: string
  readonly link: Link
  readonly hasCitus: boolean
}

/**
 * Makes what is missing. Several processes may do this at once. Throws `bad-config`, `store-version`.
 */
export async function prepareStore(store: PreparedStore): Promise<void> {
  const { link, namespace } = store
  await queryRows(link, lockQuestion, [lockKey(`${namespace} tables`)])
  const isThere = (await queryRows(link, namespaceQuestion, [namespace])).length > 0
  if (!isThere && store.hasCitus) await checkSharding(link)
  if (isThere) await checkOwn(store)
  else await exec(link, `create schema "${namespace}"`)
  // By its key Citus can move it, with the store, to another worker.
  for (const each of postgresDdl(storeLayout)) await exec(link, each)
  const stored = await storedLayout(readerOf(link))
  if (stored !== undefined) {
    const to = { engine: 'postgres', present: await presentTables(store) } as const
    for (const each of migrationOf(store, stored, to)) await exec(link, each)
  }
  const present = await presentTables(store)
  const hasBlocks = saysHowFar(present) && (await queryRows(link, stageQuestion)).length > 0
  checkTables(store, { present, hasBlocks })
  // Even where an index exists, its statement waits for everybody who writes the table.
  for (const table of store.tables)
    if (!present.has(table.name) || table.indexes.some((index) => !present.has(index.name)))
      for (const each of postgresDdl(table)) await exec(link, each)
  if (stored !== undefined && stored.number >= newestLayout(store.layouts.migrations)) return
  await exec(link, 'drop table firn_format')
  for (const each of postgresDdl(storeLayout)) await exec(link, each)
  const row = layoutRow(store, await presentTables(store))
  await exec(link, `insert into firn_format values (${row})`)
}

async function presentTables({ link, namespace }: PreparedStore): Promise<PresentTables> {
  const rows = await queryRows(link, columnsQuestion, [namespace])
  return new Map(
    rows.map(([table, columns]) => [String(table), new Set(String(columns).split(' '))]),
  )
}

/** Number of an advisory lock: 48 bits of a hash, so that it fits a double. */
export function lockKey(text: string): number {
  return createHash('sha256').update(`firn ${text}`).digest().readUIntBE(0, 6)
}

/** Without it Citus would keep the tables of every store on its coordinator. */
async function checkSharding(link: Link): Promise<void> {
  const [sharding] = (await queryRows(link, shardingQuestion))[0] ?? []
  if (sharding === 'on') return
  throw new Fault(
    'bad-config',
    'Citus has no schema-based sharding in this database; use Citus 12 or newer, and: alter ' +
      'database … set citus.enable_schema_based_sharding = on',
  )
}

/** Throws `store-version` where a schema of this name has tables of another program. */
async function checkOwn({ link, namespace }: PreparedStore): Promise<void> {
  const present = await queryRows(link, tablesQuestion, [namespace])
  if (present.length === 0 || present.some(([name]) => name === 'firn_format')) return
  throw new Fault(
    'store-version',
    `the tables in schema ${namespace} were not made by Firn; drop it, or name another database in \`store\``,
  )
}

/** A question for PostgreSQL alone. */
export function onlyPostgres(postgres: string): Statement {
  return { sqlite: '', postgres, bigints: false, isLimited: false, unsummed: false }
}

const tablesQuestion = onlyPostgres('select tablename from pg_tables where schemaname = ?')
// Indexes, too, have columns.
const columnsQuestion = onlyPostgres(
  `select c.relname::text, string_agg(a.attname, ' ') from pg_class c
   join pg_namespace n on n.oid = c.relnamespace
   join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where n.nspname = ? and c.relkind in ('r', 'p', 'i', 'I') group by c.relname`,
)
const stageQuestion = onlyPostgres('select 1 from checkpoint limit 1')
const lockQuestion = onlyPostgres('select pg_advisory_xact_lock(?::bigint)')
const namespaceQuestion = onlyPostgres('select 1 from pg_namespace where nspname = ?')
const shardingQuestion = onlyPostgres(
  "select current_setting('citus.enable_schema_based_sharding', true)",
)
