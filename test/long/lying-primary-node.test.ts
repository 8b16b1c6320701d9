/**
 * A node of the primary network whose answers are altered, with an Index API and without: nothing wrong
 * is kept, and its chains are live once it tells the truth again, without a restart.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { isObject } from '../../src/core/json.ts'
import type { World } from '../../src/core/world.ts'
import { statement } from '../../src/store/engine/database.ts'
import { factsOf } from '../support/chains/primary-facts.ts'
import { type NodeCall } from '../support/nodes/json-rpc-reply.ts'
import { nodeGenesis, openPrimaryNode, type NodeBehaviour } from '../support/nodes/primary-node.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { fileWorld, indexPrimary } from '../support/services/primary-service.ts'

/** Waits take a two hundredth of their time. */
const quick = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / 200, signal),
}

const sizes = statement('select id, size_bytes from primary_block order by id', { over: 'tables' })

async function factsFrom(behaviour: NodeBehaviour): Promise<Readonly<Record<string, unknown>>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-lies-'))
  const { transport } = openPrimaryNode(behaviour)
  const world: World = { ...fileWorld, clock: quick, transport }
  const place = { store: 'embedded', dataDir } as const
  const options = { world, nodeUrl: 'http://node', genesis: nodeGenesis, isPatient: true }
  try {
    const store = await indexPrimary(place, options)
    const facts = { ...(await factsOf(store)), sizes: await store.all(sizes) }
    await store.close()
    return facts
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Lie = (truth: Readonly<Record<string, unknown>>) => unknown

/** A member written otherwise. */
function member(name: string, write: (text: string) => unknown): Lie {
  return (truth) => {
    const value = truth[name]
    return typeof value === 'string' ? { ...truth, [name]: write(value) } : truth
  }
}

function flipped(text: string, at: number): string {
  const place = at < 0 ? text.length + at : at
  return `${text.slice(0, place)}${(parseInt(text.charAt(place), 16) ^ 1).toString(16)}${text.slice(place + 1)}`
}

const cBlock = /^eth_getBlockByNumber$/
const pxBlock = /^(?:platform|avm)\.getBlockByHeight$/

const lies: Readonly<Record<string, readonly [methods: RegExp, lie: Lie]>> = {
  'no extra data': [cBlock, ({ blockExtraData: _gone, ...rest }) => rest],
  'empty extra data': [cBlock, member('blockExtraData', () => '0x')],
  'altered extra data': [cBlock, member('blockExtraData', (text) => `${text}00`)],
  'a later time': [
    cBlock,
    member('timestamp', (text) => `0x${(Number(text) + 5_000).toString(16)}`),
  ],
  'another size': [cBlock, member('size', (text) => `${text}0`)],
  'fewer transactions': [cBlock, (truth) => ({ ...truth, transactions: [] })],
  'another hash': [cBlock, member('hash', (text) => flipped(text, 10))],
  'another parent': [cBlock, member('parentHash', (text) => flipped(text, 10))],
  'another height': [cBlock, member('number', (text) => flipped(text, -1))],
  'no hash of extra data': [cBlock, ({ extDataHash: _gone, ...rest }) => rest],
  'a hash of odd length': [cBlock, member('hash', (text) => text.slice(0, -1))],
  'a number that is none': [cBlock, member('timestamp', () => 'zz')],
  'a flipped bit near the end': [pxBlock, member('block', (text) => flipped(text, -1))],
  'a flipped bit in the parent': [pxBlock, member('block', (text) => flipped(text, 40))],
  'a flipped bit in the time': [pxBlock, member('block', (text) => flipped(text, 29))],
  'hex of odd length': [pxBlock, member('block', (text) => text.slice(0, -1))],
  'no hex': [pxBlock, member('block', (text) => `0x${'z'.repeat(text.length - 2)}`)],
  'half a block': [pxBlock, member('block', (text) => text.slice(0, 2 * (text.length >> 2)))],
  'a number in its place': [pxBlock, member('block', () => 7)],
  'a height that is none': [/getHeight$/, member('height', () => '-1')],
  'another network': [/getNetworkID$/, member('networkID', () => '5')],
  'an id that is none': [/getBlockchainID$/, member('blockchainID', (text) => `${text}1`)],
  'other upgrades': [/^info\.upgrades$/, member('etnaTime', () => '2030-01-01T00:00:00Z')],
  'another genesis': [pxBlock, member('block', (text) => flipped(text, 20))],
  'flipped containers': [
    /getContainerRange$/,
    ({ containers }) => ({
      containers: Array.isArray(containers)
        ? containers.map((each) =>
            isObject(each) ? member('bytes', (text) => flipped(text, -3))(each) : each,
          )
        : containers,
    }),
  ],
  'an index that ends early': [/getLastAccepted$/, member('index', () => '-1')],
}

/** Tells a lie every other time at first, more often than is waited in one state; then the truth. */
function liar([methods, lie]: readonly [RegExp, Lie]): (call: NodeCall, truth: unknown) => unknown {
  let lies = 0
  return (call, truth) => {
    if (!methods.test(call.method) || !isObject(truth) || lies >= 40) return truth
    const lied = lie(truth)
    if (JSON.stringify(lied) === JSON.stringify(truth)) return truth
    return ++lies % 2 === 0 ? truth : lied
  }
}

for (const hasIndex of [false, true]) {
  const way = hasIndex ? 'with an Index API' : 'without'
  const honest = factsFrom({ hasIndex })
  for (const [name, lie] of Object.entries(lies))
    void test(`${way}: ${name}`, async () => {
      assert.deepEqual(await factsFrom({ hasIndex, lie: liar(lie) }), await honest)
    })
  void test(`${way}: answers that are cut, empty, or of something else`, async () => {
    let replies = 0
    const garble = (text: string): string => {
      const forms = [
        text.slice(0, text.length >> 1),
        '',
        '<html>',
        '[]',
        '{}',
        'null',
        '{"result":null}',
      ]
      return ++replies % 5 === 0 && replies < 300
        ? (forms[(replies / 5) % forms.length] ?? '')
        : text
    }
    assert.deepEqual(await factsFrom({ hasIndex, garble }), await honest)
  })
}

void test("without an Index API every block is stored as with one, the C-Chain's too", async () => {
  const [without, whole] = await Promise.all([
    factsFrom({ hasIndex: false }),
    factsFrom({ hasIndex: true }),
  ])
  assert.deepEqual(without['sizes'], whole['sizes'])
  const [first, all] = [without, whole].map(({ primary_block: block }) => block)
  assert.ok(Array.isArray(first) && Array.isArray(all) && all.length > 100)
  // Only the Index API has proposers.
  const unproposed = (rows: readonly unknown[]): string[] =>
    rows.map((row) => String(row).split(' ').slice(0, 6).join(' '))
  assert.deepEqual(unproposed(first), unproposed(all))
})
