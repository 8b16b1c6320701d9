/**
 * Sums of ranges find what disks and hands do to rows, on both engines.
 *
 * The expected contents of a store are a digest of all rows, which shares no code with the sums.
 */

import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { faultOf } from '../../src/core/fault.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { chainTables, primaryStoreTables, messageTables } from '../../src/store/schema/stores.ts'
import { rangeSum } from '../../src/store/schema/sums.ts'
import type { Table } from '../../src/store/schema/table.ts'
import { checkStore, checkStructure, type DamagedRange } from '../../src/store/sums/check-store.ts'
import { demoFilling, readDemoChain } from '../support/chains/read-demo-chain.ts'
import { soakRound } from '../support/processes/test-settings.ts'
import { changesOf, flipBit, handOn, mending } from '../support/stores/spoilt-stores.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { newFolder, onBothEngines, type TestStore } from '../support/stores/stores.ts'

const { signal } = new AbortController()
const summed = chainTables.filter(({ sums }) => sums !== undefined)

void test('sums: every table has them but those of the lease, the checkpoints and the outbox', () => {
  const bare = [...chainTables, ...primaryStoreTables, ...messageTables]
    .filter(({ sums }) => sums === undefined)
    .map(({ name }) => name)
  const withoutSums = [
    'checkpoint',
    'lease',
    'outbox',
    'outbox_ledger',
    'outbox_webhook',
    'range_sum',
    'undo',
  ]
  assert.deepEqual([...new Set(bare)].toSorted(), withoutSums)
})

onBothEngines(
  'sums: a store as it was written adds up, however it was batched',
  [],
  async (store) => {
    const sums = []
    for (const step of [153, 20]) {
      const name = `sums-${step}`
      await readDemoChain(store.location, { name, chain: 51_002, step, owner: 'test' })
      const database = await openStore(store.location, name, chainTables, 'read')
      assert.deepEqual(await damagesOf(database), [])
      sums.push(await storeDigest(database, [rangeSum]))
      await database.close()
    }
    assert.deepEqual(sums[1], sums[0])
  },
)

onBothEngines(
  'sums: a changed and a lost row of any table is named',
  [],
  changedAndLost,
  demoFilling(153, 51_002),
)

async function changedAndLost(store: TestStore): Promise<void> {
  const name = 'evm-51002'
  const hand = handOn(store, name)
  const database = await openStore(store.location, name, chainTables, 'read')
  let tried = 0
  for (const table of summed) {
    const [row] = await database.all(statement(`select count(*) from ${table.name}`))
    if (Number(row?.[0]) === 0) continue
    for (const change of changesOf(table, store.engine)) {
      for (const sql of change) await hand(sql)
      const found = await damagesOf(database, [table])
      assert.ok(found.length > 0, change.join('; '))
      for (const sql of mending(table)) await hand(sql)
      tried++
    }
  }
  assert.ok(tried > 60, `only ${tried} changes`)
  assert.deepEqual(await damagesOf(database), [])
  await database.close()
}

/** Each round of a soak flips others. */
const flips = 8

void test('sums: of flipped bits each is found, or changes no row', async (context) => {
  const dataDir = await newFolder(demoFilling(153, 51_002))
  const location = { store: 'embedded', dataDir }
  const found = { harmless: 0, named: 0, structure: 0, unopened: 0 }
  try {
    const whole = await openStore(location, 'evm-51002', chainTables, 'read')
    const before = await storeDigest(whole, digested)
    await whole.close()
    const source = join(dataDir, 'evm-51002.sqlite')
    const target = join(dataDir, 'flipped.sqlite')
    for (let flip = flips * soakRound; flip < flips * (soakRound + 1); flip++) {
      copyFileSync(source, target)
      flipBit(target, flip)
      found[await verdictOf(location, before)]++
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
  context.diagnostic(JSON.stringify(found))
  // How many bits hit rows depends on how the file is laid out; half of its pages hold rows or more.
  assert.ok(found.named > 1, JSON.stringify(found))
})

const digested = chainTables.filter((table) => table !== rangeSum)

/** Result for a file with a flipped bit. Fails where rows are wrong and nobody noticed. */
async function verdictOf(
  location: StoreLocation,
  before: Record<string, string>,
): Promise<'harmless' | 'named' | 'structure' | 'unopened'> {
  let database: Database
  try {
    database = await openStore(location, 'flipped', chainTables, 'read')
  } catch (error) {
    assert.ok(faultOf(error) !== undefined, String(error))
    return 'unopened'
  }
  try {
    if ((await damagesOf(database)).length > 0) return 'named'
    if ((await checkStructure(database)).length > 0) return 'structure'
    assert.deepEqual(await storeDigest(database, digested), before)
    return 'harmless'
  } catch (error) {
    assert.ok(faultOf(error) !== undefined, String(error))
    return 'unopened'
  } finally {
    await database.close()
  }
}

async function damagesOf(
  database: Database,
  tables: readonly Table[] = chainTables,
): Promise<DamagedRange[]> {
  return checkStore(database, tables, { signal })
}
