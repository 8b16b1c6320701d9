import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { virtualClock } from '../../../test/support/processes/virtual-clock.ts'
import { statement } from '../../store/engine/database.ts'
import { table } from '../../store/engine/table.ts'
import { openStore } from '../../store/open.ts'
import { writingRhythm } from './round-stream.ts'

const blob = table('blob', { id: 'integer', bytes: 'bytes' }, { key: ['id'], layout: 'rows' })

void test('pace: the log is folded once batches are few, and again when there are none', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-rhythm-'))
  const store = await openStore({ store: 'embedded', dataDir }, 'rhythm', [blob], 'write')
  const clock = virtualClock()
  const rhythm = writingRhythm(store, clock)
  const ending = new AbortController()
  const running = rhythm.stream.run(ending.signal)
  const logged = (): number => statSync(join(dataDir, 'rhythm.sqlite-wal')).size
  let id = 0
  const batch = (takesMs: number): Promise<void> =>
    rhythm.batch(async () => {
      await clock.sleep(takesMs)
      await store.transaction((writer) =>
        writer.insert(blob, { id: [id++], bytes: [new Uint8Array(100_000)] }),
      )
    })

  for (let second = 0; second < 5; second++) await batch(990)
  assert.ok(logged() > 500_000, `filling: ${logged()} bytes in the log`)
  await clock.sleep(2_500)
  assert.equal(logged(), 0, 'quiet')
  await batch(10)
  assert.ok(logged() > 0)
  await clock.sleep(2_500)
  assert.equal(logged(), 0, 'quiet after a batch')
  await batch(10)
  const read = Promise.withResolvers<void>()
  const reading = store.snapshot(async (reader) => {
    await reader.all(statement('select count(*) from blob'))
    await read.promise
  })
  await batch(10)
  await clock.sleep(2_500)
  assert.ok(logged() > 0, 'a reader is in the way')
  read.resolve()
  await reading
  await clock.sleep(2_500)
  assert.equal(logged(), 0, 'quiet after a reader')

  ending.abort()
  await running
  await store.close()
  rmSync(dataDir, { recursive: true })
})
