/** Stores in a PostgreSQL database, as namespaces. */

import pg from 'pg'

import { Fault } from '../../core/fault.ts'
import { namespaceOf } from '../engine/postgres.ts'
import { copyEnding, migrationStore } from '../schema/migration.ts'
import type { Place } from './place.ts'

const connectTimeoutMs = 5_000

/** Dropping a large store, or renaming one while others read it. */
const statementTimeoutMs = 600_000

const prefix = 'firn_'

/** The stores of the database at `url`. Throws `store-failed` when it cannot be reached. */
export async function postgresPlace(url: string): Promise<Place> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    application_name: 'firn migrate',
  })
  // A connection that breaks is told by the next statement.
  client.on('error', () => undefined)
  const asked = async (sql: string): Promise<readonly string[]> => {
    try {
      const { rows } = await client.query<[string]>({ text: sql, rowMode: 'array' })
      return rows.map(([name]) => name)
    } catch (cause) {
      throw new Fault('store-failed', `migration: ${messageOf(cause)}`, { cause })
    }
  }
  try {
    await client.connect()
  } catch (cause) {
    const message = `no PostgreSQL to migrate to or from: ${messageOf(cause)}`
    throw new Fault('store-failed', message, { cause })
  }
  const drop = (name: string): Promise<unknown> =>
    asked(`drop schema if exists "${namespaceOf(name)}" cascade`)
  return {
    names: async () => {
      const found = await asked(
        `select nspname::text from pg_namespace where nspname like 'firn\\_%'`,
      )
      // Names of stores have dashes where namespaces have underlines.
      return found.map((name) => name.slice(prefix.length).replaceAll('_', '-'))
    },
    drop: async (name) => void (await drop(name)),
    finish: async (names) => {
      await asked('begin')
      try {
        for (const name of names) {
          const copy = namespaceOf(`${name}${copyEnding}`)
          await asked(`alter schema "${copy}" rename to "${namespaceOf(name)}"`)
        }
        await drop(migrationStore)
        await asked('commit')
      } catch (error) {
        await asked('rollback')
        throw error
      }
    },
    close: () => client.end(),
  }
}

function messageOf(error: unknown): string {
  // Of several addresses that were tried, the error of all has no text of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
