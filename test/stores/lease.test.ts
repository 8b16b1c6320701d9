import assert from 'node:assert/strict'

import { Fault } from '../../src/core/fault.ts'
import type { Clock } from '../../src/core/world.ts'
import { checkpointHeights, getCheckpoint, moveCheckpoint } from '../../src/store/checkpoint.ts'
import {
  awaitLease,
  leaseRow,
  leaseTtlMs,
  renewLease,
  takeLease,
  StandingLease,
  underLease,
} from '../../src/store/lease.ts'
import { controlTables } from '../../src/store/schema/control.ts'
import { manualClock, pausingClock } from '../support/processes/manual-clock.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const code = (wanted: string) => (error: unknown) => error instanceof Fault && error.code === wanted

onBothEngines(
  'lease: a second writer is refused while the first lives',
  controlTables,
  async (store) => {
    const first = await store.open('write')
    const second = await store.open('write')
    const clock = pausingClock()
    const lease = await takeLease(first, 'a', clock)
    assert.deepEqual(lease, { epoch: 1, owner: 'a', stamp: clock.now() })
    assert.equal(await takeLease(second, 'b', clock), undefined)
    assert.deepEqual(await leaseRow(second), { epoch: 1, owner: 'a', stamp: clock.now() })
  },
)

onBothEngines('lease: free at once when its holder is gone', controlTables, async (store) => {
  const first = await store.open('write')
  const second = await store.open('write')
  const clock = pausingClock()
  await takeLease(first, 'a', clock)
  await first.close()
  assert.equal((await takeLease(second, 'b', clock))?.epoch, 2)
  assert.equal(clock.monotonic(), 0, 'nobody waited')
})

onBothEngines(
  'lease: a holder that stands still is taken over and its commits fail',
  controlTables,
  async (store) => {
    const first = await store.open('write')
    const second = await store.open('write')
    const clock = pausingClock()
    const old = await takeLease(first, 'a', clock)
    assert.ok(old !== undefined)
    const taken = await awaitLease(second, 'b', { clock })
    assert.deepEqual([taken.epoch, taken.owner], [2, 'b'])
    assert.ok(clock.monotonic() <= leaseTtlMs * 1.25, `after ${clock.monotonic()} ms`)
    const stale = underLease(first, { lease: old, clock }, async (writer) => {
      await moveCheckpoint(writer, 'blocks', {
        before: undefined,
        after: { height: 5, hash: undefined },
        epoch: old.epoch,
      })
    })
    await assert.rejects(stale, code('lease-lost'))
    assert.equal(await getCheckpoint(second, 'blocks'), undefined, 'nothing of it is stored')
    await renewLease(second, taken, clock)
  },
)

onBothEngines(
  'lease: one that lasts longer outlives a holder that is late, and not one that is gone',
  controlTables,
  async (store) => {
    const first = await store.open('write')
    const second = await store.open('write')
    const lease = await takeLease(first, 'a', pausingClock())
    assert.ok(lease !== undefined)
    let lastMs = 0
    // Kept from its core for eight seconds again and again, four times, and then for good.
    const clock: Clock = pausingClock(async () => {
      if (lastMs >= 32_000 || clock.monotonic() - lastMs < 8_000) return
      lastMs = clock.monotonic()
      await renewLease(first, lease, clock)
    })
    const taken = await awaitLease(second, 'b', { clock, leaseMs: 10_000 })
    assert.deepEqual([taken.epoch, taken.owner], [2, 'b'])
    assert.ok(clock.monotonic() >= lastMs + 10_000, `after ${clock.monotonic()} ms`)
    assert.ok(lastMs >= 32_000)
  },
)

onBothEngines(
  'lease: a holder whose process shows life is slow and keeps it, one that shows none is replaced',
  controlTables,
  async (store) => {
    const first = await store.open('write')
    const second = await store.open('write')
    const clock = pausingClock()
    assert.ok((await takeLease(first, 'a', clock)) !== undefined)
    const began = clock.monotonic()
    // Its main thread shows life for a minute in which it commits nothing.
    const lifeOf = (owner: string): number => {
      assert.equal(owner, 'a')
      return Math.floor(Math.min(clock.monotonic() - began, 60_000) / 750)
    }
    const taken = await awaitLease(second, 'b', { clock, lifeOf })
    assert.equal(taken.epoch, 2)
    const tookMs = clock.monotonic() - began
    assert.ok(tookMs > 60_000 && tookMs <= 60_000 + 2 * leaseTtlMs, `after ${tookMs} ms`)
  },
)

