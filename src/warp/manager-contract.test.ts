/**
 * Signed messages of operations 1 and 2 that validator manager contracts of real L1s and the P-Chain
 * accepted or refused: a manager on its L1's own chain, one on the C-Chain, one on a private L1.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import native from '@chainsafe/blst'

import { decode } from '../codec/cursor.ts'
import { decodeJustification, justifiedValidationId } from '../codec/warp/justification.ts'
import {
  convertedValidationId,
  l1Message,
  l1MessageTypes,
  registeredValidationId,
} from '../codec/warp/l1-message.ts'
import { decodeBitSet, decodeSigned } from '../codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../codec/warp/payload.ts'
import { fromHex, to0x, toHex } from '../core/bytes.ts'
import { parseId, toCb58 } from '../core/cb58.ts'
import type { Transport } from '../core/world.ts'
import { parseRequest } from './aggregation/request.ts'
import { nativeBls } from './bls/bls-native.ts'
import type { MessageSource } from './messages/message-source.ts'
import { nodeMessages } from './messages/node-messages.ts'
import { createNode, parseValidators } from './node.ts'
import { transactionRequest } from './plan.ts'
import { canonicalSet, quorumWeight, type ValidatorSet } from './validator-set.ts'
import { nodeValidators } from './validator-source.ts'

type Step = {
  call: string
  txId: string
  signedMessage: string
  verifiedAt: number
  proposed: number
  l1Message?: string
  pChainEpoch?: number
  receipt: { status: string; logs: { topics: string[]; data: string }[] }
}
type Recording = {
  subnetId: string
  chainId: string
  signingSubnetId: string
  manager: string
  steps: Step[]
  transactions: Record<string, { tx: { unsignedTx: { message?: string } } }>
  validators: Record<string, unknown>
}

function recordingNamed(name: string): Recording {
  const file = new URL(`../../vectors/warp/${name}.json`, import.meta.url)
  const recording: Recording = JSON.parse(readFileSync(file, 'utf8'))
  return recording
}

/** Recordings, and how much of what is in them. */
const managers = [
  {
    where: 'the L1’s own chain',
    recording: recordingNamed('recorded-validator-manager'),
    validators: 5,
    refused: 1,
    justified: ['registration', 'conversion', 'registration'],
    messages: 8,
  },
  {
    where: 'the C-Chain',
    recording: recordingNamed('recorded-validator-manager-c-chain'),
    validators: 3,
    refused: 1,
    justified: ['registration'],
    messages: 7,
  },
  {
    where: 'a private L1',
    recording: recordingNamed('recorded-validator-manager-private'),
    validators: 5,
    refused: 2,
    justified: ['registration', 'conversion', 'conversion'],
    messages: 7,
  },
] as const

const never = new AbortController().signal
const bls = nativeBls(native)

function setAt({ validators }: Recording, height: number): ValidatorSet {
  assert.ok(validators[height] !== undefined, `validators at ${height}`)
  return canonicalSet(parseValidators(validators[height]))
}

/** Returns whether the validators of `set` signed, and enough of them. */
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
function registrationsOf({ transactions }: Recording): Map<string, Uint8Array> {
  return new Map(
    Object.values(transactions).flatMap(({ tx }) => {
      if (tx.unsignedTx.message === undefined) return []
      const inner = innerOf(tx.unsignedTx.message)
      const isRegistration = decode(l1Message, inner).typeId === l1MessageTypes.registerL1Validator
      return isRegistration ? [[toHex(registeredValidationId(inner)), inner] as const] : []
    }),
  )
}

/** The node while the manager's chain was in the epoch of `epochHeight`. */
function nodeAt(recording: Recording, epochHeight: number): Transport {
  const answerTo = (method: string, params: Readonly<Record<string, string>>): unknown => {
    switch (method) {
      case 'platform.getTx':
        return recording.transactions[params['txID'] ?? '']
      case 'platform.validatedBy':
        assert.equal(params['blockchainID'], recording.chainId)
        return { subnetID: recording.signingSubnetId }
      case 'proposervm.getCurrentEpoch':
        return { number: '1', startTime: '1', pChainHeight: String(epochHeight) }
      case 'platform.getHeight':
        return { height: '1000' }
      default:
        assert.equal(method, 'platform.getValidatorsAt')
        assert.equal(params['subnetID'], recording.signingSubnetId)
        return recording.validators[params['height'] ?? '']
    }
  }
  return {
    request: async ({ url, body }) => {
      const { method, params }: { method: string; params: [Record<string, string>] } = JSON.parse(
        String(body),
      )
      const path = new URL(url).pathname
      if (path.endsWith('/proposervm')) assert.ok(path.includes(recording.chainId), path)
      const text = JSON.stringify({ jsonrpc: '2.0', id: 0, result: answerTo(method, params[0]) })
      return { status: 200, headers: {}, body: new TextEncoder().encode(text) }
    },
  }
}

