import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import native from '@chainsafe/blst'

import { decode } from '../codec/cursor.ts'
import { decodeJustification } from '../codec/warp/justification.ts'
import { l1Message } from '../codec/warp/l1-message.ts'
import { decodeBitSet, decodeSigned, encodeSigned, unsignedMessage } from '../codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../codec/warp/payload.ts'
import { fromHex, to0x, toHex } from '../core/bytes.ts'
import { parseId, toCb58 } from '../core/cb58.ts'
import { Fault, type FaultCode } from '../core/fault.ts'
import type { Transport } from '../core/world.ts'
import { nativeBls } from './bls/bls-native.ts'
import type { MessageSource } from './messages/message-source.ts'
import { nodeMessages } from './messages/node-messages.ts'
import { transactionMessage } from './messages/transaction-message.ts'
import { createNode, parseValidators } from './node.ts'
import { canonicalSet, equalSets, quorumWeight } from './validator-set.ts'

type SignedCases = {
  cases: {
    name: string
    signedMessage: string
    justification: string
    signingSubnetId: string
    validators: unknown
  }[]
  removalTransaction: { txId: string; message: string }
}
type Answers = {
  answers: {
    method: string
    params: Record<string, string>
    answer: { result?: unknown; error?: unknown }
  }[]
}
const read = (name: string): string =>
  readFileSync(new URL(`../../vectors/warp/${name}`, import.meta.url), 'utf8')
const { cases, removalTransaction }: SignedCases = JSON.parse(read('recorded-signed-messages.json'))
const { answers }: Answers = JSON.parse(read('recorded-node-answers.json'))
const never = new AbortController().signal

const isFault =
  (code: FaultCode, pattern = /./) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Fault, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, pattern)
    return true
  }

/** A transport that says what the recorded node said, and nothing else. */
const recorded: Transport = {
  request: async ({ body }) => {
    const { method, params } = JSON.parse(String(body)) as {
      method: string
      params: [Record<string, string>]
    }
    const wanted = JSON.stringify(params[0])
    const found = answers.find(
      (entry) => entry.method === method && JSON.stringify(entry.params) === wanted,
    )
    assert.ok(found !== undefined, `not recorded: ${method} ${wanted}`)
    const reply = JSON.stringify({ jsonrpc: '2.0', id: 0, ...found.answer })
    return { status: 200, headers: {}, body: new TextEncoder().encode(reply) }
  },
}
const node = createNode(recorded, 'http://recorded.test')

const l1 = 'BKBZ6xXTnT86B4L5fp8rvtcmNSpvtNz8En9jG61ywV2uWyeHy'
const unknown = 'rKcbizEtuNe2TidQz8GVaiEqoqihJ5pibMEUK28AaQdVqMFCg'
const conversionTx = '2BX4f4VY53bVMgzG6hKCJ8vX5yfQWSPpDHRaSPryqUL3QjbJ4h'

void test('recorded: every message the real network accepted verifies against its set', () => {
  const bls = nativeBls(native)
  for (const { name, signedMessage, validators } of cases) {
    const signed = decodeSigned(fromHex(signedMessage))
    const set = canonicalSet(parseValidators(validators))
    const signers = decodeBitSet(signed.signature.signers).map((index) => set.signers[index]!)
    const keys = signers.map(({ publicKey }) => publicKey)
    assert.ok(bls.verifyAggregate(signed.unsigned, keys, signed.signature.signature), name)
    const weight = signers.reduce((sum, signer) => sum + signer.weight, 0n)
    assert.ok(weight >= quorumWeight(set.totalWeight, 67), name)
    assert.equal(to0x(encodeSigned(signed.unsigned, signed.signature)), signedMessage)
  }
})

void test('recorded: operation 2 builds the very messages the network signed', async () => {
  const source = nodeMessages(node)
  const built: [string, string][] = [
    [conversionTx, 'own chain, from operation 2'],
    ['GoyA7ZA6kNF3oHRaUH6efzVSFwRMUYT3Zodw84PWvw1TCDd3L', 'on the C-Chain, from operation 2'],
  ]
  for (const [txId, name] of built) {
    const found = cases.find((entry) => entry.name.endsWith(name))!
    const message = await transactionMessage(source, 12_345, parseId(txId), never)
    assert.equal(to0x(message.unsigned), to0x(decodeSigned(fromHex(found.signedMessage)).unsigned))
    assert.equal(to0x(message.justification), found.justification)
  }
})

