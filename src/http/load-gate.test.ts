import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turnOfLoop } from 'node:timers/promises'

import { callerOf } from './caller-address.ts'
import { createLoadGate, type GateLimits, type Lane, type Ticket } from './load-gate.ts'

const limits: GateLimits = {
  maxUnderWay: 4,
  maxUnderWayPerAddress: 2,
  maxWaiting: 50,
  maxWaitingPerAddress: 40,
  maxQueuedMs: 100,
}

/** A gate on a clock that is moved by hand; what happened is written down. */
function open(
  options: {
    limits?: Partial<GateLimits>
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
  const gate = createLoadGate({
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
      ticket = gate.enter({ lane, caller: name.slice(0, 1), start, refuse })
      return ticket
    },
    pass: async (turns) => {
      for (let at = 0; at < turns; at++) await turnOfLoop()
    },
    connect: gate.connected,
    wait: (ms) => {
      now += ms
    },
    events,
    turnedAway,
  }
}

void test('load gate: who comes alone begins at once, the next one a turn of the loop later', async () => {
  const gate = open()
  for (const name of ['a1', 'a2', 'a3']) gate.come(name)
  assert.deepEqual(gate.events, ['a1'])
  await gate.pass(1)
  assert.deepEqual(gate.events, ['a1', 'a2'])
  await gate.pass(1)
  assert.deepEqual(gate.events, ['a1', 'a2', 'a3'])
})

void test('load gate: lanes share turns, and none is left out while others are full', async () => {
  const gate = open()
  for (let at = 0; at < 30; at++) gate.come(`a${at}`)
  for (let at = 0; at < 30; at++) gate.come(`i${at}`, 'item')
  for (let at = 0; at < 30; at++) gate.come(`v${at}`, 'vital')
  await gate.pass(28)
  const count = (letter: string): number =>
    gate.events.filter((name) => name.startsWith(letter)).length
  assert.deepEqual([count('v'), count('i'), count('a')], [17, 8, 4])
  gate.come('p1', 'patient')
  await gate.pass(3)
  assert.equal(count('p'), 1)
})

void test('load gate: an address with one request is not behind those of another', async () => {
  const gate = open()
  for (let at = 0; at < 40; at++) gate.come(`a${at}`)
  await gate.pass(3)
  gate.come('b1')
  await gate.pass(2)
  assert.ok(gate.events.includes('b1'), gate.events.join(' '))
})

void test('load gate: time is shared, not turns', async () => {
  const costOf = (name: string): number => (name.startsWith('a') ? 10 : 1)
  const gate = open({ costOf, limits: { maxQueuedMs: 1_000 } })
  for (let at = 0; at < 20; at++) gate.come(`a${at}`)
  for (let at = 0; at < 20; at++) gate.come(`b${at}`)
  await gate.pass(20)
  const turns = gate.events.filter((name) => name.startsWith('b')).length
  assert.ok(turns >= 17, gate.events.join(' '))
  await gate.pass(30)
  assert.equal(gate.events.length, 40)
})

void test('load gate: when it is full the oldest of who has most is refused', async () => {
  const gate = open({ costMs: 10 })
  gate.come('a0')
  await gate.pass(1)
  // 100 ms of work are ten requests of 10 ms.
  gate.come('b0')
  for (let at = 1; at <= 30; at++) gate.come(`a${at}`)
  const refused = gate.events.filter((name) => name.startsWith('no '))
  assert.deepEqual(
    refused,
    Array.from({ length: 20 }, (_, at) => `no a${at + 1}`),
  )
  assert.equal(gate.turnedAway.length, 20)
  gate.come('c1')
  assert.equal(gate.events.at(-1), 'no a21')
  await gate.pass(3)
  assert.ok(gate.events.includes('c1'))
})

void test('load gate: delay of the loop counts as work, and eight wait at least', async () => {
  for (const [loopDelayMs, most] of [
    [0, 20],
    [50, 10],
    [60, 8],
    [5_000, 8],
  ] as const) {
    const gate = open({ costMs: 5, loopDelayMs })
    gate.come('a0')
    await gate.pass(1)
    gate.come('a1')
    for (let at = 2; at <= 40; at++) gate.come(`a${at}`)
    const refused = gate.events.filter((name) => name.startsWith('no ')).length
    assert.equal(39 - refused, most, `delay ${loopDelayMs}`)
  }
})

void test('load gate: one slow answer does not refuse the burst after it, many do', async () => {
  const gate = open({ costOf: (name) => (name.startsWith('s') ? 300 : 1) })
  const burst = async (): Promise<number> => {
    const before = gate.turnedAway.length
    for (let at = 0; at < 30; at++) gate.come(`b${at}`)
    await gate.pass(40)
    return gate.turnedAway.length - before
  }
  assert.equal(await burst(), 0)
  gate.come('s1')
  await gate.pass(2)
  assert.equal(await burst(), 0)
  for (let at = 0; at < 10; at++) {
    gate.come(`s${at}`)
    await gate.pass(2)
  }
  assert.equal(await burst(), 21)
})

void test('load gate: nothing is begun for who has gone or waited five seconds', async () => {
  const gate = open()
  gate.come('a1')
  const tickets = ['a2', 'a3', 'a4'].map((name) => gate.come(name))
  assert.deepEqual(
    tickets.map(({ since }) => since),
    [1, 1, 1],
  )
  tickets[0]?.leave()
  tickets[0]?.leave()
  await gate.pass(1)
  gate.wait(5_001)
  await gate.pass(2)
  assert.deepEqual(gate.events, ['a1', 'a3', 'no a4'])
  assert.deepEqual(gate.turnedAway, ['list gone', 'list late'])
  gate.come('a5')
  assert.equal(gate.events.at(-1), 'a5')
})

void test('load gate: of handlers that wait, so many are under way, and so many of one address', async () => {
  const gate = open()
  const lasting = ['A1', 'A2', 'A3', 'B1', 'B2', 'C1'].map((name) => gate.come(name))
  await gate.pass(10)
  assert.deepEqual(gate.events, ['A1', 'B1', 'C1', 'A2'])
  gate.come('v1', 'vital')
  await gate.pass(2)
  assert.deepEqual(gate.events.slice(4), ['v1'])
  lasting[0]?.leave()
  await gate.pass(2)
  assert.deepEqual(gate.events.slice(5), ['B2'])
  lasting[5]?.leave()
  await gate.pass(2)
  assert.deepEqual(gate.events.slice(6), ['A3'])
  const alone = open()
  for (const name of ['A1', 'A2', 'A3']) alone.come(name)
  await alone.pass(10)
  assert.deepEqual(alone.events, ['A1', 'A2'])
})

void test('load gate: connections that wait are let in before the next handler begins', async () => {
  const gate = open()
  gate.come('a1')
  gate.come('a2')
  for (let at = 0; at < 10; at++) {
    gate.connect()
    await gate.pass(1)
    assert.deepEqual(gate.events, ['a1'])
  }
  await gate.pass(1)
  assert.deepEqual(gate.events, ['a1', 'a2'])
  gate.come('a3')
  // Not for ever: a flood of connections does not stop the answers.
  for (let at = 0; at < 70; at++) {
    gate.connect()
    await gate.pass(1)
  }
  assert.deepEqual(gate.events, ['a1', 'a2', 'a3'])
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

void test('load gate: a request whose end is reported twice costs its caller nothing', async () => {
  const gate = open()
  const first = gate.come('a1')
  await gate.pass(1)
  // b's handler begins in this turn of the loop, so a's next request waits for the next one.
  gate.come('b1')
  gate.come('a2')
  first.leave()
  await gate.pass(2)
  assert.deepEqual(gate.events, ['a1', 'b1', 'a2'])
})
