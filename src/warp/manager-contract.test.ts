/** What a validator manager contract on a real L1 accepted and refused of operation 2. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import native from '@chainsafe/blst'

import { decode } from '../codec/cursor.ts'
import { decodeBitSet } from '../codec/warp/bit-set.ts'
import { decodeJustification, justifiedValidationId } from '../codec/warp/justification.ts'
import {
  convertedValidationId,
  l1Message,
  l1MessageTypes,
  registeredValidationId,
} from '../codec/warp/l1-message.ts'
import { decodeSigned } from '../codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../codec/warp/payload.ts'
import { fromHex, to0x, toHex } from '../core/bytes.ts'
import { parseId } from '../core/cb58.ts'
import type { Transport } from '../core/world.ts'
import { parseRequest } from './aggregation/request.ts'
import { nativeBls } from './bls-native.ts'
import type { MessageSource } from './message-source.ts'
import { nodeMessages } from './node-messages.ts'
import { createNode, parseValidators } from './node.ts'
import { transactionMessage } from './transaction-message.ts'
import { canonicalSet, quorumWeight, type ValidatorSet } from './validator-set.ts'

type Step = {
  call: string
  txId: string
  signedMessage: string
  verifiedAt: number
  proposed: number
  l1Message?: string
  receipt: { status: string; logs: { topics: string[]; data: string }[] }
}
type Recording = {
  subnetId: string
  chainId: string
  manager: string
  steps: Step[]
  transactions: Record<string, { tx: { unsignedTx: { message?: string } } }>
  validators: Record<string, unknown>
}
const recording: Recording = JSON.parse(
  readFileSync(
    new URL('../../vectors/warp/recorded-validator-manager.json', import.meta.url),
    'utf8',
  ),
)
const { steps, transactions } = recording
const subnetId = parseId(recording.subnetId)
const never = new AbortController().signal
const bls = nativeBls(native)
const setAt = (height: number): ValidatorSet =>
  canonicalSet(parseValidators(recording.validators[height]))

/** Whether the validators of `set` signed, and enough of them. */
function verifies(signedMessage: string, set: ValidatorSet): boolean {
  const { unsigned, signature } = decodeSigned(fromHex(signedMessage))
  const signers = decodeBitSet(signature.signers).map((index) => set.signers[index])
  const weight = signers.reduce((sum, signer) => sum + (signer?.weight ?? 0n), 0n)
  if (signers.includes(undefined) || weight < quorumWeight(set.totalWeight, 67)) return false
  const keys = signers.map((signer) => signer?.publicKey ?? new Uint8Array())
  return bls.verifyAggregate(unsigned, keys, signature.signature)
}

function innerOf(signedMessage: string): Uint8Array {
  const call = decode(warpPayload, decodeSigned(fromHex(signedMessage)).message.payload)
  assert.ok(call.typeId === payloadTypes.addressedCall)
  return call.payload
}

/** Payloads of registrations, by the id of the validation. */
const registrations = new Map(
  Object.values(transactions).flatMap(({ tx }) => {
    if (tx.unsignedTx.message === undefined) return []
    const inner = innerOf(tx.unsignedTx.message)
    const isRegistration = decode(l1Message, inner).typeId === l1MessageTypes.registerL1Validator
    return isRegistration ? [[toHex(registeredValidationId(inner)), inner] as const] : []
  }),
)

const transport: Transport = {
  request: async ({ body }) => {
    const { params }: { params: [{ txID: string }] } = JSON.parse(String(body))
    const result = transactions[params[0].txID]
    const text = JSON.stringify({ jsonrpc: '2.0', id: 0, result })
    return { status: 200, headers: {}, body: new TextEncoder().encode(text) }
  },
}

/** History as it was when a step's message was asked for: its validation had `nonce` behind it. */
function historyAt(nonce: bigint): MessageSource {
  return {
    transaction: nodeMessages(createNode(transport, 'http://node.test')).transaction,
    managerChain: async () => parseId(recording.chainId),
    validation: async (validationId) => {
      const registered = registrations.get(toHex(validationId))
      const index = [0, 1, 2, 3, 4].find(
        (at) => toHex(convertedValidationId(subnetId, at)) === toHex(validationId),
      )
      const origin =
        registered === undefined
          ? ({ kind: 'conversion', index: index ?? -1 } as const)
          : ({ kind: 'registration', registerL1Validator: registered } as const)
      return { subnetId, origin, removed: false, weight: 1n, minNonce: nonce }
    },
  }
}

void test('manager contract: accepts what verifies with its epoch’s validators, and nothing else', () => {
  const calls = new Set<string>()
  for (const { call, signedMessage, verifiedAt, proposed, receipt } of steps) {
    const accepted = receipt.status === 'success'
    assert.equal(verifies(signedMessage, setAt(verifiedAt)), accepted, `${call} at ${verifiedAt}`)
    // The refused one was good for the proposed validators: the height was wrong, not the message.
    if (!accepted) assert.ok(verifies(signedMessage, setAt(proposed)))
    if (accepted) calls.add(call)
  }
  assert.equal(steps.filter(({ receipt }) => receipt.status !== 'success').length, 1)
  assert.deepEqual([...calls].toSorted(), [
    'completeValidatorRegistration',
    'completeValidatorRemoval',
    'completeValidatorWeightUpdate',
    'initializeValidatorSet',
  ])
})

void test('manager contract: operation 2 builds from each transaction what the contract waits for', async () => {
  const justified: string[] = []
  for (const { call, txId, signedMessage } of steps) {
    const said = decode(l1Message, innerOf(signedMessage))
    const nonce = said.typeId === l1MessageTypes.l1ValidatorWeight ? said.nonce + 1n : 0n
    const message = await transactionMessage(historyAt(nonce), 12_345, parseId(txId), never)
    const { unsigned } = decodeSigned(fromHex(signedMessage))
    assert.equal(to0x(message.unsigned), to0x(unsigned), call)
    if (said.typeId === l1MessageTypes.l1ValidatorRegistration && !said.registered) {
      const origin = decodeJustification(message.justification)
      assert.deepEqual(justifiedValidationId(origin), said.validationId)
      justified.push(origin.kind)
    }
  }
  // One validator had been registered by a message, one came with the conversion.
  assert.deepEqual(justified, ['registration', 'conversion'])
})

void test('manager contract: its validation ids are ours', () => {
  const [initial, ...others] = steps
  const ids = initial!.receipt.logs.map(({ topics }) => topics[1])
  assert.equal(ids.length, 5)
  assert.deepEqual(
    ids,
    ids.map((_, index) => to0x(convertedValidationId(subnetId, index))),
  )
  for (const { call, signedMessage, receipt } of others) {
    const said = decode(l1Message, innerOf(signedMessage))
    assert.ok('validationId' in said)
    for (const { topics } of receipt.logs) assert.equal(topics[1], to0x(said.validationId), call)
  }
})

void test('manager contract: the log of its message is taken as it is, and becomes what the P-Chain accepted', () => {
  let logs = 0
  for (const { txId, l1Message: data } of steps) {
    if (data === undefined) continue
    const { unsigned } = parseRequest({ message: data }, 12_345)
    const message = transactions[txId]?.tx.unsignedTx.message ?? ''
    assert.equal(to0x(unsigned!), to0x(decodeSigned(fromHex(message)).unsigned))
    const call = decode(warpPayload, decodeSigned(fromHex(message)).message.payload)
    assert.ok(call.typeId === payloadTypes.addressedCall)
    assert.equal(to0x(call.sourceAddress), recording.manager.toLowerCase())
    logs++
  }
  assert.equal(logs, 6)
})
