/** Namespaces of stores as a whole: taken away, and put in the place of others. */

import { connect, type Connection } from './connection.ts'
import { exec, type Link, postgresFault } from './link.ts'
import { namespaceOf, StoreNames } from './names.ts'

// Readers hold the tables of a namespace that goes for 30 s at most, as a statement of theirs may take.
const statementTimeoutMs = 120_000
const connectTimeoutMs = 5_000

/** Removes the namespace of store `name`, where there is one. Throws `store-failed`. */
export function removeNamespace(url: string, name: string): Promise<void> {
  return connected(url, name, (link) =>
    exec(link, `drop schema if exists "${namespaceOf(name)}" cascade`),
  )
}

/**
 * Puts the namespace of store `by` in the place of that of store `name`, in one transaction. Readers
 * of `name` read the new one from their next statement on. Throws `store-failed`; nothing changed then.
 */
export function replaceNamespace(url: string, name: string, by: string): Promise<void> {
  return connected(url, name, async (link) => {
    await exec(link, 'begin')
    await exec(link, `drop schema "${namespaceOf(name)}" cascade`)
    await exec(link, `alter schema "${namespaceOf(by)}" rename to "${namespaceOf(name)}"`)
    await exec(link, 'commit')
  })
}

async function connected(
  url: string,
  name: string,
  work: (link: Link) => Promise<void>,
): Promise<void> {
  const options = { url, applicationName: `firn ${name}`, connectTimeoutMs, statementTimeoutMs }
  let connection: Connection
  try {
    connection = await connect(options, { takesOptions: true })
  } catch (error) {
    throw postgresFault(name, error)
  }
  try {
    const names = new StoreNames(namespaceOf(name))
    await work({ name, names, use: (withConnection) => withConnection(connection) })
  } finally {
    await connection.client.end()
  }
}
