/** Values that the explorer's pages compute: sentences, rewards, weeks, attributes. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'

import { natSpecOf } from '../../src/explorer/browser/contract/natspec.ts'
import { walkedBack } from '../../src/explorer/browser/evm/moved-coins.ts'
import { trafficOf } from '../../src/explorer/browser/icm/traffic-sums.ts'
import { urlOf } from '../../src/explorer/browser/kit/contract.ts'
import { attributesOf } from '../../src/explorer/browser/kit/format.ts'
import { isBusy, pauseBefore } from '../../src/explorer/browser/kit/patient-fetch.ts'
import {
  awaited,
  emptyWords,
  followStatus,
  isUnknown,
  pace,
} from '../../src/explorer/browser/kit/world.ts'
import {
  afterFee,
  minRates,
  rewardOf,
  endsPerWeek,
} from '../../src/explorer/browser/primary/stake.ts'
import type { Contract } from '../../src/shape/operations/contract.ts'
import { operations } from '../../src/shape/operations/operations.ts'
import type { ChainStatus, StageStatus, Status } from '../../src/shape/status.ts'

const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string }

type Vector = Readonly<Record<string, string | number | undefined>>

void test('rewards: every case of the node before Helicon gives the node’s amount', () => {
  const url = new URL('../../vectors/primary/rewards.json', import.meta.url)
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

void test('balances: walked back over transactions, where they begin with nothing', () => {
  const [own, other] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
  const base = { gasUsed: '21000', gasPrice: '10', txStatus: '1' }
  const move = (from: string, to: string, value: string): object => ({
    from: { address: from },
    to: { address: to },
    value,
  })
  const native = (blockTimestamp: number, more: object): object => ({
    nativeTransaction: { ...base, ...more, blockTimestamp },
  })
  // Got 1,000,000; paid 300 with a fee of 210,000; failed to pay 5; in one block got 7 back by a call and sent itself 9.
  const transactions = [
    native(40, move(own, own, '9')),
    {
      ...native(40, move(other, `0x${'cc'.repeat(20)}`, '0')),
      internalTransactions: [
        { ...move(other, own, '7'), isReverted: false },
        { ...move(other, own, '1000'), isReverted: true },
      ],
    },
    native(30, { ...move(own, other, '5'), txStatus: '0' }),
    native(20, move(own, other, '300')),
    native(10, move(other, own, '1000000')),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields that count
  ] as unknown as Parameters<typeof walkedBack>[2]
  const end = 1_000_000 - 3 * 210_000 - 300 + 7
  assert.deepEqual(walkedBack(own.toUpperCase().replace('X', 'x'), String(end), transactions), [
    { timestamp: 10, units: 1_000_000n },
    { timestamp: 20, units: 789_700n },
    { timestamp: 30, units: 579_700n },
    { timestamp: 40, units: BigInt(end) },
  ])
  assert.equal(walkedBack(own, String(end + 1), transactions), undefined)
})

void test('ending stake: one point a week, also where no stake ends', () => {
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

void test('NFTs: attributes are read whatever strangers wrote', () => {
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

void test('a busy server: only its 503 is tried again, later each time', () => {
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

void test('addresses: parameters of a path are encoded, the others are its query, absent ones are left out', () => {
  assert.equal(
    urlOf('/v1/chains/{chainId}/blocks/{blockId}', { chainId: 'a/b', blockId: 5 }),
    '/v1/chains/a%2Fb/blocks/5',
  )
  const query = { pageSize: 8, pageToken: '', verified: true }
  assert.equal(
    urlOf('/v1/chains/{chainId}/contracts', { chainId: 1, ...query }),
    '/v1/chains/1/contracts?pageSize=8&verified=true',
  )
  for (const { id, parameters } of Object.values<Contract>(operations))
    for (const name of Object.keys(parameters.path.properties))
      assert.ok(!(name in parameters.query.properties), `${id} has one ${name}`)
})

void test('empty lists: one is final once its chains are indexed, and requested again when they are', () => {
  const stage = {
    stage: 'blocks',
    state: 'syncing',
    indexedHeight: 3,
    headHeight: 90,
    blocksPerSecond: 1,
  } as const
  const { stage: _name, ...heights } = stage
  const chain = (name: string, evmChainId: number, blocks: StageStatus): ChainStatus => ({
    ...heights,
    chain: name,
    kind: 'evm',
    network: 'fuji',
    name,
    evmChainId,
    state: blocks.state,
    stages: [blocks],
  })
  const statusOf = (...chains: ChainStatus[]): Status => ({ version: '1', role: 'all', chains })
  assert.equal(emptyWords([]), 'No entries so far.')
  const live = { ...stage, state: 'live', indexedHeight: 90 } as const
  followStatus(statusOf(chain('One', 1, stage), chain('Two', 2, live)))
  const before = pace()
  assert.match(emptyWords([]), /so far. Not indexed to the end: One\.$/)
  assert.match(emptyWords(['chain', '1', 'contracts']), /so far/)
  assert.equal(emptyWords(['chain', '2']), 'No entries.')
  // The newest blocks alone make no list incomplete.
  followStatus(statusOf(chain('One', 1, { ...stage, indexedHeight: 89 }), chain('Two', 2, live)))
  assert.equal(emptyWords([]), 'No entries.')
  const after = pace()
  assert.ok(before[0] < after[0])
  assert.notEqual(before[1], after[1])

  const away = chain('One', 1, { ...stage, reason: 'no node answers' })
  assert.equal(awaited(away), 'no node answers')
  assert.equal(awaited(chain('One', 1, { ...live, reason: 'no node answers' })), undefined)
})

void test('chains: an unknown number counts as unknown once every chain has its id', () => {
  const status = (evmChainId?: number): Status => ({
    version: '1',
    role: 'all',
    chains: [
      {
        chain: 'one',
        kind: 'evm',
        network: 'fuji',
        name: 'One',
        evmChainId,
        state: 'live',
        indexedHeight: 0,
        headHeight: 0,
        blocksPerSecond: 0,
        stages: [],
      },
    ],
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no other fact is read
  const chains = [{ chainId: '7' }] as unknown as Parameters<typeof isUnknown>[0]['chains']
  assert.equal(isUnknown({ chains, status: status(7) }, '8'), true)
  assert.equal(isUnknown({ chains, status: status(7) }, '7'), false)
  assert.equal(isUnknown({ chains, status: status(7) }, 'an-alias'), false)
  assert.equal(isUnknown({ chains: [], status: status() }, '8'), false)
  assert.equal(isUnknown({ chains: [], status: undefined }, '8'), false)
})

void test('contracts: words on a method are those that the compiler finds in its comments', () => {
  const content = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Vault {
  /// @notice Stored so far
  uint256 public total;
  struct Lot { uint256 size; address owner; }
  /// @notice Puts coins
  ///  aside
  /// @dev Reverts for nothing
  /// @param size of the \u202elot
  /// @return id of the lot
  function put(uint256 size, Lot[] calldata lots) external returns (uint256 id) {
    total += size + lots.length;
    return total;
  }
  function silent() external {}
}`
  const settings = { outputSelection: { '*': { '*': ['userdoc', 'devdoc'] } } }
  const input = { language: 'Solidity', sources: { a: { content } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
    contracts: { a: { Vault: unknown } }
  }
  const words = natSpecOf(output.contracts.a.Vault)
  assert.deepEqual([...words.keys()].toSorted(), ['put(uint256,(uint256,address)[])', 'total()'])
  assert.equal(words.get('total()')?.text, 'Stored so far')
  assert.deepEqual(words.get('put(uint256,(uint256,address)[])'), {
    text: 'Puts coins aside Reverts for nothing',
    parameters: new Map([['size', 'of the ⟨202E⟩lot']]),
    returns: 'of the lot',
  })
  for (const nothing of [undefined, 7, { userdoc: { methods: [] } }, { devdoc: 'x' }])
    assert.deepEqual(natSpecOf(nothing), new Map())
})
