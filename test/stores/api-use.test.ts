import assert from 'node:assert/strict'

import { createUseCounter, type UseCounter } from '../../src/api/server/admission/use-counter.ts'
import { addUse, keyUses, storeKeyUses } from '../../src/store/query/api-use.ts'
import { apiUseTables } from '../../src/store/schema/deployment.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { onBothEngines } from '../support/stores/stores.ts'

onBothEngines('use of the API: processes add up, windows end', apiUseTables, async (store) => {
  const [one, other] = [await store.open('write'), await store.open('write')]
  const use = (units: number, minute = 100, day = 1) => ({
    caller: 'key:a',
    minute,
    minuteUsed: units,
    day,
    dayUsed: units,
  })
  const sums = async (of: typeof one, added: ReturnType<typeof use>): Promise<number[]> => {
    const [sum] = await addUse(of, [added], 1)
    return sum === undefined ? [] : [sum.minute, sum.minuteUsed, sum.day, sum.dayUsed]
  }
  assert.deepEqual(await sums(one, use(10)), [100, 10, 1, 10])
  assert.deepEqual(await sums(other, use(5)), [100, 15, 1, 15])
  assert.deepEqual(await sums(one, use(7, 101)), [101, 7, 1, 22], 'a new minute of the same day')
  assert.deepEqual(
    await sums(other, use(3, 100)),
    [101, 7, 1, 25],
    'late for its minute, not its day',
  )
  assert.deepEqual(await sums(one, use(1, 1_540, 2)), [1_540, 1, 2, 1])
  const many = Array.from({ length: 100 }, (_, at) => ({
    ...use(1, 1_540, 2),
    caller: `address:${at}`,
  }))
  // SQLite waits for a lock without giving the thread back: two connections of one thread take turns.
  const first = addUse(one, many, 2)
  if (store.engine === 'sqlite') await first
  const both = await Promise.all([first, addUse(other, many, 2)])
  assert.deepEqual(
    both
      .flat()
      .map(({ dayUsed }) => dayUsed)
      .toSorted((a, b) => a - b),
    [...many.map(() => 1), ...many.map(() => 2)],
    'each of two processes at once sees its own, one of them both',
  )
  await addUse(one, [{ ...use(1, 3_000, 3), caller: 'key:b' }], 3)
  const [again] = await addUse(one, [{ ...use(1, 3_000, 3) }], 3)
  assert.equal(again?.dayUsed, 1, 'rows of days before are gone')
  assert.deepEqual(await keyUses(one), new Map())
  await storeKeyUses(
    one,
    new Map([
      ['a', 5],
      ['b', 6],
    ]),
  )
  await storeKeyUses(other, new Map([['a', 7]]))
  assert.deepEqual(
    await keyUses(one),
    new Map([
      ['a', 7],
      ['b', 6],
    ]),
  )
})

onBothEngines(
  'limits of callers: all processes together give them once',
  apiUseTables,
  async (store) => {
    const clock = { ...systemClock, now: () => 1_700_000_000_000 }
    // SQLite waits for a lock without giving the thread back: counters of one thread share a connection.
    const shared = store.engine === 'sqlite' ? await store.open('write') : undefined
    const open = async () =>
      shared === undefined ? store.open('write') : { ...shared, close: async () => undefined }
    const host = (): UseCounter => createUseCounter({ clock, log: silentLog, open })
    const limit = { perMinute: 100, perDay: 1_000 }
    const taken = async (caller: string, from: readonly UseCounter[], requests: number) => {
      const all = Array.from({ length: requests }, (_, at) => from[at % from.length])
      const answers = await Promise.all(all.map(async (one) => one?.take(caller, 1, limit)))
      return answers.filter((is) => is === true).length
    }
    const [one, other, third] = [host(), host(), host()]
    assert.equal(await taken('address:a', [one], 300), 100)
    assert.equal(await taken('address:a', [other], 300), 0, 'a second host gives nothing more')
    assert.equal(await taken('address:b', [one, other, third], 900), 100, 'three at once')
    assert.equal(await taken('address:c', [one], 1), 1)
    await one.close()
    assert.equal(await taken('address:c', [other], 300), 99, 'what a host did not use goes back')
    await other.close()
    await third.close()
  },
)
