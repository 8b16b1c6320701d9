import assert from 'node:assert/strict'
import { test } from 'node:test'

import { faultOf } from '../../core/fault.ts'
import { stateChangesOf } from './state-changes.ts'

const [coinbase, contract, sender] = [
  '0x0000000000000000000000000000000000000000',
  '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
] as const
const slot = (place: number): string => `0x${place.toString(16).padStart(64, '0')}`
const code = '0x6020356000355500'

/** Told by anvil 1.5: a contract is made with a slot, the slot is cleared, another is set. */
const made = {
  post: {
    [coinbase]: { balance: '0x9dbfc6d28600' },
    [contract]: { code, nonce: 1, storage: { [slot(0)]: slot(1) } },
    [sender]: { balance: '0x21e0bfef0774d248c88', nonce: 3 },
  },
  pre: {
    [coinbase]: { balance: '0x57a70da3e600' },
    [sender]: { balance: '0x21e0bff6c4790de6fd8', nonce: 2 },
  },
}
const cleared = {
  post: { [contract]: {}, [sender]: { balance: '0x21e0bfecf93e57d34a8', nonce: 4 } },
  pre: {
    [contract]: { balance: '0x0', code, nonce: 1, storage: { [slot(0)]: slot(1) } },
    [sender]: { balance: '0x21e0bfef0774d248c88', nonce: 3 },
  },
}

void test('state changes: a contract that is made, with its slot', () => {
  const { accounts, ...counts } = stateChangesOf(made, 10)
  assert.deepEqual(counts, { accountCount: 3, slotCount: 1 })
  assert.deepEqual(accounts[1], {
    address: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
    isCreated: true,
    isDestroyed: false,
    balance: undefined,
    nonce: { before: 0, after: 1 },
    codeBytes: { before: 0, after: 8 },
    storage: [{ slot: slot(0), before: slot(0), after: slot(1) }],
  })
  assert.deepEqual(accounts[2]?.nonce, { before: 2, after: 3 })
  assert.deepEqual(accounts[2]?.balance, {
    before: '9998999816658684375000',
    after: '9998999680524264705160',
  })
})

void test('state changes: a slot that is cleared is zero, parts that are not told are as before', () => {
  const [changed] = stateChangesOf(cleared, 10).accounts
  assert.deepEqual(changed?.storage, [{ slot: slot(0), before: slot(1), after: slot(0) }])
  assert.equal(changed?.isDestroyed, false)
  for (const part of ['balance', 'nonce', 'codeBytes'] as const)
    assert.equal(changed?.[part], undefined)
})

void test('state changes: an account that is told before and not after was destroyed', () => {
  const pre = { [contract]: { balance: '0x5', nonce: 1, code, storage: { [slot(0)]: slot(7) } } }
  assert.deepEqual(stateChangesOf({ pre, post: {} }, 10).accounts, [
    {
      address: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
      isCreated: false,
      isDestroyed: true,
      balance: { before: '5', after: '0' },
      nonce: { before: 1, after: 0 },
      codeBytes: { before: 8, after: 0 },
      storage: [{ slot: slot(0), before: slot(7), after: slot(0) }],
    },
  ])
})

void test('state changes: so many accounts and slots, and how many there are; untouched ones are none', () => {
  const storage = Object.fromEntries([1, 2, 3, 4].map((place) => [slot(place), slot(9)]))
  const post = { [contract]: { storage }, [sender]: { storage }, [coinbase]: {} }
  const { accounts, ...counts } = stateChangesOf({ pre: {}, post }, 6)
  assert.deepEqual(counts, { accountCount: 2, slotCount: 8 })
  assert.deepEqual(
    accounts.map((account) => account.storage.length),
    [4, 2],
  )
})

void test('state changes: what has no such form is the node’s fault', () => {
  const wrong = [
    null,
    {},
    { pre: [], post: {} },
    { pre: {}, post: { '0x12': {} } },
    { pre: {}, post: { [sender]: 5 } },
    { pre: {}, post: { [sender]: { balance: '12' } } },
    { pre: {}, post: { [sender]: { balance: `0x${'f'.repeat(65)}` } } },
    { pre: {}, post: { [sender]: { code: 'abc' } } },
    { pre: {}, post: { [sender]: { storage: [] } } },
    { pre: {}, post: { [sender]: { storage: { [slot(1)]: 5 } } } },
  ]
  for (const answer of wrong)
    assert.throws(
      () => stateChangesOf(answer, 10),
      (error) => faultOf(error)?.code === 'node-answer',
      JSON.stringify(answer),
    )
})
