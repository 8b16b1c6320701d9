/** State changes of a transaction as a node tells them; beside real nodes they are in `test/nodes/state-changes.test.ts`. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../../src/core/fault.ts'
import { evmService, type Json } from '../../support/services/evm-service.ts'
import { rawChain } from '../../support/stores/demo-store.ts'

const heights = rawChain(51002)
const height = heights.findIndex(({ block }) => block.transactions.length > 0)
const [tx] = heights[height]?.block.transactions ?? []
assert.ok(tx)
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
const requested: unknown[] = []
let nodeAnswer: unknown

const service = await evmService({
  stateChanges: async (of) => {
    requested.push(of)
    if (nodeAnswer instanceof Error) throw nodeAnswer
    return nodeAnswer
  },
})
const alone = await evmService()
const path = `/v1/chains/51002/transactions/${tx.hash}/stateChanges`

void test('state changes: those that the node traced, as decimal numbers and storage words', async () => {
  const contract = `0x${'ab'.repeat(20)}`
  nodeAnswer = {
    pre: {
      [tx.from]: { balance: '0x10', nonce: 4 },
      [contract]: { storage: { [word(1)]: word(2) } },
    },
    post: { [tx.from]: { balance: '0xf', nonce: 5 }, [contract]: {} },
  }
  const { status, body } = await service.get(
    path.replace(/0x[0-9a-f]+/, (hash) => hash.toUpperCase().replace('0X', '0x')),
  )
  assert.equal(status, 200)
  assert.deepEqual(requested, [{ txHash: tx.hash, height }])
  assert.deepEqual([body.accountCount, body.slotCount], [2, 1])
  const of = (address: string): Json =>
    body.accounts.find((one: Json) => one.address.toLowerCase() === address)
  const { balanceBefore, balanceAfter, nonceBefore, nonceAfter, ...sender } = of(tx.from)
  assert.deepEqual([balanceBefore, balanceAfter, nonceBefore, nonceAfter], ['16', '15', 4, 5])
  assert.deepEqual([sender.isCreated, sender.isDestroyed, sender.storage], [false, false, []])
  assert.deepEqual(of(contract).storage, [
    { slot: word(1), valueBefore: word(2), valueAfter: word(0) },
  ])
})

void test('state changes: a malformed reply, a node without tracer and a chain without node are 503 with the reason', async () => {
  nodeAnswer = { pre: 5 }
  assert.equal((await service.get(path)).status, 503)
  nodeAnswer = new Fault('node-refused', 'no endpoint offers what is needed: stateChanges')
  const refused = await service.get(path)
  assert.deepEqual(
    [refused.status, refused.body.message],
    [503, 'no node of this chain traces state changes'],
  )
  const none = await alone.get(path)
  assert.deepEqual(
    [none.status, none.body.message],
    [503, 'state changes come from a node, and this chain has none'],
  )
  const unknown = await service.get(path.replace(tx.hash, word(7)))
  assert.equal(unknown.status, 404)
})
