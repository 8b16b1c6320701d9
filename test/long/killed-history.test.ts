/**
 * The history of a store of 0.1.0, whose conversion into segments is killed before any of its writes, is
 * that of a new store after the next start, and no file is left over.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { statement } from '../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { metricsTables } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { checkStore } from '../../src/store/sums/check-store.ts'
import { segmentFiles } from '../freeze-store.ts'
import { keptBlocks, keptFile, readOn, restoreKept, wholeChain } from '../released.ts'
import { newDatabase } from '../shared-postgres.ts'
import { storeDigest } from '../store-digest.ts'

const program = join(import.meta.dirname, '../convert-process.ts')
const folder = mkdtempSync(join(tmpdir(), 'firn-killed-history-'))
after(() => rmSync(folder, { recursive: true }))
/** Heights of a segment, so that there are several, the last of them of what is left. */
const freeze = { firn: 'test', heightsPerSegment: 8 }
/** Each store is killed this often, before other writes than the stores before it. */
const kills = 4
const stores = 5
const blocksInTables = statement('select count(*) from block', { rowsOnly: true })

for (const engine of ['sqlite', 'postgres'] as const)
  void test(`conversion: history is whole wherever it is killed (${engine})`, async () => {
    const fresh = { store: 'embedded', dataDir: newFolder(`fresh-${engine}`) }
    await readOn(fresh, wholeChain(), keptBlocks)
    const wanted = await digestOf(fresh)
    const writes = Number(convert(await keptStore(engine, 'whole'), -1).stdout)
    assert.ok(writes > kills * stores, `${writes}`)
    const seen = new Set<number>()
    for (let one = 0; one < stores; one++) {
      const location = await keptStore(engine, `${one}`)
      let left = writes
      for (let kill = 0; kill < kills; kill++) {
        // What was committed is not written again: each kill comes nearer to the end.
        const cut = Math.floor(((one + 1) * left) / (kills * stores))
        seen.add(writes - left + cut)
        const { signal, stdout } = convert(location, cut)
        assert.equal(signal, 'SIGKILL', `store ${one}, kill ${kill}: ${stdout}`)
        assert.deepEqual(await digestOf(location), wanted, `store ${one}, kill ${kill}`)
        left -= cut
      }
      assert.equal(convert(location, -1).signal, null)
      assert.deepEqual(await digestOf(location), wanted, `store ${one}`)
      await isConverted(location)
    }
    assert.ok(seen.size > stores, 'kills come before different writes')
  })

async function isConverted(location: StoreLocation): Promise<void> {
  const store = await openStore(location, 'chain', chainTables, 'read')
  assert.deepEqual(await store.all(blocksInTables), [[keptBlocks % freeze.heightsPerSegment]])
  const left = readdirSync(join(location.dataDir, 'segments', 'chain'))
  assert.deepEqual(left.toSorted(), await segmentFiles(store))
  await store.close()
}

async function keptStore(engine: 'sqlite' | 'postgres', name: string): Promise<StoreLocation> {
  const dataDir = newFolder(`${engine}-${name}`)
  if (engine === 'sqlite') {
    writeFileSync(join(dataDir, 'chain.sqlite'), keptFile('0.1.0', 'chain.sqlite'))
    return { store: 'embedded', dataDir, freeze }
  }
  const store = await newDatabase()
  await restoreKept('0.1.0', store)
  return { store, dataDir, freeze }
}

function newFolder(name: string): string {
  const made = join(folder, name)
  mkdirSync(made)
  return made
}

function convert(
  location: StoreLocation,
  cut: number,
): { readonly signal: NodeJS.Signals | null; readonly stdout: string } {
  return spawnSync(process.execPath, [program, JSON.stringify(location), String(cut)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Digests of the rows in tables and segments, which are those of the sums. */
async function digestOf(location: StoreLocation): Promise<Record<string, string>> {
  const store = await openStore(location, 'chain', chainTables, 'read')
  const { signal } = new AbortController()
  assert.deepEqual(await checkStore(store, chainTables, { signal }), [])
  const digest = await storeDigest(store, [...evmTables, ...metricsTables])
  await store.close()
  return digest
}
