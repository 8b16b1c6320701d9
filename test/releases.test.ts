/**
 * Stores of both engines, recordings and page tokens that every version of Firn left behind go on in
 * this one: with the same rows as new ones, and the same next pages.
 *
 * `0.1.0` was written from the last commit before that version's release.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { openRecording } from '../src/source/recording.ts'
import { openStore, type StoreLocation } from '../src/store/open.ts'
import { evmTables } from '../src/store/schema/evm.ts'
import { metricsTables } from '../src/store/schema/metrics.ts'
import { primaryTables } from '../src/store/schema/primary.ts'
import { chainTables, primaryStoreTables } from '../src/store/schema/stores.ts'
import { checkStore } from '../src/store/sums/check-store.ts'
import { indexPrimary } from './primary-service.ts'
import {
  keptBlocks,
  keptFile,
  keptNetwork,
  type KeptPage,
  readOn,
  releasesFolder,
  restoreKept,
  serveKept,
  wholeChain,
} from './released.ts'
import { newDatabase } from './shared-postgres.ts'
import { storeDigest } from './store-digest.ts'

const versions = readdirSync(releasesFolder)
const { signal } = new AbortController()
const folders: string[] = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

void test('releases: there is one', () => assert.ok(versions.includes('0.1.0')))

for (const version of versions)
  for (const engine of ['sqlite', 'postgres'] as const) storesGoOn(version, engine)

function storesGoOn(version: string, engine: 'sqlite' | 'postgres'): void {
  void test(`releases: a chain's store of ${version} goes on to the rows of a new one (${engine})`, async () => {
    const old = await keptStores(version, engine)
    const fresh = at(newFolder())
    const whole = wholeChain()
    await readOn(fresh, whole, keptBlocks)
    for (const location of [old, fresh]) await readOn(location, whole, whole.heights.until)
    const wanted = await digestOf(fresh, 'chain', chainTables, [...evmTables, ...metricsTables])
    assert.deepEqual(
      await digestOf(old, 'chain', chainTables, [...evmTables, ...metricsTables]),
      wanted,
    )
  })

  void test(`releases: a primary network's store of ${version} holds the rows of a new one (${engine})`, async () => {
    const old = await keptStores(version, engine)
    const fresh = at(newFolder())
    await (await indexPrimary(fresh, { recording: keptNetwork })).close()
    // A writer opens it first: it is the one that brings a store forward.
    await (await openStore(old, 'primary-fuji', primaryStoreTables, 'write')).close()
    const wanted = await digestOf(fresh, 'primary-fuji', primaryStoreTables, primaryTables)
    assert.deepEqual(await digestOf(old, 'primary-fuji', primaryStoreTables, primaryTables), wanted)
  })

  void test(`releases: page tokens of ${version} lead to the same next page (${engine})`, async () => {
    const old = await keptStores(version, engine)
    const pages: KeptPage[] = JSON.parse(Buffer.from(keptFile(version, 'pages.json')).toString())
    assert.ok(pages.length >= 3)
    const store = await openStore(old, 'chain', chainTables, 'write')
    const service = await serveKept(store)
    for (const { path, token, next } of pages) {
      const { status, body } = await service.get(`${path}&pageToken=${token}`)
      assert.equal(status, 200, path)
      for (const [name, value] of Object.entries(next))
        // A token is sealed anew with every answer, and may have another form in another version.
        if (name !== 'nextPageToken') assert.deepEqual(body[name], value, `${path} ${name}`)
    }
    await service.close()
    await store.close()
  })
}

for (const version of versions)
  void test(`releases: a recording of ${version} is read as it was written`, async () => {
    const recording = openRecording(keptFile(version, 'chain.firnrec'))
    const range = { from: 0, until: keptBlocks }
    assert.deepEqual(recording.heights, range)
    const whole = wholeChain()
    for (const part of ['blocks', 'traces'] as const)
      assert.deepEqual(
        await recording[part](range, (all) => all, signal),
        await whole[part](range, (all) => all, signal),
      )
  })

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'firn-releases-'))
  folders.push(folder)
  return folder
}

/** Copies of the stores of a version. */
async function keptStores(version: string, engine: 'sqlite' | 'postgres'): Promise<StoreLocation> {
  if (engine === 'postgres') {
    const store = await newDatabase()
    await restoreKept(version, store)
    return { store, dataDir: '' }
  }
  const folder = newFolder()
  for (const name of ['chain.sqlite', 'primary-fuji.sqlite'])
    writeFileSync(join(folder, name), keptFile(version, name))
  return at(folder)
}

function at(dataDir: string): StoreLocation {
  return { store: 'embedded', dataDir }
}

/** Digests of `tables`; every row is in the sums that the store keeps. */
async function digestOf(
  location: StoreLocation,
  name: string,
  all: Parameters<typeof openStore>[2],
  tables: Parameters<typeof storeDigest>[1],
): Promise<Record<string, string>> {
  const store = await openStore(location, name, all, 'read')
  const damaged = await checkStore(store, all, { signal })
  assert.deepEqual(damaged, [])
  const digest = await storeDigest(store, tables)
  await store.close()
  return digest
}
