/** Operation 2 among validators that change. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { decodeBitSet, decodeSigned } from '../../src/codec/warp/message.ts'
import { parseId } from '../../src/core/cb58.ts'
import { parseRequest } from '../../src/warp/aggregation/request.ts'
import type { MessageSource } from '../../src/warp/messages/message-source.ts'
import { startNetwork, type TestNetwork } from '../support/nodes/warp-network.ts'

const sign = { kind: 'sign' } as const
const never = new AbortController().signal
const subnet = '05'.repeat(32)
const managerChain = '0c'.repeat(32)
const txId = new Uint8Array(32).fill(1)
const conversion = {
  subnetId: parseId(subnet),
  managerChainId: parseId(managerChain),
  managerAddress: new Uint8Array(20).fill(9),
  validators: [],
}
const messages: MessageSource = {
  transaction: async () => ({ kind: 'conversion', conversion }),
  validation: async () => undefined,
  managerChain: async () => undefined,
}

const epoch = (pChainHeight: number, number = 3) => ({
  number: String(number),
  startTime: '1795273161',
  pChainHeight: String(pChainHeight),
})

async function withL1(use: (network: TestNetwork) => Promise<void>): Promise<void> {
  const network = await startNetwork({ behaviours: [sign, sign, sign, sign, sign], messages })
  const { state } = network
  const everybody = state.validators['00'.repeat(32)]!
  // Three at height 80, five at the proposed height 90, nobody at 70.
  state.validators[subnet] = everybody
  state.validatorsAt[`${subnet}:80`] = everybody.slice(0, 3)
  state.validatorsAt[`${subnet}:70`] = []
  state.chains[managerChain] = subnet
  try {
    await use(network)
  } finally {
    await network.close()
  }
}

/** Number of signers: three of three, or four of five. */
async function signerCount({ aggregator }: TestNetwork): Promise<number> {
  const signed = await aggregator.aggregateTransaction(txId, never)
  return decodeBitSet(decodeSigned(signed).signature.signers).length
}

void test('operation 2: signed by the validators with which the manager’s chain will verify', async () => {
  await withL1(async (network) => {
    network.state.epochs[managerChain] = epoch(80)
    assert.equal(await signerCount(network), 3)
    network.state.epochs[managerChain] = epoch(90)
    assert.equal(await signerCount(network), 4)
  })
})

void test('operation 2: the validators of the proposed height sign where the epoch is unknown or has no validators yet', async () => {
  await withL1(async (network) => {
    assert.equal(await signerCount(network), 4)
    network.state.epochs[managerChain] = epoch(70)
    assert.equal(await signerCount(network), 4)
    // Before the upgrade that brought epochs, all is zero.
    network.state.validatorsAt[`${subnet}:0`] = network.state.validators[subnet]!.slice(0, 3)
    network.state.epochs[managerChain] = epoch(0, 0)
    assert.equal(await signerCount(network), 4)
  })
})

void test('operation 1: the height is the caller’s, whatever the epoch', async () => {
  await withL1(async ({ state, aggregator }) => {
    state.epochs[managerChain] = epoch(80)
    const count = async (pChainHeight: number): Promise<number> => {
      const body = { justification: subnet, signingSubnetId: subnet, pChainHeight }
      const signed = await aggregator.aggregate(parseRequest(body, 12_345), never)
      return decodeBitSet(decodeSigned(signed).signature.signers).length
    }
    const conversionID = '2cXvieruyJvripPCinMYJ2mzSQ45uwSWYemdLVUT3V7VAWEV3x'
    state.conversions[subnet] = { conversionID, managerChainID: conversionID }
    assert.deepEqual([await count(0), await count(80)], [4, 3])
  })
})
