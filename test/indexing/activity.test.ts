/**
 * Counting of who was active, on both engines: from columns as blocks are stored, from rows, over frozen history, after
 * a restart, and after a cut it comes to the same.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { ActivityNotes } from '../../src/rollup/activity-notes.ts'
import { openRollup } from '../../src/rollup/chain-rollup.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { activityDay } from '../../src/store/schema/metrics.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { countAll } from '../support/stores/count-all.ts'
import { freezeAt } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines, type TestStore } from '../support/stores/stores.ts'

const file = readFileSync(join(import.meta.dirname, '../../demo/meridian.firnrec'))
const recording = openRecording(file)
const { until: end } = recording.heights
const { signal } = new AbortController()

onBothEngines('activity: however it is counted, it comes to the same', chainTables, same)

async function same({ open }: TestStore): Promise<void> {
  const database = await open('write')
  const lease = await takeLease(database, 'test', systemClock)
  assert.ok(lease)
  const notes = new ActivityNotes()
  const parts = { database, lease, clock: systemClock, openRollup }
  const ingest = new EvmIngest({ ...parts, activity: notes })
  const read = async (from: number, until: number): Promise<void> => {
    for (let at = from; at < until; at += 50) {
      const range = { from: at, until: Math.min(at + 50, until) }
      const decode = (raw: Parameters<typeof decodeBlocks>[1]) =>
        decodeBlocks(at, raw, zstdCompressSync)
      await ingest.blocks(await recording.blocks(range, decode, signal))
    }
  }
  // From columns, in parts.
  const middle = Math.floor(end / 2)
  await read(0, middle)
  assert.equal(notes.from, 0)
  await countAll(database, notes)
  await read(middle, end)
  await countAll(database, notes)
  const counted = await digest(database)
  assert.ok((await rows(database)) > 60)
  // From rows alone.
  await database.transaction((writer) => writer.clear(activityDay))
  await countAll(database)
  assert.deepEqual(await digest(database), counted, 'rows')
  // Cut and read again: noted, or read from rows by a process that saw no block.
  for (const [from, seen] of [
    [end - 1, notes],
    [middle, undefined],
    [3, notes],
  ] as const) {
    await ingest.cut(from)
    assert.equal(notes.from, undefined)
    if (from === middle) await countAll(database, seen)
    await read(from, end)
    await countAll(database, seen)
    assert.deepEqual(await digest(database), counted, `cut from ${from}`)
  }
}

onBothEngines('activity: history that is frozen counts', chainTables, frozen)

async function frozen({ open, location }: TestStore): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-activity-'))
  const dataDir = location.dataDir === '' ? folder : location.dataDir
  try {
    const database = await open('write', { dataDir, freeze: {} })
    const lease = await takeLease(database, 'test', systemClock)
    assert.ok(lease)
    const ingest = new EvmIngest({ database, lease, clock: systemClock, openRollup })
    const range = { from: 0, until: end }
    await ingest.blocks(
      await recording.blocks(range, (raw) => decodeBlocks(0, raw, zstdCompressSync), signal),
    )
    await countAll(database)
    const counted = await digest(database)
    await freezeAt(database, [100, end - 100])
    await database.transaction((writer) => writer.clear(activityDay))
    await countAll(database)
    assert.deepEqual(await digest(database), counted)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function digest(database: Database): Promise<unknown> {
  return storeDigest(database, [activityDay])
}

async function rows(database: Database): Promise<number> {
  const text = 'select count(*) from activity_day'
  const [row] = await database.all({
    sqlite: text,
    postgres: text,
    bigints: false,
    isLimited: false,
  })
  return Number(row?.[0])
}
