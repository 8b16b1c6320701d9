/** Signatures out of our own index: what operation 2 asks for, and who must sign. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { decode } from '../../src/codec/cursor.ts'
import { justifiedValidationId } from '../../src/codec/warp/justification.ts'
import { l1Message, l1MessageTypes } from '../../src/codec/warp/l1-message.ts'
import { decodeSigned } from '../../src/codec/warp/message.ts'
import { payloadTypes, warpPayload } from '../../src/codec/warp/payload.ts'
import { fromHex, to0x } from '../../src/core/bytes.ts'
import { parseId, toCb58 } from '../../src/core/cb58.ts'
import { Fault, faultOf } from '../../src/core/fault.ts'
import { indexedMessages, messagesOver } from '../../src/service/warp/indexed-messages.ts'
import { indexedValidators } from '../../src/service/warp/indexed-validators.ts'
import { openStore } from '../../src/store/open.ts'
import { primaryStoreTables } from '../../src/store/schema/stores.ts'
import type { MessageSource } from '../../src/warp/messages/message-source.ts'
import { nodeMessages } from '../../src/warp/messages/node-messages.ts'
import { transactionMessage } from '../../src/warp/messages/transaction-message.ts'
import { createNode, parseValidators } from '../../src/warp/node.ts'
import { canonicalSet, equalSets } from '../../src/warp/validator-set.ts'
import { five, fiveNode, indexRecording } from '../support/chains/recorded-five.ts'
import {
  readPContainer,
  readXContainer,
  recordingNamed,
} from '../support/chains/recorded-network.ts'
import {
  evictionsPath,
  fileWorld,
  indexPrimary,
  proposalsPath,
  recordedAnswers,
  recordingPath,
} from '../support/services/primary-service.ts'
import { onBothEngines, type TestStore } from '../support/stores/stores.ts'

const never = new AbortController().signal
const ofNode = nodeMessages(createNode(fiveNode, 'http://recorded.test'))

type Signed = {
  readonly cases: readonly {
    readonly name: string
    readonly signedMessage: string
    readonly justification: string
  }[]
  readonly removalTransaction: { readonly txId: string; readonly message: string }
}
const { cases, removalTransaction }: Signed = JSON.parse(
  readFileSync(
    new URL('../../vectors/warp/recorded-signed-messages.json', import.meta.url),
    'utf8',
  ),
)

/** Transactions about L1 validators and their messages, in order, with their heights. */
const l1Transactions = five.p.flatMap((hex, at) => {
  const block = readPContainer(hex, at)
  return block.transactions.flatMap(({ txId, unsigned }) =>
    unsigned.typeId >= 35 && unsigned.typeId <= 37
      ? [{ txId, typeId: unsigned.typeId, height: block.height, name: toCb58(txId) }]
      : [],
  )
})

/** The message and justification in hex, or the code of the fault. */
async function outcomeOf(source: MessageSource, txId: Uint8Array): Promise<string> {
  try {
    const { unsigned, justification } = await transactionMessage(source, 12_345, txId, never)
    return `${to0x(unsigned)} ${to0x(justification)}`
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    return fault.code
  }
}

/** `value` with its bytes as hex, whatever class they are of. */
function inHex(value: unknown): unknown {
  if (value instanceof Uint8Array) return to0x(value)
  if (Array.isArray(value)) return value.map(inHex)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inHex(inner)]))
}

/** Indexes the network up to height `last` and gives its history. */
async function indexOf({ location, name }: TestStore, last = five.height): Promise<Opened> {
  const key = `${name}-${last}`
  await indexRecording(five, { location, key, last })
  const store = await openStore(location, key, primaryStoreTables, 'read')
  return { store, source: indexedMessages(store) }
}

type Opened = {
  readonly store: Awaited<ReturnType<typeof openStore>>
  readonly source: MessageSource
}

/** Runs `check` over an index that is closed afterwards. */
async function withIndex(
  test: TestStore,
  check: (opened: Opened) => Promise<void>,
  last?: number,
): Promise<void> {
  const opened = await indexOf(test, last)
  try {
    await check(opened)
  } finally {
    await opened.store.close()
  }
}