/** History as it was when a step's message was requested: its validation had `nonce` behind it. */
function historyAt(recording: Recording, nonce: bigint): MessageSource {
  const subnetId = parseId(recording.subnetId)
  const registrations = registrationsOf(recording)
  const node = createNode(nodeAt(recording, 0), 'http://node.test')
  return {
    transaction: nodeMessages(node).transaction,
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

const clock = { now: () => 0, monotonic: () => 0, sleep: async () => {} }

for (const { where, recording, ...expected } of managers) {
  const { steps, transactions } = recording
  const subnetId = parseId(recording.subnetId)

  void test(`manager on ${where}: accepts what verifies with its epoch’s validators, and nothing else`, () => {
    const calls = new Set<string>()
    for (const { call, signedMessage, verifiedAt, proposed, receipt } of steps) {
      const accepted = receipt.status === 'success'
      const verified = verifies(signedMessage, setAt(recording, verifiedAt))
      assert.equal(verified, accepted, `${call} at ${verifiedAt}`)
      // A refused one was good for the proposed validators: the height was wrong, not the message.
      if (!accepted) assert.ok(verifies(signedMessage, setAt(recording, proposed)))
      if (accepted) calls.add(call)
    }
    const refused = steps.filter(({ receipt }) => receipt.status !== 'success')
    assert.equal(refused.length, expected.refused)
    assert.deepEqual([...calls].toSorted(), [
      'completeValidatorRegistration',
      'completeValidatorRemoval',
      'completeValidatorWeightUpdate',
      'initializeValidatorSet',
    ])
  })

  void test(`manager on ${where}: operation 2 makes of each transaction what the contract waits for`, async () => {
    const justified: string[] = []
    for (const { call, txId, signedMessage, verifiedAt } of steps) {
      const said = decode(l1Message, innerOf(signedMessage))
      const nonce = said.typeId === l1MessageTypes.l1ValidatorWeight ? said.nonce + 1n : 0n
      const node = createNode(nodeAt(recording, verifiedAt), 'http://node.test')
      const validators = nodeValidators(node, clock)
      const messages = historyAt(recording, nonce)
      const parts = { networkId: 12_345, validators, messages }
      const request = await transactionRequest(parts, parseId(txId), never)
      assert.ok(request.unsigned !== undefined && request.signingSubnetId !== undefined)
      const { unsigned } = decodeSigned(fromHex(signedMessage))
      assert.equal(to0x(request.unsigned), to0x(unsigned), call)
      assert.equal(toCb58(request.signingSubnetId), recording.signingSubnetId)
      assert.equal(request.height, verifiedAt, call)
      if (said.typeId === l1MessageTypes.l1ValidatorRegistration && !said.registered) {
        const origin = decodeJustification(request.justification)
        assert.deepEqual(justifiedValidationId(origin), said.validationId)
        justified.push(origin.kind)
      }
    }
    assert.deepEqual(justified, expected.justified)
  })

  void test(`manager on ${where}: its validation ids are ours`, () => {
    const [initial, ...others] = steps
    const ids = initial!.receipt.logs.map(({ topics }) => topics[1])
    assert.equal(ids.length, expected.validators)
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

  void test(`manager on ${where}: the log of its message is taken as it is, and becomes what the P-Chain accepted`, () => {
    let logs = 0
    for (const { txId, l1Message: data, pChainEpoch } of steps) {
      if (data === undefined || pChainEpoch === undefined) continue
      const { unsigned } = parseRequest({ message: data }, 12_345)
      const message = transactions[txId]?.tx.unsignedTx.message ?? ''
      const signed = decodeSigned(fromHex(message))
      assert.equal(to0x(unsigned!), to0x(signed.unsigned))
      assert.equal(toCb58(signed.message.sourceChainId), recording.chainId)
      const call = decode(warpPayload, signed.message.payload)
      assert.ok(call.typeId === payloadTypes.addressedCall)
      assert.equal(to0x(call.sourceAddress), recording.manager.toLowerCase())
      assert.ok(verifies(message, setAt(recording, pChainEpoch)), `P-Chain at ${pChainEpoch}`)
      logs++
    }
    assert.equal(logs, expected.messages)
  })
}
