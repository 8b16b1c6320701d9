import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { StateReader } from '../../api/operation/chain-directory.ts'
import { Fault } from '../../core/fault.ts'
import { keptBalances } from './served-chains.ts'

const one = new Uint8Array(20).fill(1)
const other = new Uint8Array(20).fill(2)
const { signal } = new AbortController()

/**
 * A node whose balances grow by one with each question, so that an answer shows when it was read.
 */
function node(): {
  readonly state: StateReader
  readonly world: { indexed: number; nowMs: number }
} {
  let reads = 0n
  const world = { indexed: 5, nowMs: 0 }
  const none = async (): Promise<never> => {
    throw new Fault('not-served', 'not reads here')
  }
  const own: StateReader = {
    balance: async () => ++reads,
    code: none,
    call: none,
    calls: none,
    storage: none,
    tried: none,
  }
  const clock = { now: () => world.nowMs, monotonic: () => world.nowMs, sleep: none }
  return { state: keptBalances(own, { indexed: () => world.indexed, clock }), world }
}

void test('kept balances: the node is read once while nothing is indexed', async () => {
  const { state } = node()
  assert.equal(await state.balance(one, undefined, signal), 1n)
  assert.equal(await state.balance(one, undefined, signal), 1n)
  assert.equal(await state.balance(other, undefined, signal), 2n)
})

void test('kept balances: no answer is older than the block that is indexed', async () => {
  const { state, world } = node()
  assert.equal(await state.balance(one, undefined, signal), 1n)
  world.indexed = 6
  assert.equal(await state.balance(one, undefined, signal), 2n)
})

void test('kept balances: an answer that took while a block was indexed counts for the one before', async () => {
  const { state, world } = node()
  const slow = state.balance(one, undefined, signal)
  world.indexed = 6
  await slow
  assert.equal(await state.balance(one, undefined, signal), 2n)
})

void test('kept balances: where indexing stands still the node is read each second', async () => {
  const { state, world } = node()
  assert.equal(await state.balance(one, undefined, signal), 1n)
  world.nowMs = 999
  assert.equal(await state.balance(one, undefined, signal), 1n)
  world.nowMs = 1_000
  assert.equal(await state.balance(one, undefined, signal), 2n)
})

void test('kept balances: those at a height never change', async () => {
  const { state, world } = node()
  assert.equal(await state.balance(one, 3, signal), 1n)
  world.indexed = 9
  world.nowMs = 100_000
  assert.equal(await state.balance(one, 3, signal), 1n)
  assert.equal(await state.balance(one, 4, signal), 2n)
  assert.equal(await state.balance(one, undefined, signal), 3n)
})