onBothEngines(
  'lease: a bug of its holder frees it at once, and for good',
  controlTables,
  async (store) => {
    const first = await store.open('write')
    const second = await store.open('write')
    const clock = pausingClock()
    const lease = await takeLease(first, 'a', clock)
    assert.ok(lease !== undefined)
    const standing = new StandingLease(lease, () => awaitLease(first, 'a', { clock }))
    const full = new Fault('store-full', 'the disk is full')
    await assert.rejects(
      standing.endedByBug(first, () => Promise.reject(full)),
      full,
    )
    assert.equal(standing.isHeld, true, 'a fault is no bug')
    const bug = new Error('broken invariant: a block has a parent')
    await assert.rejects(
      standing.endedByBug(first, () => Promise.reject(bug)),
      bug,
    )
    assert.equal((await takeLease(second, 'b', clock))?.epoch, 2)
    await assert.rejects(standing.regain(), code('lease-lost'))
  },
)

onBothEngines(
  'lease: one that waits slowly, too, looks twice before it takes a lease over',
  controlTables,
  async (store) => {
    const first = await store.open('write')
    const second = await store.open('write')
    // Each of its looks comes ten seconds after the one before.
    const slow = manualClock()
    const clock: Clock = { ...slow, sleep: async () => void (slow.nowMs += 10_000) }
    assert.ok((await takeLease(first, 'a', clock)) !== undefined)
    const over = new AbortController()
    let looks = 0
    const lifeOf = (): number => {
      if (++looks === 20) over.abort(new Fault('overloaded', 'enough'))
      return looks
    }
    const waiting = awaitLease(second, 'b', { clock, lifeOf, signal: over.signal })
    await assert.rejects(waiting, code('overloaded'))
    assert.equal((await leaseRow(first))?.epoch, 1)
  },
)

onBothEngines('lease: a holder that renews is left alone', controlTables, async (store) => {
  const first = await store.open('write')
  const second = await store.open('write')
  const stop = new AbortController()
  let renewals = 0
  const lease = await takeLease(first, 'a', pausingClock())
  assert.ok(lease !== undefined)
  const clock: Clock = pausingClock(async () => {
    await renewLease(first, lease, clock)
    if (++renewals === 40) stop.abort(new Fault('overloaded', 'enough'))
  })
  await assert.rejects(awaitLease(second, 'b', { clock, signal: stop.signal }), code('overloaded'))
  assert.equal((await leaseRow(first))?.epoch, 1)
})

onBothEngines(
  'lease: a process with its share leaves a free store to others for a while',
  controlTables,
  async (store) => {
    const first = await store.open('write')
    const second = await store.open('write')
    const owed = pausingClock()
    const lease = await takeLease(first, 'a', owed)
    assert.ok(lease !== undefined)
    const standing = new StandingLease(lease, () => awaitLease(first, 'a', { clock: owed }))
    await standing.giveUp(first)
    assert.equal(standing.isHeld, false)
    await assert.rejects(
      standing.during(async () => undefined),
      code('lease-lost'),
    )
    const clock = pausingClock()
    const beganMs = clock.monotonic()
    const taken = await awaitLease(second, 'b', { clock, isOwed: () => false })
    assert.deepEqual([taken.epoch, taken.owner], [2, 'b'])
    const tookMs = clock.monotonic() - beganMs
    assert.ok(tookMs >= 2_000 && tookMs < leaseTtlMs, `after ${tookMs} ms`)
    await second.unclaim(taken.epoch)
    const at = clock.monotonic()
    await awaitLease(first, 'a', { clock, isOwed: () => true })
    assert.equal(clock.monotonic(), at, 'what is owed is taken at once')
  },
)

onBothEngines('checkpoint: moves only from where it is', controlTables, async (store) => {
  const database = await store.open('write')
  const hash = new Uint8Array(32).fill(7)
  const move = (stage: string, before: number | undefined, height: number) =>
    database.transaction((writer) =>
      moveCheckpoint(writer, stage, { before, after: { height, hash }, epoch: 1 }),
    )
  assert.equal(await getCheckpoint(database, 'blocks'), undefined)
  await move('blocks', undefined, 9)
  assert.deepEqual(await getCheckpoint(database, 'blocks'), { height: 9, hash })
  await move('blocks', 9, 20)
  await move('traces', undefined, 3)
  await assert.rejects(move('blocks', 9, 30), code('lease-lost'))
  await assert.rejects(move('blocks', undefined, 30), code('lease-lost'))
  assert.deepEqual(
    [...(await checkpointHeights(database))],
    [
      ['blocks', 20],
      ['traces', 3],
    ],
  )
})
