/** Questions and bulk writes over one PostgreSQL connection, or any of a pool. */

import pg from 'pg'

import { Fault, faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { type OnConflict, shapeOf, updateNames } from '../engine/bulk-sql.ts'
import {
  type Column,
  type Columns,
  type FoundRow,
  type Lookup,
  type Reader,
  type Row,
  type Statement,
  type Value,
  columnOf,
} from '../engine/database.ts'
import { type Table, typeOf } from '../schema/table.ts'
import type { Connection } from './connection.ts'
import { encodeArray, copyBytes, CopyIn, copySql } from './copy.ts'
import type { StoreNames } from './names.ts'
import {
  insertManySql,
  lookupManySql,
  lookupNames,
  removeManySql,
  typesOf,
  updateManySql,
} from './sql.ts'

/** Where to send queries; `name` of the store is for messages. */
export type Link = {
  readonly name: string
  readonly names: StoreNames
  /** Does `work` over a connection, in a transaction where a pooler needs one. */
  readonly use: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
}

// Rows per bulk statement: keeps a parameter of 32-byte values under 1 MiB.
const rowsPerStatement = 20_000

// COPY is not prepared: for few rows its planning costs more than it saves.
const leastCopied = 200

// A planned statement takes some 30 KB of each connection on the server: 20 MB at most.
const maxPrepared = 700

/** SQLSTATE 53100: the server's disk is full. */
const diskFull = '53100'
/** SQLSTATE 55P03: a lock was not free in time. */
const lockNotAvailable = '55P03'

/** All rows of an answer. */
export async function queryRows<R extends Row>(
  link: Link,
  statement: Statement<R>,
  parameters: readonly Value[] = [],
): Promise<R[]> {
  const { postgres: text, bigints } = statement
  const { rows } = await query(link, { text, values: [...parameters], bigints })
  return typed<R[]>(rows)
}

function typed<T>(rows: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the text says what it selects
  return rows as T
}

/** Runs a statement. Returns the number of rows it changed. */
export async function run(
  link: Link,
  statement: Statement,
  parameters: readonly Value[] = [],
): Promise<number> {
  const text = statement.postgres
  const answer = await query(link, { text, values: [...parameters], bigints: false })
  return answer.rowCount ?? 0
}

/** Runs `sql`, without parameters. */
export async function exec(link: Link, sql: string): Promise<void> {
  try {
    await link.use(({ client }) => client.query(link.names.of(sql)))
  } catch (error) {
    throw postgresFault(link.name, error)
  }
}

/** One row or `undefined` per key tuple. */
export async function findEach<T extends Table, Names extends readonly string[]>(
  link: Link,
  lookup: Lookup<T, Names>,
  keys: readonly Column[],
): Promise<(FoundRow<T, Names> | undefined)[]> {
  const until = keys[0]?.length ?? 0
  if (until === 0) return []
  const values = lookupNames(lookup).map((name, at) =>
    encodeArray(typeOf(lookup.table, name), itemAt(keys, at), { from: 0, until }),
  )
  const bigints = lookup.bigints ?? false
  const answer = await query(link, { text: lookupManySql(lookup), values, bigints })
  return answer.rows.map((row) => (row[0] === null ? undefined : typed(row.slice(1))))
}

/** Reads over a link. */
export function readerOf(link: Link): Reader {
  return {
    all: (statement, parameters) => queryRows(link, statement, parameters),
    get: async (statement, parameters) => (await queryRows(link, statement, parameters))[0],
    lookup: (lookup, keys) => findEach(link, lookup, keys),
  }
}

/** Adds rows, meeting existing keys as `conflict` says. */
export async function insertMany(
  link: Link,
  table: Table,
  rows: { readonly columns: Columns; readonly conflict: OnConflict },
): Promise<void> {
  const { names, count } = shapeOf(table, rows.columns)
  if (rows.conflict === 'fault' && count >= leastCopied) {
    await copyMany(link, table, { names, columns: rows.columns, count })
    return
  }
  const sql = insertManySql(table, names, rows.conflict)
  await inParts(link, { table, sql, names, columns: rows.columns, count })
}

/** Changes rows found by the table's key. */
export async function updateMany(link: Link, table: Table, columns: Columns): Promise<void> {
  const { names, count } = shapeOf(table, columns)
  const sql = updateManySql(table, names)
  await inParts(link, { table, sql, names: updateNames(table, names), columns, count })
}

/** Removes rows by the table's key. */
export async function removeMany(link: Link, table: Table, keys: Columns): Promise<void> {
  const { count } = shapeOf(table, keys)
  const work = { table, sql: removeManySql(table), names: table.key, columns: keys, count }
  await inParts(link, work)
}

/** A failure of the server or the driver as one of our faults. */
export function postgresFault(name: string, error: unknown, text = ''): Fault {
  const known = faultOf(error)
  if (known !== undefined) return known
  const state = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
  const message = error instanceof Error ? error.message : String(error)
  if (/statement pooling mode/.test(message))
    return new Fault(
      'bad-config',
      'PgBouncer is in statement mode, which has no transactions; set its pool_mode to transaction ' +
        'or session',
      { cause: error },
    )
  const locked =
    state === lockNotAvailable ? `; another session has a lock on ${tableIn(text)}` : ''
  return new Fault(
    state === diskFull ? 'store-full' : 'store-failed',
    `store ${name}: ${message}${locked}${remedyOf(error, state)}`,
    {
      detail: { store: name, sqlstate: state },
      cause: error,
    },
  )
}

/** The first table that a statement names. */
function tableIn(text: string): string {
  return /\b(?:into|update|from|copy)\s+((?:"?\w+"?\.)?"?\w+"?)/i.exec(text)?.[1] ?? 'a table of it'
}

// Source: PostgreSQL, appendix A, error codes.
const remedies: readonly (readonly [RegExp, string])[] = [
  // Invalid authorization, and a database that does not exist.
  [/^28|^3D000$/, '; mend user, password or database of the setting `store`'],
  // The disk is full.
  [/^53100$/, '; free space on the disk of the database server'],
  // Too many connections.
  [/^53300$/, '; raise max_connections of the server, or lower the setting `postgres.connections`'],
  // A transaction that may only read.
  [
    /^25006$/,
    '; the setting `store` must name the primary, replicas belong to `postgres.replicas`',
  ],
  // A lock.
  [/^55P03$/, '; see who has it in pg_locks, and end that session'],
  // A right that is missing.
  [/^42501$/, '; grant the user of the setting `store` the right to create in this database'],
]

/** Remedy for a server that is absent or refuses the login; empty for other failures. */
function remedyOf(error: unknown, state: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/CERT|UNABLE_TO_VERIFY/.test(code))
    return '; the certificate of the server is not known: name the file of its authority in the address, sslrootcert=/path'
  if (error instanceof Error && /does not support SSL/.test(error.message))
    return '; switch TLS on in the server, or say sslmode=disable in the address'
  if (/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EAI_AGAIN)$/.test(code))
    return '; start PostgreSQL, or mend the setting `store`'
  return remedies.find(([states]) => states.test(state))?.[1] ?? ''
}

