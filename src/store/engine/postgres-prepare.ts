/** Makes a store on PostgreSQL what this version reads and writes: its namespace, format and tables. */

import { createHash } from 'node:crypto'

import { Fault } from '../../core/fault.ts'
import type { Statement } from './database.ts'
import { columnsSql, foreignTable, postgresDdl } from './ddl.ts'
import {
  checkWhole,
  type Conversion,
  conversionSteps,
  formatVersion,
  type Migration,
  pendingMigrations,
  saysHowFar,
} from './format.ts'
import { ask, exec, type Link } from './postgres-link.ts'
import type { Table } from './table.ts'

/** A store to prepare, within a transaction. */
export type PreparedStore = {
  readonly name: string
  readonly namespace: string
  readonly tables: readonly Table[]
  readonly migrations: readonly Migration[]
  readonly converting?: (conversion: Conversion) => void
  readonly link: Link
  readonly hasCitus: boolean
  /** Returns whether a process lives that is marked as the writer of a lease's epoch. */
  readonly isWritten: (epoch: number) => Promise<boolean>
}

/**
 * Makes what is missing and brings an older format forward. Several processes may do this at once.
 * Throws `bad-config`, `store-version`, and `lease-lost` while an older version writes.
 */
export async function prepareStore(store: PreparedStore): Promise<void> {
  const { link, namespace } = store
  await ask(link, lockQuestion, [lockKey(`${namespace} tables`)])
  const isThere = (await ask(link, namespaceQuestion, [namespace])).length > 0
  if (!isThere && store.hasCitus) await checkSharding(link)
  if (isThere) await checkOwn(store)
  else await exec(link, `create schema "${namespace}"`)
  // By its key Citus can move it, with the store, to another worker.
  await exec(link, 'create table if not exists firn_format (version bigint primary key)')
  const newest = formatVersion(store.migrations)
  const version = (await storedVersion(link)) ?? newest
  const pending = pendingMigrations({ ...store, version }, store.migrations)
  if (pending.length > 0) await checkNobodyWrites(store)
  for (const each of conversionSteps(store, pending)) await exec(link, each.postgres)
  await checkTables(store)
  for (const table of store.tables) await makeTable(store, table)
  await exec(link, 'delete from firn_format')
  await exec(link, `insert into firn_format (version) values (${newest})`)
}

/** The format of a store; `undefined` where it has none yet. */
export async function storedVersion(link: Link): Promise<number | undefined> {
  const [version] = (await ask(link, formatQuestion))[0] ?? []
  return version === undefined ? undefined : Number(version)
}

/** Number of an advisory lock: 48 bits of a hash, so that it fits a double. */
export function lockKey(text: string): number {
  return createHash('sha256').update(`firn ${text}`).digest().readUIntBE(0, 6)
}

/** Without it Citus would keep the tables of every store on its coordinator. */
async function checkSharding(link: Link): Promise<void> {
  const [sharding] = (await ask(link, shardingQuestion))[0] ?? []
  if (sharding === 'on') return
  throw new Fault(
    'bad-config',
    'Citus has no schema-based sharding in this database; use Citus 12 or newer, and: alter ' +
      'database … set citus.enable_schema_based_sharding = on',
  )
}

/** Throws `store-version` where a schema of this name has tables of another program. */
async function checkOwn({ link, namespace }: PreparedStore): Promise<void> {
  const present = await ask(link, tablesQuestion, [namespace])
  if (present.length === 0 || present.some(([name]) => name === 'firn_format')) return
  throw new Fault(
    'store-version',
    `the tables in schema ${namespace} were not made by Firn; drop it, or name another database in \`store\``,
  )
}

/** Throws `lease-lost` while a process of the older version lives and writes this store. */
async function checkNobodyWrites({
  link,
  name,
  namespace,
  isWritten,
}: PreparedStore): Promise<void> {
  const present = await ask(link, tablesQuestion, [namespace])
  if (!present.some(([table]) => table === 'lease')) return
  const [epoch] = (await ask(link, epochQuestion))[0] ?? []
  if (epoch === undefined || !(await isWritten(Number(epoch)))) return
  throw new Fault(
    'lease-lost',
    `store ${name} is written by a process of an older version, and is converted when that process ends`,
  )
}

async function checkTables(store: PreparedStore): Promise<void> {
  const rows = await ask(store.link, tablesQuestion, [store.namespace])
  const present = new Set(rows.map(([name]) => String(name)))
  if (!saysHowFar(present)) return
  if ((await ask(store.link, stageQuestion)).length > 0) checkWhole(store, present)
}

async function makeTable({ link, name }: PreparedStore, table: Table): Promise<void> {
  const [create = '', ...indexes] = postgresDdl(table)
  await exec(link, create)
  try {
    await exec(link, columnsSql(table))
  } catch (error) {
    throw foreignTable(name, table, error)
  }
  for (const each of indexes) await exec(link, each)
}

/** A question that only PostgreSQL is asked. */
export function onlyPostgres(postgres: string): Statement {
  return { sqlite: '', postgres, bigints: false, unsummed: false }
}

const formatQuestion = onlyPostgres('select version from firn_format')
const tablesQuestion = onlyPostgres('select tablename from pg_tables where schemaname = ?')
const stageQuestion = onlyPostgres('select 1 from checkpoint limit 1')
const lockQuestion = onlyPostgres('select pg_advisory_xact_lock(?::bigint)')
const namespaceQuestion = onlyPostgres('select 1 from pg_namespace where nspname = ?')
const epochQuestion = onlyPostgres('select epoch from lease where id = 1')
const shardingQuestion = onlyPostgres(
  "select current_setting('citus.enable_schema_based_sharding', true)",
)
