/**
 * Every change of a store's format has a migration: stores of each release, opened by this version, get
 * the tables that a new store has. A change of a table without one fails here, on the engine that differs.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import type { Table } from '../src/store/engine/table.ts'
import { segmentFormat } from '../src/store/ice/segment-index.ts'
import { Segment } from '../src/store/ice/segment.ts'
import { openStore, type StoreLocation } from '../src/store/open.ts'
import { address } from '../src/store/schema/evm.ts'
import { keptFile, releasesFolder, restoreKept } from './released.ts'
import { newDatabase } from './shared-postgres.ts'
import {
  type KeptSchema,
  makeKept,
  presentSchema,
  storedSchema,
  storeKinds,
} from './stored-schema.ts'

const folders: string[] = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

for (const version of readdirSync(releasesFolder)) {
  for (const engine of ['sqlite', 'postgres'] as const) {
    void test(`formats: kept stores of ${version} get the tables of new ones (${engine})`, async () => {
      const old = await keptStores(version, engine)
      for (const [name, kind] of [
        ['chain', 'chain'],
        ['primary-fuji', 'primary'],
      ] as const)
        await getsTablesOfNew(old, name, storeKinds[kind] ?? [])
    })

    void test(`formats: every kind of store of ${version} gets the tables of a new one (${engine})`, async () => {
      const schema = keptSchema(version)
      assert.deepEqual(Object.keys(schema.stores), Object.keys(storeKinds))
      for (const [kind, tables] of Object.entries(storeKinds)) {
        const location = await newPlace(engine)
        await makeKept(location, kind, schema)
        await getsTablesOfNew(location, kind, tables)
      }
    })
  }

  void test(`formats: segments of ${version} are read`, () => {
    const { segments: format } = keptSchema(version)
    // A later format reads a kept file of each before it.
    const read = format === segmentFormat ? format : formatOfKept(format)
    assert.equal(read, format)
  })
}

/** Format of the kept segment of a format, which is opened. */
function formatOfKept(format: number): number {
  const kept = new Segment(join(import.meta.dirname, `../vectors/segments/format-${format}.ice`))
  try {
    assert.deepEqual(kept.damagedTables(), [])
    return kept.index.format
  } finally {
    kept.close()
  }
}

void test('formats: a change of a column, of an index or of a key without a migration is seen', async () => {
  const { columns } = address
  const changes: Readonly<Record<string, Table>> = {
    type: { ...address, columns: { ...columns, cased: 'text?' } },
    null: { ...address, columns: { ...columns, cased: 'integer' } },
    key: { ...address, key: ['bytes'] },
    layout: { ...address, layout: 'keyed', key: ['id', 'bytes'] },
  }
  for (const engine of ['sqlite', 'postgres'] as const)
    for (const [what, changed] of Object.entries(changes)) {
      const location = await newPlace(engine)
      await makeKept(location, 'chain', presentSchema())
      const tables = (storeKinds['chain'] ?? []).map((each) => (each === address ? changed : each))
      await assert.rejects(getsTablesOfNew(location, 'chain', tables), `${what}, ${engine}`)
    }
})

/** Asserts that an old store has the tables of a new one once a writer has opened it. */
async function getsTablesOfNew(
  old: StoreLocation,
  name: string,
  tables: readonly Table[],
): Promise<void> {
  assert.ok(tables.length > 0)
  const fresh = await newPlace(old.store === 'embedded' ? 'sqlite' : 'postgres')
  for (const location of [old, fresh])
    await (await openStore(location, name, tables, 'write')).close()
  assert.deepEqual(await storedSchema(old, name), await storedSchema(fresh, name), name)
}

function keptSchema(version: string): KeptSchema {
  return JSON.parse(readFileSync(join(releasesFolder, version, 'schema.json'), 'utf8'))
}

async function newPlace(engine: 'sqlite' | 'postgres'): Promise<StoreLocation> {
  if (engine === 'postgres') return { store: await newDatabase(), dataDir: '' }
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-formats-'))
  folders.push(dataDir)
  return { store: 'embedded', dataDir }
}

async function keptStores(version: string, engine: 'sqlite' | 'postgres'): Promise<StoreLocation> {
  const location = await newPlace(engine)
  if (engine === 'postgres') await restoreKept(version, location.store)
  else
    for (const name of ['chain.sqlite', 'primary-fuji.sqlite'])
      writeFileSync(join(location.dataDir, name), keptFile(version, name))
  return location
}
