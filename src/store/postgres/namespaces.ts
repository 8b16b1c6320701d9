/** Namespaces of stores as a whole: listed, taken away, and given the names of others. */

import { connect, type Connection } from './connection.ts'
import { postgresFault } from './link.ts'
import { namespaceOf } from './names.ts'

const connectTimeoutMs = 5_000
/** Dropping a large store, or renaming one while others read it. */
const statementTimeoutMs = 600_000
const listed = `select nspname::text from pg_namespace where nspname like 'firn\\_%'`

/** Names of all stores at `url`. Throws `store-failed`. */
export function storesAt(url: string): Promise<readonly string[]> {
  return connected(url, async ({ client }) => {
    const { rows } = await client.query<[string]>({ text: listed, rowMode: 'array' })
    // Names of stores have dashes where namespaces have underlines.
    return rows.map(([name]) => name.slice(namespaceOf('').length).replaceAll('_', '-'))
  })
}

/**
 * Drops namespaces of stores, where they are there, then gives others the names of other stores, in one
 * transaction. Readers of a name read the new one from their next statement on. Throws `store-failed`; nothing
 * changed then.
 */
export function changeNamespaces(
  url: string,
  change: {
    readonly drop?: readonly string[]
    readonly rename?: readonly (readonly [from: string, to: string])[]
  },
): Promise<void> {
  return connected(url, async ({ client }) => {
    await client.query('begin')
    for (const name of change.drop ?? [])
      await client.query(`drop schema if exists "${namespaceOf(name)}" cascade`)
    for (const [from, to] of change.rename ?? [])
      await client.query(`alter schema "${namespaceOf(from)}" rename to "${namespaceOf(to)}"`)
    await client.query('commit')
  })
}

async function connected<T>(url: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const options = { url, applicationName: 'firn stores', connectTimeoutMs, statementTimeoutMs }
  let connection: Connection | undefined
  try {
    connection = await connect(options, { takesOptions: true })
    return await work(connection)
  } catch (error) {
    throw postgresFault('on PostgreSQL', error)
  } finally {
    await connection?.client.end()
  }
}
