/** Who was due to propose, on recorded networks of several validators. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { chainSource } from '../../../src/codec/proposer/windower.ts'
import { toCb58, toNodeId } from '../../../src/core/cb58.ts'
import { rulesOf, upgradesOf } from '../../../src/indexing/primary/batch/rules.ts'
import { openPrimaryHost } from '../../../src/indexing/primary/run/host.ts'
import { judge } from '../../../src/indexing/primary/schedule/judge.ts'
import { ProposerSets } from '../../../src/indexing/primary/schedule/proposer-sets.ts'
import { Schedule } from '../../../src/indexing/primary/schedule/schedule.ts'
import { openRecordedPrimary } from '../../../src/source/primary/recorded-source.ts'
import { checkpointHeights } from '../../../src/store/checkpoint.ts'
import { type Database, statement, type Writer } from '../../../src/store/engine/database.ts'
import { allMeta } from '../../../src/store/meta.ts'
import { openStore } from '../../../src/store/open.ts'
import { networkFacts } from '../../../src/store/query/primary/network.ts'
import { firstOuterBlocks } from '../../../src/store/query/primary/scheduled-blocks.ts'
import {
  chainNumbers,
  heightOfBlock,
  type PrimaryChain,
} from '../../../src/store/schema/primary/position.ts'
import { primaryStoreTables } from '../../../src/store/schema/stores.ts'
import { indexRecording } from '../../support/chains/recorded-five.ts'
import { recordingNamed } from '../../support/chains/recorded-network.ts'
import { fileWorld, indexedPrimary, proposalsPath } from '../../support/services/primary-service.ts'

const chains = ['P', 'X', 'C'] as const

/** Does `work` over a store that is filled by `fill`. */
async function withStore(
  dataDir: string,
  how: 'read' | 'write',
  work: (store: Database) => Promise<void>,
): Promise<void> {
  const place = { store: 'embedded', dataDir } as const
  const store = await openStore(place, 'primary-fuji', primaryStoreTables, how)
  try {
    await work(store)
  } finally {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function recorded(name: 'local-two' | 'local-five'): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-slots-'))
  const recording = recordingNamed(name)
  const location = { store: 'embedded', dataDir }
  await indexRecording(recording, { location, key: 'primary-fuji', last: recording.height })
  return dataDir
}

type Network = ConstructorParameters<typeof Schedule>[0]

async function networkIn(store: Database): Promise<Network> {
  const facts = await networkFacts(store)
  const { xChainId, cChainId, networkId } = facts ?? assert.fail('the network is stored')
  const upgrades: Record<string, number> = JSON.parse((await allMeta(store)).get('upgrades') ?? '')
  const rules = rulesOf(networkId, upgradesOf(upgrades))
  return { rules, chainIds: { X: xChainId, C: cChainId } }
}

/** Every block with a known outer parent, also those of the first slot: `[agree, differ]`. */
async function compared(store: Database, chain: PrimaryChain): Promise<[number, number]> {
  const { rules, chainIds } = await networkIn(store)
  const source = chain === 'P' ? 0n : chainSource(chainIds[chain])
  const sets = new ProposerSets()
  const first = chainNumbers[chain] * 2 ** 31
  const rows = await firstOuterBlocks(store, { from: first, until: first + 2 ** 31, limit: 1_000 })
  let parent: { readonly time: number; readonly pChainHeight: number } | undefined
  const counts: [number, number] = [0, 0]
  for (const { id, isKnown, proposer, time, pChainHeight } of rows) {
    if (!isKnown) parent = undefined
    if (time === undefined || pChainHeight === undefined) continue
    if (parent !== undefined) {
      const tree = await sets.at(store, parent.pChainHeight)
      const height = heightOfBlock(id)
      const block = { source, height, time, proposer, parentTime: parent.time, tree }
      const found = judge({ ...block, wantedSince: undefined }, rules.upgrades.durango)
      counts[found === undefined ? 1 : 0]++
    }
    parent = { time, pChainHeight }
  }
  return counts
}

void test('schedule: every block of a network of five was proposed by the node that was due', async () => {
  await withStore(await indexedPrimary(proposalsPath), 'read', async (store) => {
    const counts = await Promise.all(chains.map((chain) => compared(store, chain)))
    assert.deepEqual(counts, [
      [117, 0],
      [6, 0],
      [35, 0],
    ])
  })
})

/** Sets of rising heights, as `platform.getValidatorsAt` answered for each. */
async function checkSets(store: Database, name: 'local-two' | 'local-five'): Promise<void> {
  const sets = new ProposerSets()
  const answers = recordingNamed(name).answers.validatorsAt[toCb58(new Uint8Array(32))] ?? []
  assert.ok(answers.length > 40)
  for (const [height, answer] of answers.entries()) {
    const theirs = Object.entries(answer).map(([nodeId, { weight = '' }]) => [nodeId, weight])
    const { members } = await sets.at(store, height)
    const ours = members.map(({ nodeId, weight }) => [toNodeId(nodeId), String(weight)])
    assert.deepEqual(Object.fromEntries(ours), Object.fromEntries(theirs), `height ${height}`)
  }
}

void test('schedule: every block of a network with epochs was proposed by the node that was due', async () => {
  await withStore(await recorded('local-five'), 'read', async (store) => {
    assert.deepEqual(await compared(store, 'P'), [43, 0])
    assert.deepEqual(await compared(store, 'X'), [4, 0])
    await checkSets(store, 'local-five')
  })
})

void test('schedule: every block of a network that crossed Durango was proposed by the node that was due', async () => {
  await withStore(await recorded('local-two'), 'read', async (store) => {
    assert.deepEqual(await compared(store, 'P'), [105, 0])
    assert.deepEqual(await compared(store, 'X'), [21, 0])
    await checkSets(store, 'local-two')
  })
})

const questions = [
  'select id, slot, node, outcome from passed_slot order by id, slot',
  `select node, chain, day, proposed, idle, missed, unclear, unknown, disagreed from proposer_day
   where proposed + idle + missed + unclear + unknown + disagreed > 0 order by node, chain, day`,
].map((text) => statement(text, { over: 'tables' }))

/** All that is stored of slots. */
async function slotsIn(store: Database): Promise<unknown> {
  return Promise.all(questions.map(async (question) => store.all(question)))
}

async function judgeAll(store: Database, schedule: Schedule): Promise<void> {
  const commit = <T>(work: (writer: Writer, epoch: number) => Promise<T>): Promise<T> =>
    store.transaction((writer) => work(writer, 1))
  while (await schedule.judgeMore(store, commit));
}

void test('schedule: after blocks are taken back, no slot of theirs is left', async () => {
  await withStore(await indexedPrimary(proposalsPath), 'write', async (store) => {
    const all = await slotsIn(store)
    const schedule = new Schedule(await networkIn(store))
    const heights = await checkpointHeights(store)
    for (const [chain, height] of [
      ['P', 134],
      ['P', 50],
      ['C', 20],
      ['X', 0],
    ] as const) {
      await store.transaction((writer) => schedule.takeBack(writer, 1, { chain, height }))
      const now = await checkpointHeights(store)
      assert.equal(now.get(`${chain} slots`), height)
      assert.notDeepEqual(await slotsIn(store), all, `${chain} ${height}`)
      await judgeAll(store, schedule)
      assert.deepEqual(await slotsIn(store), all, `${chain} ${height}`)
      assert.deepEqual(await checkpointHeights(store), heights)
    }
  })
})

void test('schedule: a wrong block of a node is taken back with its slots, and the right one is judged again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-slots-'))
  const { signal } = new AbortController()
  const source = openRecordedPrimary(readFileSync(proposalsPath))
  const host = await openPrimaryHost({
    key: 'primary-fuji',
    genesis: 'auto',
    store: { store: 'embedded', dataDir },
    world: fileWorld,
    owner: 'test',
    signal,
    source,
  })
  try {
    // A few heights at a time, as at the head: what more brings at once cannot be taken back.
    const fill = async (chain: PrimaryChain): Promise<void> => {
      const replay = await host.replay(chain)
      const head = await source.headHeight(chain, signal)
      for (let range = replay.plan(replay.height() + 1, head); range !== undefined;) {
        const until = Math.min(range.until, range.from + 3)
        const fetched = await replay.fetch({ from: range.from, until }, signal)
        if (fetched.length > 0) await host.commit(replay, fetched, signal)
        range = replay.plan(replay.height() + 1, head)
      }
      await host.settled()
      while (await host.judgeMore());
    }
    for (const chain of chains) await fill(chain)
    const all = await slotsIn(host.database)
    for (const chain of ['P', 'C'] as const) {
      const head = await source.headHeight(chain, signal)
      assert.equal(await host.takeBack(chain, head, new Uint8Array(32)), true)
      const heights = await checkpointHeights(host.database)
      assert.equal(heights.get(`${chain} slots`), heights.get(chain))
      assert.ok((heights.get(chain) ?? head) < head)
      await fill(chain)
      assert.deepEqual(await slotsIn(host.database), all, chain)
    }
  } finally {
    await host.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
