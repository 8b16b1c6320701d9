/** A store rebuilt from its kept blocks is the store. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { rebuildPrimary } from '../../../src/indexing/primary/run/rebuild.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import { rawBlocksFrom } from '../../../src/store/query/primary/blocks.ts'
import { primaryStoreTables } from '../../../src/store/schema/stores.ts'
import { factsOf } from '../../support/chains/primary-facts.ts'
import { fileWorld, indexPrimary } from '../../support/services/primary-service.ts'
import { newDatabase } from '../../support/stores/shared-postgres.ts'

async function check(from: StoreLocation, to: StoreLocation, key: string): Promise<void> {
  const first = await indexPrimary(from)
  try {
    await rebuildPrimary({
      from: first,
      to,
      key,
      world: fileWorld,
      signal: AbortSignal.timeout(60_000),
      progress: () => {},
    })
    const again = await openStore(to, key, primaryStoreTables, 'read')
    assert.deepEqual(await factsOf(again), await factsOf(first))
    const raw = (store: Database): Promise<unknown> => rawBlocksFrom(store, -1, 10_000)
    assert.deepEqual(await raw(again), await raw(first))
    await again.close()
  } finally {
    await first.close()
  }
}

void test('rebuild: kept blocks alone give every row again', async () => {
  const folders = ['own', 'again'].map((name) => mkdtempSync(join(tmpdir(), `firn-${name}-`)))
  const [first = '', second = ''] = folders
  try {
    const to = { store: 'embedded', dataDir: second }
    await check({ store: 'embedded', dataDir: first }, to, 'primary-fuji')
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
})

void test('rebuild: a PostgreSQL store is made again in a namespace beside it', async () => {
  const location = { store: await newDatabase(), dataDir: '' }
  await check(location, location, 'rebuilt-primary-fuji')
})
