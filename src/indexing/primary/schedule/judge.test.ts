import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  proposerOfSlot,
  proposersBeforeDurango,
  proposerTree,
} from '../../../codec/proposer/windower.ts'
import type { SlotOutcome } from '../../../store/schema/primary/proposing.ts'
import { judge, type ScheduledBlock } from './judge.ts'

const durango = 1_000
const tree = proposerTree(
  [1, 2, 3, 4].map((node) => ({
    node,
    nodeId: new Uint8Array(20).fill(node),
    weight: BigInt(10 + node),
  })),
)
const turn = { source: 0n, height: 7 }

/** The outcome of each slot before a block that comes `delay` seconds after its parent. */
function since(delay: number, wantedSince?: number): SlotOutcome[] | undefined {
  const proposer = proposerOfSlot(tree, turn, Math.floor(delay / 5))?.node
  return outcomes({ time: durango + delay, parentTime: durango, proposer, wantedSince })
}

function outcomes(
  block: Pick<ScheduledBlock, 'time' | 'parentTime' | 'proposer' | 'wantedSince'>,
): SlotOutcome[] | undefined {
  return judge({ ...turn, tree, ...block }, durango)?.map(({ outcome }) => outcome)
}

void test('since Durango: a block in its first slot passed nobody', () => {
  assert.deepEqual(since(0), [])
  assert.deepEqual(since(4), [])
})

void test('since Durango: a block that comes late in its slot ended an idle time', () => {
  assert.deepEqual(since(6), ['unclear'])
  assert.deepEqual(since(7), ['idle'])
  assert.deepEqual(since(9, durango), ['idle'])
})

void test('since Durango: slots are missed from when a block was wanted', () => {
  assert.deepEqual(since(15, durango), ['missed', 'missed', 'missed'])
  assert.deepEqual(since(15, durango + 1), ['unclear', 'missed', 'missed'])
})

void test('since Durango: a slot that five others passed after was idle, and of long times an hour counts', () => {
  assert.deepEqual(since(35, durango), ['idle', 'idle', ...Array(5).fill('missed')])
  assert.equal(since(5 * 720)?.length, 720)
  assert.equal(since(5 * 721)?.length, 720)
})

void test('schedule: a block of somebody else disagrees, and one that nobody signed', () => {
  const due = proposerOfSlot(tree, turn, 1)?.node
  for (const proposer of [1, 2, 3, 4, 5, undefined])
    if (proposer !== due)
      assert.equal(
        outcomes({ time: durango + 5, parentTime: durango, proposer, wantedSince: 0 }),
        undefined,
      )
})

void test('before Durango: windows before that of the proposer passed, each node once', () => {
  const list = proposersBeforeDurango(tree, turn).map(({ node }) => node)
  const parentTime = durango - 100
  const firsts = list.filter((node, place) => list.indexOf(node) === place)
  for (const [at, proposer] of firsts.entries()) {
    const opens = list.indexOf(proposer) * 5
    const early = { parentTime, proposer, wantedSince: parentTime }
    assert.deepEqual(outcomes({ ...early, time: parentTime + opens }), Array(at).fill('missed'))
    assert.deepEqual(outcomes({ ...early, time: parentTime + 29 }), Array(at).fill('unclear'))
    if (opens > 0) assert.equal(outcomes({ ...early, time: parentTime + opens - 1 }), undefined)
    assert.equal(outcomes({ ...early, time: parentTime + 30 }), undefined)
  }
  const late = { parentTime, proposer: undefined, wantedSince: undefined }
  assert.deepEqual(
    outcomes({ ...late, time: parentTime + 30 }),
    firsts.map(() => 'unclear'),
  )
  assert.equal(outcomes({ ...late, time: parentTime + 29 }), undefined)
})
