/** Values that the explorer's pages compute: calls, sentences, rewards, weeks, attributes. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { keccak_256 } from '@noble/hashes/sha3.js'

import { attributesOf } from '../src/explorer/browser/attributes.ts'
import { argumentsOf } from '../src/explorer/browser/call-data.ts'
import { eventOf } from '../src/explorer/browser/event-data.ts'
import { isBusy, pauseBefore } from '../src/explorer/browser/patient-fetch.ts'
import { afterFee, minRates, rewardOf } from '../src/explorer/browser/reward.ts'
import { endsPerWeek } from '../src/explorer/browser/stake-weeks.ts'
import { trafficOf } from '../src/explorer/browser/traffic-sums.ts'

const pad = (hex: string): string => hex.padStart(64, '0')
const text = (hex: string): string => hex.padEnd(64, '0')

void test('call data: the examples of the ABI specification', () => {
  // Source: docs.soliditylang.org, Contract ABI Specification, Examples and Use of Dynamic Types.
  const cases: [string, string, string[]][] = [
    ['baz(uint32,bool)', `0xcdcd77c0${pad('45')}${pad('1')}`, ['69', 'true']],
    [
      'sam(bytes,bool,uint256[])',
      `0xa5643bf2${[pad('60'), pad('1'), pad('a0'), pad('4'), text('64617665'), pad('3'), pad('1'), pad('2'), pad('3')].join('')}`,
      ['0x64617665', 'true', '[1, 2, 3]'],
    ],
    [
      'f(uint256,uint32[],bytes10,bytes)',
      `0x8be65246${[pad('123'), pad('80'), text('31323334353637383930'), pad('e0'), pad('2'), pad('456'), pad('789'), pad('d'), text('48656c6c6f2c20776f726c6421')].join('')}`,
      ['291', '[1110, 1929]', '0x31323334353637383930', '0x48656c6c6f2c20776f726c6421'],
    ],
  ]
  for (const [signature, input, values] of cases) {
    assert.deepEqual(
      argumentsOf(signature, input)?.map(({ value }) => value),
      values,
      signature,
    )
    // Every end before the last argument's own is too short; what is cut is never half shown.
    for (let size = 10; size < input.length - 64; size += 2)
      assert.equal(argumentsOf(signature, input.slice(0, size)), undefined, `${signature} ${size}`)
  }
  // A place far outside, a truth value that is none, an address with more than twenty bytes.
  assert.equal(argumentsOf('a(bytes)', `0x00000000${'f'.repeat(64)}`), undefined)
  assert.equal(argumentsOf('a(bool)', `0x00000000${pad('2')}`), undefined)
  assert.equal(argumentsOf('a(address)', `0x00000000${'f'.repeat(64)}`), undefined)
  assert.equal(argumentsOf('a((uint256,bytes))', `0x00000000${pad('2')}`), undefined)
  assert.deepEqual(argumentsOf('a()', '0x00000000'), [])
})

/** Topic of an event by its signature. Source: Solidity's contract ABI specification, Events. */
const topicOf = (signature: string): string =>
  `0x${Buffer.from(keccak_256(Buffer.from(signature))).toString('hex')}`

void test('logs: what is indexed and what is not are told together, in the event’s order', () => {
  const [alice, bob] = ['aa'.repeat(20), 'bb'.repeat(20)]
  const id = `0x${'cd'.repeat(32)}`
  const cases: [string, string[], string, string[]][] = [
    ['Transfer(address,address,uint256)', [alice, bob], pad('7'), [`0x${alice}`, `0x${bob}`, '7']],
    ['Transfer(address,address,uint256)', [alice, bob, '7'], '', [`0x${alice}`, `0x${bob}`, '7']],
    ['Approval(address,address,uint256)', [alice, bob], pad('1'), [`0x${alice}`, `0x${bob}`, '1']],
    [
      'ApprovalForAll(address,address,bool)',
      [alice, bob],
      pad('1'),
      [`0x${alice}`, `0x${bob}`, 'true'],
    ],
    [
      'TransferSingle(address,address,address,uint256,uint256)',
      [alice, alice, bob],
      pad('3') + pad('15'),
      [`0x${alice}`, `0x${alice}`, `0x${bob}`, '3', '21'],
    ],
    [
      'TransferBatch(address,address,address,uint256[],uint256[])',
      [alice, alice, bob],
      [pad('40'), pad('80'), pad('1'), pad('5'), pad('1'), pad('6')].join(''),
      [`0x${alice}`, `0x${alice}`, `0x${bob}`, '[5]', '[6]'],
    ],
    ['Deposit(address,uint256)', [alice], pad('9'), [`0x${alice}`, '9']],
    ['Withdrawal(address,uint256)', [alice], pad('9'), [`0x${alice}`, '9']],
    ['OwnershipTransferred(address,address)', [alice, bob], '', [`0x${alice}`, `0x${bob}`]],
    [
      'SendWarpMessage(address,bytes32,bytes)',
      [alice, id.slice(2)],
      pad('20') + pad('2') + text('abcd'),
      [`0x${alice}`, id, '0xabcd'],
    ],
    ['MessageExecuted(bytes32,bytes32)', [id.slice(2), id.slice(2)], '', [id, id]],
  ]
  for (const [signature, indexed, data, values] of cases) {
    const log = {
      address: `0x${bob}`,
      topics: [topicOf(signature), ...indexed.map((topic) => `0x${pad(topic)}`)],
      data: `0x${data}`,
      logIndex: 0,
    }
    const event = eventOf(log)
    assert.equal(event?.signature, signature)
    assert.deepEqual(
      event?.parameters.map(({ value }) => value),
      values,
      signature,
    )
    // A log that does not fit its event is shown as it is.
    assert.equal(eventOf({ ...log, topics: log.topics.slice(0, 1), data: '0x' }), undefined)
  }
  assert.equal(eventOf({ address: '', topics: [], data: '0x', logIndex: 0 }), undefined)
  const other = topicOf('Unknown(uint256)')
  assert.equal(eventOf({ address: '', topics: [other], data: '0x', logIndex: 0 }), undefined)
})