// Of the recording's transactions, those whose JSON form and validation were recorded of the node.
const compared = [
  '2BX4f4VY53bVMgzG6hKCJ8vX5yfQWSPpDHRaSPryqUL3QjbJ4h',
  'GoyA7ZA6kNF3oHRaUH6efzVSFwRMUYT3Zodw84PWvw1TCDd3L',
  '2UbbBobUxncoyHeey1Eiv18KssmVUPe4aGHEuuXQhFEz2hQpps',
  '2N2JxgeGr6AgftUtXmpQK6rATMPHXhd1uy7unKKqMUkN7cA3eM',
]

onBothEngines('indexed messages: are those of the node', primaryStoreTables, (test) =>
  withIndex(test, async ({ source }) => {
    for (const name of compared) {
      assert.equal(await outcomeOf(source, parseId(name)), await outcomeOf(ofNode, parseId(name)))
    }
    const only = [...compared, '2byysebWvwkUaeK5fqXSSACGr5rRX8fkFhAotwDd5frvDyTRur']
    for (const name of [...only, '2Jg9anrXWQGdLvwp7jSAPWB3C7H1yQx4KR6P6owbtN7u3rjZ6u']) {
      const [ours, theirs] = await Promise.all([
        source.transaction(parseId(name), never),
        ofNode.transaction(parseId(name), never),
      ])
      assert.deepEqual(inHex(ours), inHex(theirs), name)
    }
  }),
)

onBothEngines('indexed messages: are those the network signed', primaryStoreTables, (test) =>
  withIndex(test, async ({ source }) => {
    const outcomes = new Map<string, string>()
    for (const { txId, name } of l1Transactions) outcomes.set(name, await outcomeOf(source, txId))
    const signed = cases
      .filter(({ name }) => /from operation 2|^removal/.test(name))
      .map(({ signedMessage, justification }) => {
        const { unsigned } = decodeSigned(fromHex(signedMessage))
        return `${to0x(unsigned)} ${justification}`
      })
    assert.equal(signed.length, 4)
    for (const [at, message] of signed.entries()) {
      assert.ok([...outcomes.values()].includes(message), `recorded message ${at}`)
    }
    const removal = await source.transaction(parseId(removalTransaction.txId), never)
    assert.deepEqual(inHex(removal), { kind: 'weight', message: removalTransaction.message })
    // Conversions, the living, and the two removals have messages; what is over has none.
    assert.deepEqual(
      l1Transactions.map(({ typeId, name }) => {
        const outcome = outcomes.get(name) ?? ''
        return `${typeId} ${outcome.startsWith('0x') ? 'message' : outcome}`
      }),
      [
        '35 message',
        '35 message',
        '36 message',
        '37 no-message',
        '37 message',
        '36 no-message',
        '37 no-message',
        '37 no-message',
        '37 message',
        '36 no-message',
        '37 no-message',
        '37 no-message',
        '37 message',
        '36 message',
        '36 message',
      ],
    )
  }),
)

/** Validations the node lists, by L1. */
const listed = Object.entries(five.answers.validators).flatMap(([subnetId, validators]) =>
  validators.flatMap(({ validationID, weight, minNonce }) =>
    validationID === undefined ? [] : [{ subnetId, validationID, weight, minNonce }],
  ),
)

onBothEngines('indexed validations: the living are those of the node', primaryStoreTables, (test) =>
  withIndex(test, async ({ source }) => {
    assert.ok(listed.length >= 10)
    const kinds = new Set<string>()
    for (const { subnetId, validationID, weight, minNonce } of listed) {
      const found = await source.validation(parseId(validationID), never)
      assert.ok(found !== undefined, validationID)
      const { origin } = found
      assert.deepEqual(
        [toCb58(found.subnetId), String(found.weight), String(found.minNonce), found.removed],
        [subnetId, weight, minNonce, false],
        validationID,
      )
      // The id is a hash of its origin, so no other origin could give it.
      const named = origin.kind === 'conversion' ? { ...origin, subnetId: found.subnetId } : origin
      assert.equal(toCb58(justifiedValidationId(named)), validationID)
      kinds.add(origin.kind)
    }
    assert.equal(kinds.size, 2)
  }),
)

