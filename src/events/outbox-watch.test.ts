import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { liveBytes } from '../../test/support/chains/live-bytes.ts'
import { virtualClock } from '../../test/support/processes/virtual-clock.ts'
import type { Database } from '../store/engine/database.ts'
import { openStore } from '../store/open.ts'
import { moveOutbox } from '../store/query/events/outbox.ts'
import { outboxTables } from '../store/schema/events.ts'
import { OutboxWatch } from './outbox-watch.ts'

async function open(t: TestContext): Promise<Database> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-outbox-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const store = await openStore({ store: 'embedded', dataDir }, 'chain', [...outboxTables], 'write')
  t.after(() => store.close())
  return store
}

void test('outbox: what came while nobody waited is there for who waits next, once', async (t) => {
  const store = await open(t)
  const clock = virtualClock()
  let looks = 0
  const outboxes = new OutboxWatch(clock, () => {
    looks++
    return new Map([['a', store]])
  })
  const over = new AbortController()
  const running = outboxes.run(over.signal, (error) => assert.fail(String(error)))
  const ofA = outboxes.listen(() => ['a'])
  const ofB = outboxes.listen(() => ['b'])
  const { signal } = over

  // What nobody has looked at before may have changed.
  await ofA.next(signal)
  assert.equal(ofA.take(), true)
  assert.equal(ofA.take(), false)
  assert.equal(ofB.take(), false)

  await store.transaction((writer) => moveOutbox(writer, 'blocks', { until: 10, changes: 1 }))
  await ofA.next(signal)
  outboxes.wake()
  assert.equal(ofA.take(), true)
  assert.equal(ofA.take(), false)

  // A waiting that ended otherwise takes nothing away.
  outboxes.wake()
  const late = new AbortController()
  late.abort()
  await ofA.next(late.signal)
  await ofA.next(signal)
  assert.equal(ofA.take(), true)
  assert.equal(ofB.take(), true)

  // No store is read while nobody waits.
  const before = looks
  await clock.sleep(10_000)
  assert.ok(looks <= before + 1, `${looks - before} looks`)
  over.abort()
  await running
})

void test('outbox: waits that were given up leave nothing behind', async () => {
  const outboxes = new OutboxWatch(virtualClock(), () => new Map())
  const { next } = outboxes.listen(() => [])
  const giveUp = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) {
      const waiting = new AbortController()
      const ended = next(waiting.signal)
      waiting.abort()
      await ended
    }
  }
  await giveUp(1_000)
  const before = liveBytes()
  await giveUp(50_000)
  const left = liveBytes() - before
  // A promise with its reaction would leave some 300 bytes of each, 15 MB.
  assert.ok(left < 6_000_000, `${left} bytes are left`)
})
