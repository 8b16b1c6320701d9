import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turnOfLoop } from 'node:timers/promises'

import { callerOf } from './caller-address.ts'
import { createRequestQueue, type QueueLimits, type Lane, type Ticket } from './request-queue.ts'

const limits: QueueLimits = {
  maxUnderWay: 4,
  maxUnderWayPerAddress: 2,
  maxWaiting: 50,
  maxWaitingPerAddress: 40,
  maxQueuedMs: 100,
}

/** A queue on a clock that is moved by hand; what happened is written down. */
function open(
  options: {
    limits?: Partial<QueueLimits>
    costMs?: number
    costOf?: (name: string) => number
    loopDelayMs?: number
  } = {},
): {
  come: (name: string, lane?: Lane) => Ticket
  pass: (turns: number) => Promise<void>
  connect: () => void
  wait: (ms: number) => void
  events: string[]
  turnedAway: string[]
} {
  let now = 0
  const events: string[] = []
  const turnedAway: string[] = []
  const queue = createRequestQueue({
    limits: { ...limits, ...options.limits },
    now: () => now,
    loopDelayMs: () => options.loopDelayMs ?? 0,
    turnedAway: (lane, outcome) => turnedAway.push(`${lane} ${outcome}`),
  })
  return {
    // A name is that of a caller and a number: a1, a2, b1. Those in capitals take their time.
    come: (name, lane = 'list') => {
      let ticket: Ticket | undefined = undefined
      const isLasting = name.toUpperCase() === name
      const start = (): void => {
        events.push(name)
        now += options.costOf?.(name) ?? options.costMs ?? 1
        if (!isLasting) void Promise.resolve().then(() => ticket?.leave())
      }
      const refuse = (): void => {
        events.push(`no ${name}`)
      }
      ticket = queue.enter({ lane, caller: name.slice(0, 1), start, refuse })
      return ticket
    },
    pass: async (turns) => {
      for (let at = 0; at < turns; at++) await turnOfLoop()
    },
    connect: queue.connected,
    wait: (ms) => {
      now += ms
    },
    events,
    turnedAway,
  }
}

void test('request queue: who comes alone begins at once, the next one a turn of the loop later', async () => {
  const queue = open()
  for (const name of ['a1', 'a2', 'a3']) queue.come(name)
  assert.deepEqual(queue.events, ['a1'])
  await queue.pass(1)
  assert.deepEqual(queue.events, ['a1', 'a2'])
  await queue.pass(1)
  assert.deepEqual(queue.events, ['a1', 'a2', 'a3'])
})

void test('request queue: lanes share turns, and none is left out while others are full', async () => {
  const queue = open()
  for (let at = 0; at < 30; at++) queue.come(`a${at}`)
  for (let at = 0; at < 30; at++) queue.come(`i${at}`, 'item')
  for (let at = 0; at < 30; at++) queue.come(`v${at}`, 'vital')
  await queue.pass(28)
  const count = (letter: string): number =>
    queue.events.filter((name) => name.startsWith(letter)).length
  assert.deepEqual([count('v'), count('i'), count('a')], [17, 8, 4])
  queue.come('p1', 'patient')
  await queue.pass(3)
  assert.equal(count('p'), 1)
})

void test('request queue: an address with one request is not behind those of another', async () => {
  const queue = open()
  for (let at = 0; at < 40; at++) queue.come(`a${at}`)
  await queue.pass(3)
  queue.come('b1')
  await queue.pass(2)
  assert.ok(queue.events.includes('b1'), queue.events.join(' '))
})

void test('request queue: time is shared, not turns', async () => {
  const costOf = (name: string): number => (name.startsWith('a') ? 10 : 1)
  const queue = open({ costOf, limits: { maxQueuedMs: 1_000 } })
  for (let at = 0; at < 20; at++) queue.come(`a${at}`)
  for (let at = 0; at < 20; at++) queue.come(`b${at}`)
  await queue.pass(20)
  const turns = queue.events.filter((name) => name.startsWith('b')).length
  assert.ok(turns >= 17, queue.events.join(' '))
  await queue.pass(30)
  assert.equal(queue.events.length, 40)
})

void test('request queue: when it is full the oldest of who has most is refused', async () => {
  const queue = open({ costMs: 10 })
  queue.come('a0')
  await queue.pass(1)
  // 100 ms of work are ten requests of 10 ms.
  queue.come('b0')
  for (let at = 1; at <= 30; at++) queue.come(`a${at}`)
  const refused = queue.events.filter((name) => name.startsWith('no '))
  assert.deepEqual(
    refused,
    Array.from({ length: 20 }, (_, at) => `no a${at + 1}`),
  )
  assert.equal(queue.turnedAway.length, 20)
  queue.come('c1')
  assert.equal(queue.events.at(-1), 'no a21')
  await queue.pass(3)
  assert.ok(queue.events.includes('c1'))
})