/** Validation a weight of 0 was set for, by what the transaction's message says. */
function removedBy(message: Uint8Array): Uint8Array | undefined {
  const call = decode(warpPayload, decodeSigned(message).message.payload)
  if (call.typeId !== payloadTypes.addressedCall) return undefined
  const said = decode(l1Message, call.payload)
  const isRemoval = said.typeId === l1MessageTypes.l1ValidatorWeight && said.weight === 0n
  return isRemoval ? said.validationId : undefined
}

onBothEngines('indexed validations: the removed are kept', primaryStoreTables, (test) =>
  withIndex(test, async ({ source }) => {
    let removed = 0
    for (const { txId } of l1Transactions) {
      const transaction = await source.transaction(txId, never)
      if (transaction?.kind !== 'weight') continue
      const validationId = removedBy(transaction.message)
      if (validationId === undefined) continue
      removed++
      const found = await source.validation(validationId, never)
      assert.ok(found?.removed === true && found.origin.kind === 'registration')
      assert.equal(found.weight, 0n)
      assert.equal(to0x(justifiedValidationId(found.origin)), to0x(validationId))
      assert.ok(!listed.some(({ validationID }) => validationID === toCb58(validationId)))
    }
    assert.equal(removed, 2)
  }),
)

onBothEngines('indexed messages: other transactions have none', primaryStoreTables, (test) =>
  withIndex(test, async ({ source }) => {
    const xTransactions = five.x.flatMap((hex, at) => readXContainer(hex, at).transactions)
    assert.ok(xTransactions.length > 0)
    for (const { txId } of xTransactions) {
      assert.equal((await source.transaction(txId, never))?.kind, 'none')
    }
    const creation = parseId('sY6UvuLmrFrriySjuS73KQ5n2my7yt9PenJJPUEfcXhxuUoBh')
    const transaction = await source.transaction(creation, never)
    assert.deepEqual(transaction, { kind: 'none', type: 'CreateChainTx' })
    const unknown = parseId('rKcbizEtuNe2TidQz8GVaiEqoqihJ5pibMEUK28AaQdVqMFCg')
    assert.equal(await source.transaction(unknown, never), undefined)
    assert.equal(await source.validation(unknown, never), undefined)
    assert.equal(await source.managerChain(unknown, never), undefined)
    const permissioned = parseId('xuq2inQzfJ3UsBhFoxNpPKAfLnJvhQqcbmJKxiLjX95t4m989')
    assert.equal(await source.managerChain(permissioned, never), undefined)
    const l1 = parseId('BKBZ6xXTnT86B4L5fp8rvtcmNSpvtNz8En9jG61ywV2uWyeHy')
    assert.deepEqual(
      inHex(await source.managerChain(l1, never)),
      inHex(await ofNode.managerChain(l1, never)),
    )
  }),
)

const newestWeight = '2N2JxgeGr6AgftUtXmpQK6rATMPHXhd1uy7unKKqMUkN7cA3eM'

onBothEngines(
  'indexed messages: what the index lacks comes from the node',
  primaryStoreTables,
  async (test) => {
    const over = (source?: MessageSource): MessageSource => messagesOver(() => source, ofNode)
    const expected = await outcomeOf(ofNode, parseId(newestWeight))
    assert.ok(expected.startsWith('0x'))
    assert.equal(await outcomeOf(over(), parseId(newestWeight)), expected)
    const height = l1Transactions.find(({ name }) => name === newestWeight)?.height ?? 0
    await withIndex(
      test,
      async ({ source }) => {
        assert.equal(await source.transaction(parseId(newestWeight), never), undefined)
        assert.equal(await outcomeOf(source, parseId(newestWeight)), 'not-found')
        // The index has the validation as it was; the node's later nonce counts.
        assert.equal(await outcomeOf(over(source), parseId(newestWeight)), expected)
      },
      height - 1,
    )
    await withIndex(test, async ({ source }) => {
      // The node has forgotten the removed validator.
      const removal = l1Transactions.findLast(({ typeId }) => typeId === 37)
      assert.ok(removal !== undefined)
      const message = await outcomeOf(over(source), removal.txId)
      assert.ok(message.startsWith('0x'))
      const away = async (): Promise<never> => {
        throw new Fault('node-unreachable', 'the node is away')
      }
      const alone = messagesOver(() => source, {
        transaction: away,
        validation: away,
        managerChain: away,
      })
      assert.equal(await outcomeOf(alone, parseId(newestWeight)), expected)
      const unknown = parseId('rKcbizEtuNe2TidQz8GVaiEqoqihJ5pibMEUK28AaQdVqMFCg')
      assert.equal(await outcomeOf(alone, unknown), 'node-unreachable')
    })
  },
)

