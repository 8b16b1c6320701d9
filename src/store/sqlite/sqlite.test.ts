import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { statement } from '../engine/database.ts'
import { openSmallStore, openStore } from '../open.ts'
import { table } from '../schema/table.ts'
import { turn } from './turn.ts'

const blob = table('blob', { id: 'integer', bytes: 'bytes' }, { key: ['id'], layout: 'rows' })
const mib = 2 ** 20

void test('sqlite: what a transaction changes beyond the page cache leaves memory at once', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-cache-'))
  const place = { store: 'embedded', dataDir, writerCacheBytes: 4 * mib }
  // A file whose pages are known only when it is read, and one that is new.
  for (const round of ['new', 'opened again']) {
    const store = await openStore(place, 'cache', [blob], 'write')
    const logged = (): number => statSync(join(dataDir, 'cache.sqlite-wal')).size
    await store.transaction(async (writer) => {
      const before = logged()
      const ids = Array.from({ length: 8 }, (_, at) => at + (round === 'new' ? 0 : 8))
      await writer.insert(blob, { id: ids, bytes: ids.map(() => new Uint8Array(mib)) })
      assert.ok(logged() - before >= 3 * mib, `${round}: ${logged() - before} bytes in the log`)
    })
    await store.close()
  }
  rmSync(dataDir, { recursive: true })
})

void test('sqlite: a store that follows its chain keeps nothing in the log and reads the same', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-pace-'))
  const place = { store: 'embedded', dataDir }
  const store = await openStore(place, 'pace', [blob], 'write')
  const reader = await openStore(place, 'pace', [blob], 'read')
  const logged = (): number => statSync(join(dataDir, 'pace.sqlite-wal')).size
  const write = (ids: readonly number[]): Promise<void> =>
    store.transaction((writer) =>
      writer.insert(blob, { id: ids, bytes: ids.map(() => new Uint8Array(mib)) }),
    )
  const count = statement('select count(*) from blob')
  await write([1, 2, 3, 4])
  assert.ok(logged() > 4 * mib)
  assert.deepEqual(await reader.get(count), [4])
  await store.pace('follow')
  assert.equal(logged(), 0)
  for (let id = 5; id < 45; id++) await write([id])
  assert.ok(logged() < 20 * mib, `${logged()} bytes in the log after 40 MiB`)
  await store.pace('fill')
  await write(Array.from({ length: 40 }, (_, at) => 100 + at))
  assert.ok(logged() > 40 * mib)
  await store.pace('follow')
  assert.equal(logged(), 0)
  assert.deepEqual(await reader.get(count), [84])
  await reader.close()
  await store.close()
  rmSync(dataDir, { recursive: true })
})

void test('sqlite: who serves reads one state until its turn ends, or it hears of a commit', async (t) => {
  t.mock.method(performance, 'now', () => 0)
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-held-'))
  const place = { store: 'embedded', dataDir }
  const store = await openStore(place, 'held', [blob], 'write')
  const serving = await openStore(place, 'held', [blob], 'serve')
  const count = statement('select count(*) from blob')
  const write = (id: number): Promise<void> =>
    store.transaction((writer) => writer.insert(blob, { id: [id], bytes: [new Uint8Array(1)] }))
  await nextTurn()
  assert.deepEqual(await serving.get(count), [0])
  await write(1)
  assert.deepEqual(await serving.get(count), [0])
  await nextTurn()
  assert.deepEqual(await serving.get(count), [1])
  await write(2)
  turn.end()
  assert.deepEqual(await serving.get(count), [2])
  await nextTurn()
  // Nobody reads now: the log can be folded.
  await store.pace('follow')
  assert.equal(statSync(join(dataDir, 'held.sqlite-wal')).size, 0)
  await serving.close()
  await store.close()
  rmSync(dataDir, { recursive: true })
})

void test('sqlite: who serves gives the loop back after two milliseconds of reading', async (t) => {
  let ms = 0
  t.mock.method(performance, 'now', () => ms++)
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-turns-'))
  const place = { store: 'embedded', dataDir }
  const store = await openStore(place, 'turns', [blob], 'write')
  const serving = await openStore(place, 'turns', [blob], 'serve')
  const count = statement('select count(*) from blob')
  await nextTurn()
  let others = 0
  const other = (): void => void (others++, (waiting = setImmediate(other)))
  let waiting = setImmediate(other)
  // Each look at the clock is a millisecond later.
  for (let page = 0; page < 12; page++) assert.deepEqual(await serving.get(count), [0])
  assert.ok(others >= 3, `others had ${others} turns beside twelve statements`)
  // All at once, too.
  others = 0
  await Promise.all(Array.from({ length: 60 }, async () => serving.get(count)))
  assert.ok(others >= 15, `others had ${others} turns beside sixty statements`)
  clearImmediate(waiting)
  await serving.close()
  await store.close()
  rmSync(dataDir, { recursive: true })
})

void test('sqlite: the log of a store that is never filled stays small from the start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-small-'))
  const store = await openSmallStore({ store: 'embedded', dataDir }, 'small', [blob])
  for (let id = 0; id < 40; id++)
    await store.transaction((writer) =>
      writer.insert(blob, { id: [id], bytes: [new Uint8Array(mib)] }),
    )
  const logged = statSync(join(dataDir, 'small.sqlite-wal')).size
  assert.ok(logged < 20 * mib, `${logged} bytes in the log after 40 MiB`)
  await store.close()
  rmSync(dataDir, { recursive: true })
})

void test('sqlite: what is fleeting waits for no disk, and what follows it does again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-fleeting-'))
  const store = await openStore({ store: 'embedded', dataDir }, 'fleeting', [blob], 'write')
  const synchronous = statement('pragma synchronous')
  const [normal, full] = [1, 2]
  const during = (isFleeting: boolean): Promise<unknown> =>
    store.transaction(async (writer) => (await writer.get(synchronous))?.[0], { isFleeting })
  assert.equal(await during(true), normal)
  assert.equal(await during(false), full)
  const failing = (): never => {
    throw new Error('no')
  }
  await assert.rejects(store.transaction(failing, { isFleeting: true }), /no/)
  assert.equal(await during(false), full)
  await store.close()
  rmSync(dataDir, { recursive: true })
})
