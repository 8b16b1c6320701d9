/**
 * Databases of tests on one PostgreSQL server: that of the test run (`scripts/test.ts`), or one
 * that a test file starts for itself when it runs alone.
 *
 *     const location = { store: await newDatabase(), dataDir: '' }
 *
 * Filling one takes seconds, a copy by the server takes milliseconds: what several tests read is
 * filled once in a run, as folders are in `made-stores.ts`.
 */

import { join } from 'node:path'
import { after } from 'node:test'

import type { StoreLocation } from '../../../src/store/open.ts'
import { citusDatabase } from '../../fleet/citus-server.ts'
import { oneAtATime } from '../processes/one-at-a-time.ts'
import { madeFolder } from './made-stores.ts'
import {
  createDatabase,
  isDatabase,
  type PostgresServer,
  renameDatabase,
  startPostgres,
} from './postgres.ts'

let own: Promise<PostgresServer> | undefined
let citusRoom: Promise<string> | undefined
let count = 0
const making = new Map<string, Promise<string>>()

after(async () => (await own)?.stop())

/** Nodes of the Citus that the run has (`test/fleet/run.ts`). */
function nodesOf(text: string): string[] {
  const nodes: unknown = JSON.parse(text)
  return Array.isArray(nodes) ? nodes.map(String) : []
}

/**
 * URL of a database for stores of new names. On Citus it is one for all: making one takes two seconds
 * of three servers.
 */
export async function roomForStores(): Promise<string> {
  if (process.env['TEST_CITUS'] === undefined) return newDatabase()
  return (citusRoom ??= newDatabase())
}

/** URL of a new, empty database. */
export async function newDatabase(): Promise<string> {
  const citus = process.env['TEST_CITUS']
  if (citus !== undefined) return citusDatabase(nodesOf(citus), nextName())
  return createDatabase(await serverUrl(), nextName())
}

/** A new copy of the database that `fill` writes. What it opens it must close. */
export async function copyOfDatabase(
  name: string,
  fill: (location: StoreLocation) => Promise<void>,
): Promise<StoreLocation> {
  if (process.env['TEST_CITUS'] !== undefined) {
    // What lies on several nodes cannot be copied.
    const filled = { store: await newDatabase(), dataDir: '' }
    await fill(filled)
    return filled
  }
  let made = making.get(name)
  if (made === undefined) {
    const lock = join(madeFolder(), `${name}.database`)
    making.set(name, (made = oneAtATime(lock, () => madeOnce(name, fill))))
  }
  return { store: await createDatabase(await serverUrl(), nextName(), await made), dataDir: '' }
}

async function madeOnce(
  name: string,
  fill: (location: StoreLocation) => Promise<void>,
): Promise<string> {
  const url = await serverUrl()
  const kept = `made_${name}`
  if (await isDatabase(url, kept)) return kept
  const draft = nextName()
  await fill({ store: await createDatabase(url, draft), dataDir: '' })
  await renameDatabase(url, draft, kept)
  return kept
}

async function serverUrl(): Promise<string> {
  const running = process.env['TEST_POSTGRES']
  if (running !== undefined) return running
  own ??= startPostgres()
  return (await own).url
}

function nextName(): string {
  return `test_${process.pid}_${++count}`
}
