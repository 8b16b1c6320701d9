/**
 * What every version of Firn left behind goes on in this one: stores with the same rows as new ones,
 * recordings, and the next pages of lists.
 *
 * `0.1.0` was written from the last commit before that version's release.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { openRecording } from '../src/source/recording.ts'
import { openStore } from '../src/store/engine/open.ts'
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
  serveKept,
  wholeChain,
} from './released.ts'
import { storeDigest } from './store-digest.ts'

const versions = readdirSync(releasesFolder)
const { signal } = new AbortController()
const folders: string[] = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

void test('releases: there is one', () => assert.ok(versions.includes('0.1.0')))

for (const version of versions) {
  void test(`releases: a chain's store of ${version} goes on to the rows of a new one`, async () => {
    const [old, fresh] = [unpacked(version, 'chain.sqlite'), newFolder()]
    const whole = wholeChain()
    await readOn(fresh, whole, keptBlocks)
    for (const folder of [old, fresh]) await readOn(folder, whole, whole.heights.until)
    const wanted = await digestOf(fresh, 'chain', chainTables, [...evmTables, ...metricsTables])
    assert.deepEqual(
      await digestOf(old, 'chain', chainTables, [...evmTables, ...metricsTables]),
      wanted,
    )
  })

  void test(`releases: a primary network's store of ${version} holds the rows of a new one`, async () => {
    const [old, fresh] = [unpacked(version, 'primary-fuji.sqlite'), newFolder()]
    await (await indexPrimary(at(fresh), { recording: keptNetwork })).close()
    // A writer opens it first: it is the one that brings a store forward.
    await (await openStore(at(old), 'primary-fuji', primaryStoreTables, 'write')).close()
    const wanted = await digestOf(fresh, 'primary-fuji', primaryStoreTables, primaryTables)
    assert.deepEqual(await digestOf(old, 'primary-fuji', primaryStoreTables, primaryTables), wanted)
  })

  void test(`releases: page tokens of ${version} lead to the same next page`, async () => {
    const old = unpacked(version, 'chain.sqlite')
    const pages: KeptPage[] = JSON.parse(Buffer.from(keptFile(version, 'pages.json')).toString())
    assert.ok(pages.length >= 3)
    const store = await openStore(at(old), 'chain', chainTables, 'write')
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
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'firn-releases-'))
  folders.push(folder)
  return folder
}

/** A new folder with a store of a version. */
function unpacked(version: string, name: string): string {
  const folder = newFolder()
  writeFileSync(join(folder, name), keptFile(version, name))
  return folder
}

function at(dataDir: string): { readonly store: string; readonly dataDir: string } {
  return { store: 'embedded', dataDir }
}

/** Digests of `tables`; every row is in the sums that the store keeps. */
async function digestOf(
  folder: string,
  name: string,
  all: Parameters<typeof openStore>[2],
  tables: Parameters<typeof storeDigest>[1],
): Promise<Record<string, string>> {
  const store = await openStore(at(folder), name, all, 'read')
  const damaged = await checkStore(store, all, { signal })
  assert.deepEqual(damaged, [])
  const digest = await storeDigest(store, tables)
  await store.close()
  return digest
}