async function copyMany(
  link: Link,
  table: Table,
  rows: { readonly names: readonly string[]; readonly columns: Columns; readonly count: number },
): Promise<void> {
  const { names, columns, count } = rows
  const sql = link.names.of(copySql(table, names))
  for (let from = 0; from < count; from += rowsPerStatement) {
    const until = Math.min(count, from + rowsPerStatement)
    const copy = new CopyIn(sql, copyBytes(table, names, { columns, from, until }))
    try {
      await link.use(({ client }) => client.query(copy).done)
    } catch (error) {
      throw postgresFault(link.name, error, sql)
    }
  }
}

async function inParts(
  link: Link,
  work: {
    readonly table: Table
    readonly sql: string
    readonly names: readonly string[]
    readonly columns: Columns
    readonly count: number
  },
): Promise<void> {
  for (let from = 0; from < work.count; from += rowsPerStatement) {
    const range = { from, until: Math.min(work.count, from + rowsPerStatement) }
    const values = work.names.map((name) =>
      encodeArray(typeOf(work.table, name), columnOf(work.columns, name), range),
    )
    await query(link, { text: work.sql, values, bigints: false })
  }
}

async function query(
  link: Link,
  request: { readonly text: string; readonly values: unknown[]; readonly bigints: boolean },
): Promise<pg.QueryArrayResult<Value[]>> {
  const text = link.names.question(request.text)
  try {
    return await link.use(async (connection) => {
      const { client, isPooled, prepared } = connection
      try {
        return await client.query<Value[]>({
          ...(isPooled ? {} : statementName(prepared, text)),
          text,
          values: request.values,
          rowMode: 'array',
          types: typesOf(request.bigints),
        })
      } catch (error) {
        throw error instanceof pg.DatabaseError ? error : causeOf(error, connection)
      }
    })
  } catch (error) {
    throw postgresFault(link.name, error, request.text)
  }
}

/** The driver says of a connection that ended only that it did; this says why. */
function causeOf(error: unknown, { endedBy }: Connection): unknown {
  return endedBy === undefined ? error : new Error(endedBy.message, { cause: error })
}

/**
 * A name under which a connection keeps a statement planned; none for those beyond the limit, and
 * for all behind a pooler, where the next transaction has another session.
 */
function statementName(prepared: Map<string, string>, text: string): { readonly name?: string } {
  const known = prepared.get(text)
  if (known !== undefined) return { name: known }
  if (prepared.size >= maxPrepared) return {}
  const name = `firn_${prepared.size}`
  prepared.set(text, name)
  return { name }
}
