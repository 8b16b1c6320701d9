/**
 * The primary network's operations read to the end by the official client, which checks every
 * answer against its own schemas and refuses a whole page for one wrong value.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Avalanche } from '@avalanche-sdk/chainkit'

import type { PriceSource } from '../../src/api/prices/token-lists.ts'
import { toPrimaryAddress } from '../../src/core/address.ts'
import { toNodeId } from '../../src/core/cb58.ts'
import type { Clock } from '../../src/core/world.ts'
import { everyAddress, everyStaker } from '../../src/store/query/primary/whole-state.ts'
import { recordedMoment } from '../support/nodes/recorded-node.ts'
import type { Json } from '../support/services/evm-service.ts'
import { fileWorld, primaryService, recordedAnswers } from '../support/services/primary-service.ts'

// Two days after the recording: what was paid then has a price by now.
const nowMs = (recordedMoment(recordedAnswers()) + 2 * 86_400) * 1_000
const prices: PriceSource = {
  offered: true,
  current: async ({ of }) => of.map(() => '50'),
  historical: async ({ of }) => of.map(() => '25.5'),
}
const clock: Clock = { ...fileWorld.clock, now: () => nowMs }
const service = await primaryService({ prices, clock })
const client = new Avalanche({ network: 'fuji', enableTelemetry: false })
const options = { serverURL: service.url }
const { primaryNetwork } = client.data
const chains = ['p-chain', 'x-chain', 'c-chain'] as const

const { store, hrp } = service.network
const all = await everyAddress(store, 1_000)
const addresses = all.map(({ address }) => toPrimaryAddress(hrp, address)).join(',')

/** Items of all pages. */
async function readAll(pages: AsyncIterable<{ result: object }>, key: string): Promise<Json[]> {
  const items: Json[] = []
  for await (const { result } of pages) {
    const list: Json = Object.entries(result).find(([name]) => name === key)?.[1]
    assert.ok(Array.isArray(list), key)
    items.push(...list)
  }
  return items
}

for (const blockchainId of chains) {
  void test(`client: UTXOs of every address on the ${blockchainId}, in every order`, async () => {
    const plain = await service.post(
      `/v1/networks/fuji/blockchains/${blockchainId}/utxos?pageSize=1024&includeSpent=true`,
      { addresses },
    )
    for (const sortBy of ['timestamp', 'amount'] as const) {
      for (const sortOrder of ['asc', 'desc'] as const) {
        const request = {
          blockchainId,
          sortBy,
          sortOrder,
          includeSpent: true,
          pageSize: 100,
          primaryNetworkAddressesBodyDto: { addresses },
        }
        const pages = await primaryNetwork.utxos.listByAddressesV2(request, options)
        const utxos = await readAll(pages, 'utxos')
        assert.equal(utxos.length, plain.body.utxos.length)
        assert.equal(new Set(utxos.map((utxo) => utxo.utxoId)).size, utxos.length)
      }
    }
    const first = await primaryNetwork.utxos.listByAddresses(
      { blockchainId, addresses, pageSize: 100 },
      options,
    )
    assert.ok((await readAll(first, 'utxos')).length > 0)
  })

  void test(`client: transactions of the ${blockchainId}, all and one by one`, async () => {
    const { transactions } = primaryNetwork
    const request = { blockchainId, pageSize: 37 }
    const listed = await readAll(await transactions.listLatest(request, options), 'transactions')
    assert.ok(listed.length > 5)
    const kinds = new Map(listed.map((one) => [one.txType, one]))
    for (const one of kinds.values()) {
      const same = await transactions.get({ blockchainId, txHash: one.txHash }, options)
      assert.deepEqual(same, one)
    }
    const mine = await transactions.listLatest({ blockchainId, addresses, pageSize: 50 }, options)
    const ofAddresses = await readAll(mine, 'transactions')
    assert.ok(ofAddresses.length <= listed.length && ofAddresses.length > 0)
  })

  void test(`client: balances on the ${blockchainId}`, async () => {
    const { balances } = await primaryNetwork.balances.listByAddresses(
      { blockchainId, addresses },
      options,
    )
    const keys = {
      'p-chain': 'unlockedUnstaked',
      'x-chain': 'unlocked',
      'c-chain': 'atomicMemoryUnlocked',
    }
    assert.ok(keys[blockchainId] in balances, JSON.stringify(balances))
  })

  void test(`client: blocks of the ${blockchainId}, all, one, and by proposer`, async () => {
    const { blocks } = primaryNetwork
    const pages = await blocks.listLatest({ blockchainId, pageSize: 100 }, options)
    const listed = await readAll(pages, 'blocks')
    assert.ok(listed.length > 100)
    const one = await blocks.get({ blockchainId, blockId: listed[3].blockHash }, options)
    assert.deepEqual(one, listed[3])
    const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
    await readAll(await blocks.listByNodeId({ blockchainId, nodeId }, options), 'blocks')
  })
}

