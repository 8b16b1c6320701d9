/**
 * Databases of tests on one PostgreSQL server: that of the test run (`scripts/test.ts`), or one
 * that a test file starts for itself when it runs alone.
 *
 *     const location = { store: await newDatabase(), dataDir: '' }
 */

import { after } from 'node:test'

import { createDatabase, type PostgresServer, startPostgres } from './postgres.ts'

let own: Promise<PostgresServer> | undefined
let count = 0

after(async () => (await own)?.stop())

/** URL of a new, empty database. */
export async function newDatabase(): Promise<string> {
  const name = `test_${process.pid}_${++count}`
  const running = process.env['TEST_POSTGRES']
  if (running !== undefined) return createDatabase(running, name)
  own ??= startPostgres()
  return createDatabase((await own).url, name)
}
