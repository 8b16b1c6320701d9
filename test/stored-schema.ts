/** Tables of stores as the engines have them, and as a version declared them. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

import pg from 'pg'

import { postgresDdl, sqliteDdl } from '../src/store/engine/ddl.ts'
import { applicationId, formatVersion, migrations } from '../src/store/engine/format.ts'
import { namespaceOf } from '../src/store/engine/postgres.ts'
import type { Table } from '../src/store/engine/table.ts'
import { segmentFormat } from '../src/store/ice/segment-index.ts'
import type { StoreLocation } from '../src/store/open.ts'
import { apiUseTables } from '../src/store/schema/api-use.ts'
import { deploymentTables } from '../src/store/schema/deployment.ts'
import { logStoreTables } from '../src/store/schema/logs.ts'
import { migrationTables } from '../src/store/schema/migration.ts'
import { nftRequestTables } from '../src/store/schema/nft.ts'
import {
  chainTables,
  eventTables,
  messageTables,
  primaryStoreTables,
} from '../src/store/schema/stores.ts'

/** Formats of a version: `schema.json` of its folder. */
export type KeptSchema = {
  /** Version of the tables. */
  readonly format: number
  /** Version of segments. */
  readonly segments: number
  /** Statements that made each kind of store. */
  readonly stores: Readonly<Record<string, Readonly<Record<'sqlite' | 'postgres', string[]>>>>
}

/** Every kind of store, by a name for it. */
export const storeKinds: Readonly<Record<string, readonly Table[]>> = {
  chain: chainTables,
  primary: primaryStoreTables,
  messages: messageTables,
  logs: logStoreTables,
  webhooks: eventTables,
  deployment: deploymentTables,
  'api-use': apiUseTables,
  'nft-requests': nftRequestTables,
  migration: migrationTables,
}

/** Formats of this version. */
export function presentSchema(): KeptSchema {
  const stores = Object.entries(storeKinds).map(([kind, tables]) => {
    const made = { sqlite: tables.flatMap(sqliteDdl), postgres: tables.flatMap(postgresDdl) }
    return [kind, made] as const
  })
  const format = formatVersion(migrations)
  return { format, segments: segmentFormat, stores: Object.fromEntries(stores) }
}

/** Something was stored: a table of history that is missing then lacks its rows. */
const someHeight = "insert into checkpoint (stage, height, epoch) values ('blocks', 0, 1)"

/** Makes a store as a version did, with a height where that kind of store has one. */
export async function makeKept(
  location: StoreLocation,
  kind: string,
  { format, stores }: KeptSchema,
): Promise<void> {
  const made = stores[kind]
  if (made === undefined) throw new Error(`no such kind of store was kept: ${kind}`)
  const height = made.sqlite.some((words) => words.includes(' checkpoint ')) ? [someHeight] : []
  if (location.store === 'embedded') {
    const file = new DatabaseSync(join(location.dataDir, `${kind}.sqlite`))
    file.exec(`pragma application_id = ${applicationId}`)
    for (const words of [...made.sqlite, ...height]) file.exec(words)
    file.exec(`pragma user_version = ${format}`)
    file.close()
    return
  }
  const client = new pg.Client({ connectionString: location.store })
  await client.connect()
  for (const words of [
    `create schema "${namespaceOf(kind)}"`,
    `set search_path = "${namespaceOf(kind)}"`,
    'create table firn_format (version bigint primary key)',
    `insert into firn_format (version) values (${format})`,
    ...made.postgres,
    ...height,
  ])
    await client.query(words)
  await client.end()
}

/** Columns and indexes of a store as its engine has them, a line each, in order. */
export async function storedSchema(location: StoreLocation, name: string): Promise<string[]> {
  const lines =
    location.store === 'embedded'
      ? sqliteSchema(join(location.dataDir, `${name}.sqlite`))
      : await postgresSchema(location.store, namespaceOf(name))
  return lines.toSorted()
}

function sqliteSchema(path: string): string[] {
  const file = new DatabaseSync(path)
  const rows = (words: string): string[] =>
    file
      .prepare(words)
      .all()
      .map((row) => JSON.stringify(row))
  const lines = [
    ...rows(
      `select t.name, t.wr, t.strict, c.name as col, c.type, c."notnull", c.pk
       from pragma_table_list t join pragma_table_xinfo(t.name) c
       where t.schema = 'main' and t.name not like 'sqlite_%'`,
    ),
    ...rows("select name, sql from sqlite_master where type = 'index' and sql is not null"),
  ]
  file.close()
  return lines
}

async function postgresSchema(url: string, namespace: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const columns = await client.query(
    `select table_name, column_name, data_type, is_nullable, collation_name
     from information_schema.columns where table_schema = $1 and table_name <> 'firn_format'`,
    [namespace],
  )
  // The table of the format had no key at first; stores are as good without.
  const indexes = await client.query(
    "select indexdef from pg_indexes where schemaname = $1 and tablename <> 'firn_format'",
    [namespace],
  )
  await client.end()
  return [...columns.rows, ...indexes.rows].map((row) => JSON.stringify(row))
}