void test('client: every transaction type the P-Chain recorded is one the client takes', async () => {
  const { transactions } = primaryNetwork
  const pages = await transactions.listLatest({ blockchainId: 'p-chain', pageSize: 100 }, options)
  const types = new Set((await readAll(pages, 'transactions')).map((one) => one.txType))
  for (const type of ['CreateSubnetTx', 'ConvertSubnetToL1Tx', 'RewardValidatorTx', 'ImportTx'])
    assert.ok(types.has(type), `${type} in ${[...types].join(' ')}`)
})

void test('client: active staking transactions', async () => {
  const pages = await primaryNetwork.transactions.listActiveStakingTransactions(
    { blockchainId: 'p-chain', addresses },
    options,
  )
  assert.ok((await readAll(pages, 'transactions')).length > 0)
})

void test('client: validators in every state, and of one node', async () => {
  const nodes = new Set<string>()
  const counts = new Map<string, number>()
  for await (const staker of everyStaker(store)) {
    if (staker.role !== 'validator') continue
    nodes.add(toNodeId(staker.nodeId))
    counts.set(staker.status, (counts.get(staker.status) ?? 0) + 1)
  }
  for (const validationStatus of ['active', 'completed', 'removed', 'pending'] as const) {
    const pages = await primaryNetwork.listValidators({ validationStatus, pageSize: 3 }, options)
    const listed = await readAll(pages, 'validators')
    assert.equal(listed.length, counts.get(validationStatus) ?? 0, validationStatus)
  }
  const listed = await readAll(await primaryNetwork.listValidators({}, options), 'validators')
  assert.equal(
    listed.length,
    [...counts.values()].reduce((sum, count) => sum + count, 0),
  )
  for (const nodeId of nodes) {
    const pages = await primaryNetwork.getValidatorDetails({ nodeId }, options)
    assert.ok((await readAll(pages, 'validators')).length > 0)
  }
})

void test('client: subnets, chains, L1 validators', async () => {
  const subnets = await readAll(await primaryNetwork.listSubnets({}, options), 'subnets')
  assert.ok(subnets.some(({ isL1 }) => isL1))
  for (const { subnetId } of subnets) {
    const one = await primaryNetwork.getSubnetById({ subnetId }, options)
    assert.equal(one.subnetId, subnetId)
  }
  const listed = await readAll(await primaryNetwork.listBlockchains({}, options), 'blockchains')
  assert.ok(listed.length >= 3)
  for (const blockchainId of chains)
    await primaryNetwork.getBlockchainById({ blockchainId }, options)
  const request = { includeInactiveL1Validators: true, pageSize: 2 }
  const l1 = await readAll(await primaryNetwork.listL1Validators(request, options), 'validators')
  assert.ok(l1.length > 2)
})

void test('client: rewards paid with prices, rewards to come, chains of addresses', async () => {
  const { rewards } = primaryNetwork
  const paid = await readAll(
    await rewards.listHistoricalRewards({ addresses }, options),
    'historicalRewards',
  )
  assert.ok(paid.length > 0)
  for (const { reward } of paid)
    assert.deepEqual(reward.historicalPrice, { currencyCode: 'usd', value: 25.5 })
  const pending = await rewards.listPendingRewards({ addresses }, options)
  assert.ok((await readAll(pending, 'pendingRewards')).length > 0)
  const found = await primaryNetwork.getChainIdsForAddresses({ addresses }, options)
  assert.equal(found.addresses.length, all.length)
})
