/**
 * Operations that answer with one thing, and rewards to come, against lists and the recorded node.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Json } from '../../support/services/evm-service.ts'
import { primaryService, recordedAnswers, replyOf } from '../../support/services/primary-service.ts'
import { provesOperations } from '../../support/services/proven-operations.ts'

const service = await primaryService()
const answers = recordedAnswers()
const base = '/v1/networks/fuji'
const primary = '11111111111111111111111111111111LpoYY'

void test('one transaction is the entry of the list with its id, on every chain', async () => {
  for (const chain of ['p-chain', 'x-chain', 'c-chain']) {
    const path = `${base}/blockchains/${chain}/transactions`
    const listed = await service.readAll(`${path}?pageSize=100`, 'transactions')
    for (const one of listed.slice(0, 40)) {
      const { status, body } = await service.get(`${path}/${one.txHash}`)
      assert.equal(status, 200, one.txHash)
      assert.deepEqual(body, one)
    }
  }
})

void test('one blockchain is the entry of the list with its id, and 404 for an unknown id', async () => {
  const listed = await service.readAll(`${base}/blockchains`, 'blockchains')
  assert.ok(listed.length > 0)
  for (const one of listed) {
    const { body } = await service.get(`${base}/blockchains/${one.blockchainId}`)
    assert.deepEqual(body, one)
  }
  assert.equal((await service.get(`${base}/blockchains/0x${'ab'.repeat(32)}`)).status, 404)
})

void test('rewards to come: a validator has what its node says it will be paid', async () => {
  const { validators } = replyOf(
    answers,
    'platform.getCurrentValidators',
    ({ subnetID, nodeIDs }) => subnetID === primary && nodeIDs === undefined,
  ) as Json
  for (const { nodeID, txID, potentialReward } of validators) {
    const path = `${base}/rewards:listPending?nodeIds=${nodeID}`
    const listed = await service.readAll(path, 'pendingRewards')
    const own = listed.find(({ txHash }) => txHash === txID)
    assert.equal(own?.estimatedReward.amount, potentialReward, nodeID)
  }
})

void test('chains of addresses: those in whose UTXOs the address is found', async () => {
  const owners = new Map<string, Set<string>>()
  for (const chain of ['p-chain', 'x-chain', 'c-chain']) {
    const path = `${base}/blockchains/${chain}/transactions?pageSize=100`
    for (const one of await service.readAll(path, 'transactions'))
      for (const { addresses } of one.emittedUtxos)
        for (const address of addresses)
          owners.set(address, (owners.get(address) ?? new Set()).add(chain))
  }
  assert.ok(owners.size > 3)
  for (const [address, chains] of owners) {
    const { status, body } = await service.get(
      `${base}/addresses:listChainIds?addresses=${address}`,
    )
    assert.equal(status, 200)
    const [{ blockchainIds }] = body.addresses
    assert.ok(blockchainIds.length >= chains.size, `${address} ${[...chains].join()}`)
  }
})

provesOperations(
  [service],
  [
    'getTxByHash',
    'getBlockchainById',
    'listPendingPrimaryNetworkRewards',
    'getChainIdsForAddresses',
  ],
)