onBothEngines('indexed validators: sets are those of the node', primaryStoreTables, (test) =>
  withIndex(test, async ({ store }) => {
    const replayed = indexedValidators(() => store, fileWorld.clock)
    for (const [subnetId, heights] of Object.entries(five.answers.validatorsAt)) {
      for (const [height, said] of heights.entries()) {
        const ours = await replayed(parseId(subnetId), height, never)
        assert.ok(ours !== undefined)
        const isSame = equalSets(canonicalSet(ours), canonicalSet(parseValidators(said)))
        assert.ok(isSame, `${subnetId} at ${height}`)
        // Kept, and given again.
        assert.equal(await replayed(parseId(subnetId), height, never), ours)
      }
      assert.equal(await replayed(parseId(subnetId), five.height + 1, never), undefined)
    }
  }),
)

for (const [name, recording, expected] of [
  ['the demo network', recordingPath, 262],
  ['a network with L1 changes in proposals', proposalsPath, 1_224],
  ['a network that feeds L1 validators as they starve', evictionsPath, 58],
] as const) {
  void test(`indexed validators: sets of ${name} are those of its node`, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-validators-'))
    const store = await indexPrimary({ store: 'embedded', dataDir }, { recording })
    try {
      const replayed = indexedValidators(() => store, fileWorld.clock)
      let sets = 0
      for (const { method, parameters, reply } of recordedAnswers(recording)) {
        if (method !== 'platform.getValidatorsAt') continue
        const { subnetID, height } = parameters as { subnetID: string; height: number }
        const ours = await replayed(parseId(subnetID), height, never)
        assert.ok(ours !== undefined)
        const isSame = equalSets(canonicalSet(ours), canonicalSet(parseValidators(reply)))
        assert.ok(isSame, `${subnetID} at ${height}`)
        sets++
      }
      assert.equal(sets, expected)
    } finally {
      await store.close()
      rmSync(dataDir, { recursive: true })
    }
  })
}

void test('indexed validators: without an index there are none', async () => {
  const nothing = indexedValidators(() => undefined, fileWorld.clock)
  assert.equal(await nothing(new Uint8Array(32), 0, never), undefined)
})

/** Heights whose sets the rows do not tell. */
async function unknownHeights(name: string): Promise<number[]> {
  const recording = recordingNamed(name)
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-validators-'))
  const location = { store: 'embedded', dataDir } as const
  await indexRecording(recording, { location, key: name, last: recording.height })
  const store = await openStore(location, name, primaryStoreTables, 'read')
  const replayed = indexedValidators(() => store, fileWorld.clock)
  const unknown: number[] = []
  try {
    for (const [subnetId, heights] of Object.entries(recording.answers.validatorsAt)) {
      for (const [height, said] of heights.entries()) {
        const ours = await replayed(parseId(subnetId), height, never)
        if (ours === undefined) unknown.push(height)
        const theirs = canonicalSet(parseValidators(said))
        const isSame = ours === undefined || equalSets(canonicalSet(ours), theirs)
        assert.ok(isSame, `${subnetId} at ${height}`)
      }
    }
  } finally {
    await store.close()
    rmSync(dataDir, { recursive: true })
  }
  return unknown
}

void test('indexed validators: sets of every height are known, renewed validators or not', async () => {
  assert.deepEqual(await unknownHeights('local-one'), [])
  assert.deepEqual(await unknownHeights('local-two'), [])
})
