/**
 * The same test on both engines, each on a real, new database.
 *
 *     onBothEngines('subject: statement', evmTables, async (store) => {
 *       const writer = await store.open('write')
 *     })
 *
 * What `open` gave is closed at the end of the test. One PostgreSQL server serves a test run, or a
 * test file that runs alone.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import type { Database } from '../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../src/store/engine/open.ts'
import type { Table } from '../src/store/engine/table.ts'
import { newDatabase } from './shared-postgres.ts'

/** A new store of one engine. */
export type TestStore = {
  readonly engine: 'sqlite' | 'postgres'
  readonly location: StoreLocation
  readonly name: string
  /** Opens it; `more` overrides parts of the location. Others may lie beside it. */
  readonly open: (mode: 'read' | 'write', more?: Partial<StoreLocation>) => Promise<Database>
}

let count = 0

/** Registers `check` as two tests. */
export function onBothEngines(
  title: string,
  tables: readonly Table[],
  check: (store: TestStore) => Promise<void>,
): void {
  void test(`${title} (sqlite)`, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-store-'))
    try {
      await withStore('sqlite', { store: 'embedded', dataDir }, { tables, check })
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
  void test(`${title} (postgres)`, async () => {
    await withStore('postgres', { store: await newDatabase(), dataDir: '' }, { tables, check })
  })
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
