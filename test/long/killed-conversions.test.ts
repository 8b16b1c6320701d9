/**
 * A store of 0.1.0 that a later format converts, killed before any statement, keeps its old rows until
 * the conversion is whole, and the next start converts it.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import { statement } from '../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { laterMigrations, laterSteps } from '../later-format.ts'
import { keptFile, restoreKept } from '../released.ts'
import { newDatabase } from '../shared-postgres.ts'
import { storeDigest } from '../store-digest.ts'

const program = join(import.meta.dirname, '../conversion-process.ts')
const folder = mkdtempSync(join(tmpdir(), 'firn-conversions-'))
after(() => rmSync(folder, { recursive: true }))
const trials = statement('select count(*), min(trial - id * 2), max(trial - id * 2) from address')

void test('conversion: killed anywhere it is done at the next start (sqlite)', async () => {
  writeFileSync(join(folder, 'chain.sqlite'), keptFile('0.1.0', 'chain.sqlite'))
  await killedEverywhere({ store: 'embedded', dataDir: folder })
})

void test('conversion: killed anywhere it is done at the next start (postgres)', async () => {
  const store = await newDatabase()
  await restoreKept('0.1.0', store)
  await killedEverywhere({ store, dataDir: '' })
})

void test('conversion: another process did it between the look at the format and the start', async () => {
  const dataDir = join(folder, 'two')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'chain.sqlite'), keptFile('0.1.0', 'chain.sqlite'))
  const location = { store: 'embedded', dataDir }
  const migrations = laterMigrations()
  let looks = 0
  // An engine takes what is pending out of the list by `slice`.
  const slice = migrations.slice.bind(migrations)
  migrations.slice = (from, until) => {
    if (looks++ === 0) assert.equal(convert(location, -1).stdout.at(-1), 'done')
    return slice(from, until)
  }
  const store = await openStore({ ...location, migrations }, 'chain', chainTables, 'write')
  assert.deepEqual(await store.all(trials), [[449, 1, 1]])
  await store.close()
})

async function killedEverywhere(location: StoreLocation): Promise<void> {
  // An older product goes on with it after each kill: it is still of the old format.
  const old = await digest(location)
  assert.match(old['balance'] ?? '', /^316 rows/)
  for (let cut = 0; cut < laterSteps; cut++) {
    const { signal, stdout } = convert(location, cut)
    assert.equal(signal, 'SIGKILL', `cut ${cut}`)
    assert.deepEqual(stdout, said(cut + 1), `cut ${cut}`)
    assert.deepEqual(await digest(location), old, `cut ${cut}`)
  }
  assert.deepEqual(convert(location, -1).stdout, [...said(laterSteps), 'done'])
  assert.deepEqual(convert(location, -1).stdout, ['done'], 'once')

  const later = { ...location, migrations: laterMigrations() }
  const store = await openStore(later, 'chain', chainTables, 'read')
  assert.deepEqual(await store.all(trials), [[449, 1, 1]])
  const { balance, ...rest } = await storeDigest(store, evmTables)
  assert.match(balance ?? '', /^0 rows/)
  assert.deepEqual({ ...rest, balance: old['balance'] }, old)
  await store.close()

  for (const mode of ['read', 'write'] as const)
    await assert.rejects(
      openStore(location, 'chain', chainTables, mode),
      (error) =>
        error instanceof Fault &&
        error.code === 'store-version' &&
        error.message === 'store chain has a format newer than 2: 3',
      mode,
    )
}

/** Lines of a conversion that begins with `steps` steps. */
function said(steps: number): string[] {
  return Array.from({ length: steps }, (_, step) => `trial ${step + 1}/${laterSteps}`)
}

function convert(
  location: StoreLocation,
  cut: number,
): { readonly signal: NodeJS.Signals | null; readonly stdout: readonly string[] } {
  const words = [program, JSON.stringify(location), String(cut)]
  const { signal, stdout } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { signal, stdout: stdout.trim().split('\n') }
}

async function digest(location: StoreLocation): Promise<Record<string, string>> {
  const store = await openStore(location, 'chain', chainTables, 'write')
  const digests = await storeDigest(store, evmTables)
  await store.close()
  return digests
}