type Vector = Readonly<Record<string, string | number | undefined>>

void test('rewards: every case of the node before Helicon gives the node’s amount', () => {
  const url = new URL('../vectors/primary/rewards.json', import.meta.url)
  const all = JSON.parse(readFileSync(url, 'utf8')) as Vector[]
  const mine = all.filter(
    (one) =>
      Number(one['minConsumptionRate']) === Number(minRates.before) &&
      Number(one['maxConsumptionRate']) === 120_000 &&
      one['nsAfterHelicon'] === undefined,
  )
  assert.ok(mine.length > 3, `${mine.length} cases`)
  for (const one of mine)
    assert.equal(
      String(
        rewardOf({
          amount: BigInt(one['stakeNAvax'] ?? 0),
          seconds: BigInt(one['durationNs'] ?? 0) / 1_000_000_000n,
          supply: BigInt(one['currentSupplyNAvax'] ?? 0),
          minRate: minRates.before,
        }),
      ),
      one['expected'],
      JSON.stringify(one),
    )
})

void test('rewards: a fee takes its part, a full year pays the same before and after Helicon', () => {
  assert.equal(afterFee(1_000_000n, 20_000n), 980_000n)
  assert.equal(afterFee(1_000_000n, 1_000_000n), 0n)
  assert.equal(afterFee(7n, 0n), 7n)
  const year = { amount: 10n ** 15n, seconds: 31_536_000n, supply: 36n * 10n ** 16n }
  assert.equal(
    rewardOf({ ...year, minRate: minRates.before }),
    rewardOf({ ...year, minRate: minRates.after }),
  )
  assert.equal(rewardOf({ ...year, supply: 0n, minRate: minRates.before }), 0n)
})

void test('stake that ends: one point a week, also where nothing ends', () => {
  const week = 604_800
  const one = (weeks: number, navax: string): Parameters<typeof endsPerWeek>[0][number] => ({
    endTimestamp: week * weeks + 5,
    amountStaked: navax,
    amountDelegated: '1000000000',
  })
  const points = endsPerWeek([one(2_900, '2000000000'), one(2_909, '0'), one(2_900, '1000000000')])
  assert.equal(points.length, 10)
  assert.deepEqual(points[0], { timestamp: 2_900 * week, value: 5 })
  assert.deepEqual(points[1], { timestamp: 2_901 * week, value: 0 })
  assert.deepEqual(points.at(-1), { timestamp: 2_909 * week, value: 1 })
  assert.deepEqual(endsPerWeek([]), [])
})

void test('NFTs: attributes are told whatever strangers wrote', () => {
  assert.deepEqual(attributesOf('[{"trait_type":"Fur","value":"r\u202eed"},{"value":1},7]'), [
    ['Fur', 'r⟨202E⟩ed'],
  ])
  assert.deepEqual(attributesOf('{"level":3,"tags":["a"]}'), [
    ['level', '3'],
    ['tags', '["a"]'],
  ])
  for (const nothing of [undefined, '', 'no', '1', 'null', '"x"', '[1,null]'])
    assert.deepEqual(attributesOf(nothing), [])
})

void test('L1s: messages count for both ends, and once within a subnet', () => {
  const chains = ['a1', 'a2', 'b1'].map((blockchainId) => ({
    blockchainId,
    subnetId: blockchainId.slice(0, 1),
  }))
  const route = (from: string, until: string, lastDay: number): Parameters<typeof trafficOf>[1] => [
    { srcBlockchainId: from, destBlockchainId: until, lastDay },
  ]
  const sums = trafficOf(chains, [
    ...route('a1', 'b1', 5),
    ...route('b1', 'a2', 3),
    ...route('a1', 'a2', 2),
    ...route('b1', 'elsewhere', 1),
  ])
  assert.deepEqual(
    [...sums],
    [
      ['a', 10],
      ['b', 9],
    ],
  )
})

void test('a busy server: it alone is asked again, later each time', () => {
  const said = (status: number, retryAfter?: string): Response =>
    new Response('{}', {
      status,
      headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    })
  const busy = said(503, '1')
  assert.deepEqual(
    [2, 3, 4].map((next) => pauseBefore(next, busy)),
    [1_000, 2_000, 3_000],
  )
  assert.equal(isBusy(busy), true)
  for (const other of [said(200, '1'), said(429, '1'), said(503), said(503, '5'), said(503, 'x')])
    assert.equal(isBusy(other), false)
})
