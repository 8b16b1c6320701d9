/**
 * A damaged store of an EVM chain, mended and read on from the chain's recording, holds what one holds that
 * was never damaged: the same rows in every table and every segment, and the same sums.
 */

import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { salvage } from '../../src/cli/commands/repair-stores.ts'
import { repairChain } from '../../src/indexing/evm/repair/repair-chain.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { checkpoint, lease, meta } from '../../src/store/schema/control.ts'
import { address, addressByBytes } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import type { Table } from '../../src/store/schema/table.ts'
import { checkStore, checkStructure } from '../../src/store/sums/check-store.ts'
import { readDemoChain } from '../support/chains/read-demo-chain.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { soakRound } from '../support/processes/test-settings.ts'
import { freezeAt, segmentFiles } from '../support/stores/freeze-store.ts'
import { changesOf, flipBit, handOn } from '../support/stores/spoilt-stores.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines, type TestStore } from '../support/stores/stores.ts'

const chain = 51_002
const { signal } = new AbortController()
const file = readFileSync(join(import.meta.dirname, `../../demo/chain-${chain}.firnrec`))
const digested = chainTables.filter((table) => table !== lease && table !== checkpoint)

const byNumber: readonly Table[] = [address, addressByBytes]
const others = chainTables
  .filter(({ sums }) => sums !== undefined)
  .filter((table) => !byNumber.includes(table))

onBothEngines('repair: a row of each table lost, or changed', [], spoiltAndMended)

onBothEngines('repair: the same beside segments, which stay', [], async (store) => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-repair-'))
  const { dataDir } = store.location
  const segments = { dataDir: dataDir === '' ? folder : dataDir, freeze: {} }
  try {
    await spoiltAndMended({ ...store, location: { ...store.location, ...segments } })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

async function spoiltAndMended(store: TestStore): Promise<void> {
  const name = 'spoilt'
  await filled(store.location, name)
  const frozen = await withStore(store.location, name, async (database) => {
    await freezeAt(database, [40, 77])
    return segmentFiles(database)
  })
  assert.equal(frozen.length > 0, store.location.freeze !== undefined)
  const before = await digestOf(store.location, name)
  const hand = handOn(store, name)
  const spoil = async (table: Table, which: number): Promise<void> => {
    const change = changesOf(table, store.engine).at(which)
    assert.ok(change !== undefined)
    for (const sql of change) await hand(sql)
    await hand('drop table spare')
  }
  // Lost rows, changes of the first column, which is of the key, and of the last one.
  for (const which of [0, 1, -1])
    for (const tables of [[address], [addressByBytes], others]) {
      for (const table of tables) await spoil(table, which)
      await repaired(store.location, name)
      const after = await digestOf(store.location, name)
      assert.deepEqual(after, before, `${tables.map((table) => table.name).join()} ${which}`)
    }
  assert.deepEqual(await withStore(store.location, name, segmentFiles), frozen)
}

/** Each round of a soak flips others. */
const flips = 8

void test('repair: flipped bits of a file', async (context) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-repair-'))
  const location = { store: 'embedded', dataDir }
  const counts = new Map<string, number>()
  try {
    await filled(location, 'whole')
    const before = await digestOf(location, 'whole')
    for (let flip = flips * soakRound; flip < flips * (soakRound + 1); flip++) {
      copyFileSync(join(dataDir, 'whole.sqlite'), join(dataDir, 'flipped.sqlite'))
      flipBit(join(dataDir, 'flipped.sqlite'), flip)
      const isBroken = await isStructureDamaged(location)
      if (isBroken) await salvage(dataDir, 'flipped', chainTables)
      const mended = (await repaired(location, 'flipped')).join() || 'harmless'
      const outcome = isBroken ? `new file ${mended}` : mended
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      assert.deepEqual(await digestOf(location, 'flipped'), before, `flip ${flip}`)
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
  context.diagnostic(JSON.stringify([...counts]))
})

async function isStructureDamaged(location: StoreLocation): Promise<boolean> {
  const database = await openStore(location, 'flipped', chainTables, 'read')
  try {
    const damaged = await checkStore(database, chainTables, { signal })
    if (damaged.some(({ found }) => found === undefined)) return true
    return (await checkStructure(database)).length > 0
  } finally {
    await database.close()
  }
}

/** The chain in a store of its own, which knows what chain it is of; goes on where one ends. */
async function filled(location: StoreLocation, name: string): Promise<void> {
  await readDemoChain(location, { name, chain, step: 153, owner: 'test' })
  const identity: Readonly<Record<string, string | number>> =
    await openRecording(file).identity(signal)
  const names = ['chainId', 'genesisHash', 'blockchainId']
  await withStore(location, name, (database) =>
    database.transaction((writer) =>
      writer.upsert(meta, { name: names, value: names.map((each) => String(identity[each])) }),
    ),
  )
}

/** Mends a store and lets it be read on. Returns what was damaged, and what is to be read again. */
async function repaired(location: StoreLocation, name: string): Promise<string[]> {
  const said = await withStore(location, name, async (database) => {
    const held = await takeLease(database, 'test', systemClock)
    assert.ok(held !== undefined)
    const damaged = await checkStore(database, chainTables, { signal })
    const said = damaged.map(({ table }) => table.name)
    const log = (line: string): unknown => said.push(line)
    await repairChain({ database, lease: held, clock: systemClock, log }, damaged)
    return said
  })
  await filled(location, name)
  await withStore(location, name, async (database) =>
    assert.deepEqual(await checkStore(database, chainTables, { signal }), []),
  )
  return said
}

async function withStore<T>(
  location: StoreLocation,
  name: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openStore(location, name, chainTables, 'write')
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function digestOf(location: StoreLocation, name: string): Promise<Record<string, string>> {
  const database = await openStore(location, name, chainTables, 'read')
  try {
    return await storeDigest(database, digested)
  } finally {
    await database.close()
  }
}
