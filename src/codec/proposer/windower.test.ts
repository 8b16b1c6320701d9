import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { parseId, parseNodeId, toNodeId } from '../../core/cb58.ts'
import { assert as holds } from '../../core/fault.ts'
import {
  chainSource,
  proposerOfSlot,
  proposersBeforeDurango,
  type ProposerTree,
  proposerTree,
  type Turn,
  type Weighted,
} from './windower.ts'

type Named = Readonly<Record<string, string>>
type Row = { readonly chain: string; readonly height: number; readonly set: string }
const vectors: {
  readonly nodes: Named
  readonly chains: Named
  readonly setsInAvax: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly beforeDurango: readonly (Row & { readonly list: string })[]
  readonly sinceDurango: readonly (Row & { readonly slots: string })[]
} = JSON.parse(
  readFileSync(new URL('../../../vectors/primary/proposer-schedule.json', import.meta.url), 'utf8'),
)

function treeOf(set: string): ProposerTree<Weighted> {
  const members = Object.entries(vectors.setsInAvax[set] ?? {}).map(([name, avax]) => ({
    nodeId: parseNodeId(vectors.nodes[name] ?? ''),
    weight: BigInt(avax) * 1_000_000_000n,
  }))
  return proposerTree(members)
}

function turnOf({ chain, height }: Row): Turn {
  return { source: chainSource(parseId(vectors.chains[chain] ?? '')), height }
}

function nameOf(member: Weighted | undefined): string {
  holds(member !== undefined, 'every set of the vectors has members')
  const nodeId = toNodeId(member.nodeId)
  return Object.entries(vectors.nodes).find(([, id]) => id === nodeId)?.[0] ?? nodeId
}

void test('windows before Durango: the lists of a real network', () => {
  for (const row of vectors.beforeDurango) {
    const list = proposersBeforeDurango(treeOf(row.set), turnOf(row))
    assert.equal(list.map(nameOf).join(' '), row.list, `${row.chain} ${row.height}`)
  }
})

void test('slots since Durango: the proposers of a real network', () => {
  for (const row of vectors.sinceDurango) {
    const tree = treeOf(row.set)
    const due = row.slots
      .split(' ')
      .map((_, slot) => nameOf(proposerOfSlot(tree, turnOf(row), slot)))
    assert.equal(due.join(' '), row.slots, `${row.chain} ${row.height}`)
  }
})

function membersOf(...weights: readonly bigint[]): Weighted[] {
  return weights.map((weight, at) => ({ nodeId: new Uint8Array(20).fill(at), weight }))
}

const turn = { source: 0n, height: 1 }

void test('proposer tree: equal weights come in the order of node ids', () => {
  const { members, sums } = proposerTree(membersOf(2n, 3n, 2n, 3n).toReversed())
  assert.deepEqual(
    members.map(({ nodeId }) => nodeId[0]),
    [1, 3, 0, 2],
  )
  assert.deepEqual([...sums], [10n, 5n, 2n, 2n])
})

void test('windower: nobody is due where there are no validators', () => {
  assert.equal(proposerOfSlot(proposerTree([]), turn, 0), undefined)
  assert.deepEqual(proposersBeforeDurango(proposerTree([]), turn), [])
})

void test('windower: a list has as many windows as there is weight, each unit of it once', () => {
  const list = proposersBeforeDurango(proposerTree(membersOf(1n, 2n, 1n)), turn)
  assert.equal(list.length, 4)
  const times = [0, 1, 2].map((at) => list.filter(({ nodeId }) => nodeId[0] === at).length)
  assert.deepEqual(times, [1, 2, 1])
})

void test('windower: whoever has weight is due as often, also above 2^63 and in powers of two', () => {
  for (const unit of [1n, 1n << 40n, (1n << 61n) + 12_345n, 1n << 61n]) {
    // 2^64 - 1 is the most that weights may sum up to.
    const weights = unit >= 1n << 61n ? [unit * 3n, unit, unit, unit] : [unit * 3n, unit]
    const tree = proposerTree(membersOf(...weights))
    let first = 0
    const slots = 4_000
    for (let slot = 0; slot < slots; slot++) {
      const due = proposerOfSlot(tree, turn, slot * 2 ** 20)
      if (due?.nodeId[0] === 0) first++
    }
    const share = Number((unit * 3n * 10_000n) / weights.reduce((sum, one) => sum + one)) / 10_000
    assert.ok(Math.abs(first / slots - share) < 0.03, `${unit}: ${first / slots} of ${share}`)
  }
})