void test('recorded: what the node says of its network', async () => {
  const peers = await node.peers(never)
  assert.deepEqual(
    peers.map(({ port }) => port).toSorted((a, b) => a - b),
    // Four peers, and the node itself.
    [9661, 9663, 9665, 9667, 9669],
  )
  assert.ok(peers.some(({ nodeId }) => nodeId === 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'))
  assert.equal(await node.height(never), 44)
  const subnet = await node.subnet(parseId(l1), never)
  assert.equal(subnet.isL1, true)
  assert.equal(toCb58(subnet.managerChainId!), 'zF8ZRFjFYX7J1zDdiWEhvn5HTXuHyK37XBv3wQkpy2pH6jQZV')
  const permissioned = 'xuq2inQzfJ3UsBhFoxNpPKAfLnJvhQqcbmJKxiLjX95t4m989'
  const plain = await node.subnet(parseId(permissioned), never)
  assert.deepEqual(plain, { isL1: false, conversionId: undefined, managerChainId: undefined })
  const chain = parseId('zF8ZRFjFYX7J1zDdiWEhvn5HTXuHyK37XBv3wQkpy2pH6jQZV')
  assert.equal(toCb58(await node.validatedBy(chain, never)), l1)
  const balances = await node.l1Balances(parseId(l1), never)
  assert.equal(balances.length, 8)
  // One never had enough and is inactive.
  assert.equal(balances.filter(({ balance }) => balance === 0n).length, 1)
})

void test('node: peers nobody can reach are left out, and spoil nothing for the others', async () => {
  const addresses: Record<string, string> = {
    'NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ': '0.0.0.0:1',
    'NodeID-NFBbbJ4qCmNaCzeW7sxErhvWqvEQMnYcN': '[::]:9651',
    'NodeID-GWPcbFJZFfZreETSoWjPimr846mXEKCtu': '',
    'NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5': '[::ffff:1.2.3.4]:9651',
  }
  const peers = Object.entries(addresses).map(([nodeID, publicIP]) => ({ nodeID, publicIP }))
  const results: Record<string, unknown> = {
    'info.peers': { numPeers: '4', peers },
    'info.getNodeID': { nodeID: 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg' },
    'info.getNodeIP': { ip: '0.0.0.0:9651' },
  }
  const odd: Transport = {
    request: async ({ body }) => {
      const { method }: { method: string } = JSON.parse(String(body))
      const reply = JSON.stringify({ jsonrpc: '2.0', id: 0, result: results[method] })
      return { status: 200, headers: {}, body: new TextEncoder().encode(reply) }
    },
  }
  const found = await createNode(odd, 'http://odd.test').peers(never)
  assert.deepEqual(
    found.map(({ nodeId, port }) => [nodeId, port]),
    [['NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5', 9651]],
  )
})

void test('recorded: what the node does not know is a fault that says so', async () => {
  const id = parseId(unknown)
  await assert.rejects(node.subnet(id, never), isFault('not-found'))
  await assert.rejects(node.validatedBy(id, never), isFault('not-found'))
  const future = node.validatorsAt(new Uint8Array(32), 100_000, never)
  await assert.rejects(future, isFault('bad-parameter', /not accepted yet/))
  assert.deepEqual(await node.validatorsAt(id, 43, never), [])
  const source = nodeMessages(node)
  assert.equal(await source.transaction(id, never), undefined)
  const removed = parseId('2G56MUabkhCNFVW9yms9aQ42LvZdUVcZmfAS4Diijvwh3mYYx8')
  assert.equal(await source.validation(removed, never), undefined)
  const operation2 = transactionMessage(source, 12_345, id, never)
  await assert.rejects(operation2, isFault('not-found', /transaction not found/))
})

void test('recorded: a canonical set of ours is the one the node merges itself', async () => {
  const merged = answers.find(({ method }) => method === 'platform.getAllValidatorsAt')!
  const { validatorSets } = merged.answer.result as {
    validatorSets: Record<
      string,
      {
        totalWeight: string
        validators: { publicKey: string; weight: string; nodeIDs: string[] }[]
      }
    >
  }
  for (const id of [l1, '11111111111111111111111111111111LpoYY']) {
    const own = canonicalSet(await node.validatorsAt(parseId(id), 43, never))
    const set = validatorSets[id]!
    const signers = set.validators.map(({ publicKey, weight, nodeIDs }) => ({
      publicKey: fromHex(publicKey),
      keyHex: toHex(fromHex(publicKey)),
      weight: BigInt(weight),
      nodeIds: nodeIDs,
    }))
    assert.ok(equalSets(own, { signers, totalWeight: BigInt(set.totalWeight) }), id)
  }
})

void test('operation 2: transactions about weights, and when their message is over', async () => {
  const onNode = nodeMessages(node)
  const weights = answers
    .filter(({ method, params }) => method === 'platform.getTx' && params['encoding'] === 'json')
    .map(({ params }) => params['txID']!)
  const outcomes: string[] = []
  for (const txId of weights) {
    const transaction = await onNode.transaction(parseId(txId), never)
    if (transaction?.kind !== 'weight') continue
    try {
      const { unsigned } = await transactionMessage(onNode, 12_345, parseId(txId), never)
      const call = decode(warpPayload, decode(unsignedMessage, unsigned).payload)
      assert.ok(call.typeId === payloadTypes.addressedCall)
      outcomes.push(String(decode(l1Message, call.payload).typeId))
    } catch (error) {
      assert.ok(error instanceof Fault)
      outcomes.push(error.code)
    }
  }
  // Superseded; the newest of a living validator; of a removed one, which only an index knows.
  assert.deepEqual(outcomes, ['no-message', '3', 'not-found'])
})

/** A history around one validation, as an index would give it. */
function history(change: Partial<Awaited<ReturnType<MessageSource['validation']>>>): MessageSource {
  const onNode = nodeMessages(node)
  return {
    ...onNode,
    validation: async () => ({
      subnetId: parseId(l1),
      origin: { kind: 'conversion', index: 3 },
      removed: false,
      weight: 30n,
      minNonce: 2n,
      ...change,
    }),
  }
}

void test('operation 2: a removal is justified by where the validator came from', async () => {
  const transaction = { kind: 'weight', message: fromHex(removalTransaction.message) } as const
  const removal = cases.find(({ name }) => name.startsWith('removal'))!
  const origin = decodeJustification(fromHex(removal.justification))
  assert.ok(origin.kind === 'registration')
  const id = parseId(removalTransaction.txId)
  const source = (change: Parameters<typeof history>[0]): MessageSource => ({
    ...history({ removed: true, ...change }),
    transaction: async () => transaction,
  })
  const message = await transactionMessage(source({ origin }), 12_345, id, never)
  const signed = decodeSigned(fromHex(removal.signedMessage))
  assert.equal(to0x(message.justification), removal.justification)
  assert.equal(to0x(message.unsigned), to0x(signed.unsigned))
  const converted = await transactionMessage(source({}), 12_345, id, never)
  const place = decodeJustification(converted.justification)
  assert.deepEqual(place, { kind: 'conversion', subnetId: parseId(l1), index: 3 })
})

void test('operation 2: what cannot be signed any more, or never could, is said at once', async () => {
  const registration = parseId('2byysebWvwkUaeK5fqXSSACGr5rRX8fkFhAotwDd5frvDyTRur')
  const call = (source: MessageSource, txId: Uint8Array) =>
    transactionMessage(source, 12_345, txId, never)
  assert.equal((await call(history({}), registration)).justification.length, 0)
  const removed = history({ removed: true })
  await assert.rejects(call(removed, registration), isFault('no-message', /was removed/))
  const other = parseId('sY6UvuLmrFrriySjuS73KQ5n2my7yt9PenJJPUEfcXhxuUoBh')
  await assert.rejects(call(history({}), other), isFault('bad-parameter', /has no message/))
  const noManager = { ...history({}), managerChain: async () => undefined }
  await assert.rejects(call(noManager, registration), isFault('not-found', /conversion not found/))
  const superseded = answers
    .filter(({ method, params }) => method === 'platform.getTx' && params['encoding'] === 'json')
    .map(({ params }) => parseId(params['txID']!))[4]!
  await assert.rejects(call(removed, superseded), isFault('no-message', /was removed/))
})
