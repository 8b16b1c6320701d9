/**
 * The same test on both engines, each on a real, new database.
 *
 *     onBothEngines('subject: statement', evmTables, async (store) => {
 *       const writer = await store.open('write')
 *     })
 *
 * Stores that `open` gave are closed at the end of the test. One PostgreSQL server serves a test
 * run, or a test file that runs alone.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import type { Database } from '../../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import type { Table } from '../../../src/store/schema/table.ts'
import { copyOfMade } from './made-stores.ts'
import { copyOfDatabase, roomForStores } from './shared-postgres.ts'

/** A new store of one engine. */
export type TestStore = {
  readonly engine: 'sqlite' | 'postgres'
  readonly location: StoreLocation
  readonly name: string
  /** Opens it; `more` overrides parts of the location. Others may lie beside it. */
  readonly open: (mode: 'read' | 'write', more?: Partial<StoreLocation>) => Promise<Database>
}

/** Stores that are there before a test: written once in a run, and copied. */
export type Filling = {
  readonly name: string
  readonly fill: (location: StoreLocation) => Promise<void>
}

let count = 0

/** Registers `check` as two tests. */
export function onBothEngines(
  title: string,
  tables: readonly Table[],
  check: (store: TestStore) => Promise<void>,
  filling?: Filling,
): void {
  void test(`${title} (sqlite)`, async () => {
    const dataDir = await newFolder(filling)
    try {
      await withStore('sqlite', { store: 'embedded', dataDir }, { tables, check })
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
  void test(`${title} (postgres)`, async () => {
    const location =
      filling === undefined
        ? { store: await roomForStores(), dataDir: '' }
        : await copyOfDatabase(filling.name, filling.fill)
    await withStore('postgres', location, { tables, check })
  })
}

/** A new folder, empty or with the stores of `filling`; the caller removes it. */
export async function newFolder(filling?: Filling): Promise<string> {
  if (filling === undefined) return mkdtempSync(join(tmpdir(), 'firn-store-'))
  return copyOfMade(filling.name, (dataDir) => filling.fill({ store: 'embedded', dataDir }))
}

async function withStore(
  engine: TestStore['engine'],
  location: StoreLocation,
  run: { readonly tables: readonly Table[]; readonly check: (store: TestStore) => Promise<void> },
): Promise<void> {
  const opened: Database[] = []
  const name = `test-${++count}`
  try {
    await run.check({
      engine,
      location,
      name,
      open: async (mode, more) => {
        const database = await openStore({ ...location, ...more }, name, run.tables, mode)
        opened.push(database)
        return database
      },
    })
  } finally {
    for (const database of opened.toReversed()) await database.close()
  }
}
