/** Stores on a PostgreSQL server: their names, and copies that get their names all at once. */

import pg from 'pg'

import { Fault } from '../../core/fault.ts'
import { namespaceOf } from '../engine/postgres/names.ts'

const connectTimeoutMs = 5_000

/** Dropping a large store, or renaming one while others read it. */
const statementTimeoutMs = 600_000

const prefix = 'firn_'

/** Ending of the name of a store that is not whole yet. */
export const copyEnding = '-restoring'

/** Names of all stores at `url`, copies among them. Throws `store-failed`. */
export function storesAt(url: string): Promise<readonly string[]> {
  return onServer(url, namesIn)
}

/** Drops all copies at `url`. */
export function dropCopies(url: string): Promise<void> {
  return onServer(url, async (query) => {
    for (const name of (await namesIn(query)).filter((each) => each.endsWith(copyEnding)))
      await query(`drop schema "${namespaceOf(name)}" cascade`)
  })
}

/** Gives the copies at `url` the names of their stores, in one transaction; none where there is none. */
export function nameCopies(url: string): Promise<void> {
  return onServer(url, async (query) => {
    await query('begin')
    for (const name of (await namesIn(query)).filter((each) => each.endsWith(copyEnding))) {
      const final = namespaceOf(name.slice(0, -copyEnding.length))
      await query(`alter schema "${namespaceOf(name)}" rename to "${final}"`)
    }
    await query('commit')
  })
}

type Query = (sql: string) => Promise<readonly string[]>

async function namesIn(query: Query): Promise<readonly string[]> {
  const found = await query(`select nspname::text from pg_namespace where nspname like 'firn\\_%'`)
  // Names of stores have dashes where namespaces have underlines.
  return found.map((name) => name.slice(prefix.length).replaceAll('_', '-'))
}

async function onServer<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    application_name: 'firn snapshot',
  })
  // A connection that breaks shows in the next statement.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(async (sql) => {
      const { rows } = await client.query<[string]>({ text: sql, rowMode: 'array' })
      return rows.map(([name]) => name)
    })
  } catch (cause) {
    throw new Fault('store-failed', `PostgreSQL: ${messageOf(cause)}`, { cause })
  } finally {
    await client.end()
  }
}

function messageOf(error: unknown): string {
  // Of several addresses that were tried, the error of all has no text of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
