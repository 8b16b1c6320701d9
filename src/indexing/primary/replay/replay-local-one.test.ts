import assert from 'node:assert/strict'
import { test } from 'node:test'

import { networkNamed } from '../../../../test/support/chains/recorded-network.ts'
import {
  checkAnswers,
  checkManners,
  checkViolations,
} from '../../../../test/support/chains/replay-checks.ts'
import {
  batchOfP,
  replay,
  replayP,
  Rows,
} from '../../../../test/support/chains/replayed-network.ts'
import { bytesOfUtxo } from '../../../../test/support/chains/seen-rows.ts'
import { toHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { newDraft } from './draft.ts'
import { beginPChain } from './p/genesis.ts'
import { endBatch } from './utxo-set.ts'
import { applyXBlocks, applyXDag, beginXChain, dagHeight, wantedOfXDag } from './x/replay-x.ts'

const network = networkNamed('local-one')

void test('replay of local-one: UTXOs, validators, rewards, supply and fees are what its node says', () =>
  checkAnswers(network))

void test('replay of local-one: order of chains, size of batches, cache and restarts change nothing', () =>
  checkManners(network))

void test('replay of local-one: a block left out, repeated or changed stops the chain', () =>
  checkViolations(network))

void test('replay: a proposal waits for its option', () => {
  const proposal = network.p.findIndex(({ block }) => block.typeId === 29)
  assert.ok(proposal > 0)
  const rows = new Rows()
  const kept = { utxoLimit: 1_000_000, assets: rows.numbers }
  const { state, batch } = beginPChain(network.facts, network.rules, kept)
  rows.write(batch)
  const part = network.p.slice(0, proposal + 1)
  assert.equal(batchOfP(state, part, rows).until, proposal + 1)
  const standard = network.p[proposal - 1]
  const proposed = network.p[proposal]
  assert.ok(standard !== undefined && proposed !== undefined)
  const wrong = [proposed, { ...standard, height: proposal + 2 }]
  assert.throws(() => batchOfP(state, wrong, rows), Fault)
})

void test('X-Chain: the same transactions as a DAG leave the same UTXOs, in heights below 0', () => {
  const blocks = replay(network, { order: 'PXC', batch: 50, cache: 1_000 }).rows
  const rows = new Rows()
  replayP(network, rows, { order: 'P', batch: 50, cache: 1_000 })
  const { state, batch } = beginXChain(network.facts, { utxoLimit: 5, assets: rows.numbers })
  rows.write(batch)
  const transactions = network.x.flatMap((block) => block.transactions)
  for (let at = 0; at < transactions.length; at += 9) {
    const part = transactions.slice(at, at + 9)
    const draft = newDraft('X', { firstUtxo: state.utxos.next, follows: undefined })
    applyXDag(state, draft, part, rows.find(wantedOfXDag(state, part)))
    rows.write(endBatch(state, draft))
  }
  const unspent = (from: Rows): string[] =>
    [...from.utxos.values()]
      .filter(({ createdOn, consumed }) => createdOn === 'X' && consumed?.chain !== 'X')
      .map((row) => toHex(bytesOfUtxo(row)))
  assert.deepEqual(
    unspent(rows).filter((one) => !unspent(blocks).includes(one)),
    [],
  )
  const heights = rows.transactions.filter(({ chain }) => chain === 'X').map((row) => row.height)
  assert.equal(heights[0], dagHeight)
  assert.equal(heights.at(-1), dagHeight + transactions.length - 1)
  const first = network.x[0]
  assert.ok(first !== undefined)
  const draft = newDraft('X', { firstUtxo: state.utxos.next, follows: undefined })
  applyXBlocks(state, draft, [first], { utxos: [], earlyImports: [] })
  const next = endBatch(state, draft)
  assert.deepEqual([next.from, next.until], [0, 1])
})

void test('C-Chain: imports of a bonus block are rows that spend nothing', () => {
  const imports = network.c.filter(({ transactions }) =>
    transactions.some(({ unsigned }) => unsigned.typeId === 0),
  )
  const height = imports[0]?.height ?? 0
  const normal = replay(network, { order: 'PXC', batch: 50, cache: 10 }).rows
  const rules = { ...network.rules, bonusBlocks: new Set([height]) }
  const bonus = replay({ ...network, rules }, { order: 'PXC', batch: 50, cache: 10 }).rows
  const spentAt = (rows: Rows): number =>
    [...rows.utxos.values()].filter(
      ({ consumed }) => consumed?.chain === 'C' && consumed.height === height,
    ).length
  assert.ok(spentAt(normal) > 0)
  assert.equal(spentAt(bonus), 0)
  assert.equal(bonus.transactions.length, normal.transactions.length)
})