void test('request queue: delay of the loop counts as work, and eight wait at least', async () => {
  for (const [loopDelayMs, most] of [
    [0, 20],
    [50, 10],
    [60, 8],
    [5_000, 8],
  ] as const) {
    const queue = open({ costMs: 5, loopDelayMs })
    queue.come('a0')
    await queue.pass(1)
    queue.come('a1')
    for (let at = 2; at <= 40; at++) queue.come(`a${at}`)
    const refused = queue.events.filter((name) => name.startsWith('no ')).length
    assert.equal(39 - refused, most, `delay ${loopDelayMs}`)
  }
})

void test('request queue: one slow answer does not refuse the burst after it, many do', async () => {
  const queue = open({ costOf: (name) => (name.startsWith('s') ? 300 : 1) })
  const burst = async (): Promise<number> => {
    const before = queue.turnedAway.length
    for (let at = 0; at < 30; at++) queue.come(`b${at}`)
    await queue.pass(40)
    return queue.turnedAway.length - before
  }
  assert.equal(await burst(), 0)
  queue.come('s1')
  await queue.pass(2)
  assert.equal(await burst(), 0)
  for (let at = 0; at < 10; at++) {
    queue.come(`s${at}`)
    await queue.pass(2)
  }
  assert.equal(await burst(), 21)
})

void test('request queue: nothing is begun for who has gone or waited five seconds', async () => {
  const queue = open()
  queue.come('a1')
  const tickets = ['a2', 'a3', 'a4'].map((name) => queue.come(name))
  assert.deepEqual(
    tickets.map(({ since }) => since),
    [1, 1, 1],
  )
  tickets[0]?.leave()
  tickets[0]?.leave()
  await queue.pass(1)
  queue.wait(5_001)
  await queue.pass(2)
  assert.deepEqual(queue.events, ['a1', 'a3', 'no a4'])
  assert.deepEqual(queue.turnedAway, ['list gone', 'list late'])
  queue.come('a5')
  assert.equal(queue.events.at(-1), 'a5')
})

void test('request queue: of handlers that wait, so many are under way, and so many of one address', async () => {
  const queue = open()
  const lasting = ['A1', 'A2', 'A3', 'B1', 'B2', 'C1'].map((name) => queue.come(name))
  await queue.pass(10)
  assert.deepEqual(queue.events, ['A1', 'B1', 'C1', 'A2'])
  queue.come('v1', 'vital')
  await queue.pass(2)
  assert.deepEqual(queue.events.slice(4), ['v1'])
  lasting[0]?.leave()
  await queue.pass(2)
  assert.deepEqual(queue.events.slice(5), ['B2'])
  lasting[5]?.leave()
  await queue.pass(2)
  assert.deepEqual(queue.events.slice(6), ['A3'])
  const alone = open()
  for (const name of ['A1', 'A2', 'A3']) alone.come(name)
  await alone.pass(10)
  assert.deepEqual(alone.events, ['A1', 'A2'])
})

void test('request queue: connections that wait are let in before the next handler begins', async () => {
  const queue = open()
  queue.come('a1')
  queue.come('a2')
  for (let at = 0; at < 10; at++) {
    queue.connect()
    await queue.pass(1)
    assert.deepEqual(queue.events, ['a1'])
  }
  await queue.pass(1)
  assert.deepEqual(queue.events, ['a1', 'a2'])
  queue.come('a3')
  // Not for ever: a flood of connections does not stop the answers.
  for (let at = 0; at < 70; at++) {
    queue.connect()
    await queue.pass(1)
  }
  assert.deepEqual(queue.events, ['a1', 'a2', 'a3'])
})

void test('callers: IPv4 by address, IPv6 by its /64, IPv4 in IPv6 as IPv4', () => {
  for (const [address, caller] of [
    ['127.0.0.2', '127.0.0.2'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:ffff::9', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ] as const) {
    assert.equal(callerOf(address), caller, address)
  }
})

void test('request queue: a request whose end is reported twice costs its caller nothing', async () => {
  const queue = open()
  const first = queue.come('a1')
  await queue.pass(1)
  // b's handler begins in this turn of the loop, so a's next request waits for the next one.
  queue.come('b1')
  queue.come('a2')
  first.leave()
  await queue.pass(2)
  assert.deepEqual(queue.events, ['a1', 'b1', 'a2'])
})
