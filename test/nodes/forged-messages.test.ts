/** Logs of a messenger whose chain put other code at its address: they change no message of other chains. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { encodeAbiParameters, keccak256, parseAbiParameters, toBytes, toHex } from 'viem'

import type { EvmContext } from '../../src/api/evm/evm-context.ts'
import { messageInfo } from '../../src/api/evm/transactions/get-transaction.ts'
import { createChainDirectory } from '../../src/api/operation/chain-directory.ts'
import { eventKinds } from '../../src/codec/evm/columns/columns.ts'
import { applyMessages, type MessageChain } from '../../src/indexing/icm/apply-messages.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import type { MessengerLog } from '../../src/store/query/icm/messenger-logs.ts'
import { messageTables } from '../../src/store/schema/stores.ts'

const struct =
  'struct Message { uint256 nonce; address sender; bytes32 chain; address to; uint256 gas; address[] relayers; Receipt[] receipts; bytes data; }'
const receipts = 'struct Receipt { uint256 nonce; address relayer; }'
const fees = 'struct Fee { address token; uint256 amount; }'
const sendForm = parseAbiParameters(['Message message, Fee fee', struct, receipts, fees])
const receiveForm = parseAbiParameters(['address redeemer, Message message', struct, receipts])
const feeForm = parseAbiParameters(['Fee fee', fees])
const idForm = parseAbiParameters('address, bytes32, bytes32, uint256')

const messenger = '0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf'
const [honest, forger] = [`0x${'11'.repeat(20)}`, `0x${'66'.repeat(20)}`] as const
const chainOf = (letter: string): MessageChain => ({
  key: `fuji-${letter}`,
  network: 1,
  blockchainId: toBytes(`0x${letter.repeat(64)}`),
})
const [source, destination, third] = ['a', 'b', 'c'].map(chainOf) as [
  MessageChain,
  MessageChain,
  MessageChain,
]

/** As the messenger of AvalancheGo's chains works it out. */
function idOf(from: MessageChain, to: MessageChain, nonce: bigint): `0x${string}` {
  const ids = [toHex(from.blockchainId), toHex(to.blockchainId)] as const
  return keccak256(encodeAbiParameters(idForm, [messenger, ...ids, nonce]))
}

const message = (to: MessageChain, sender: `0x${string}`, nonce = 7n) => ({
  nonce,
  sender,
  chain: toHex(to.blockchainId),
  to: honest,
  gas: 1n,
  relayers: [],
  receipts: [],
  data: '0x01' as const,
})

function log(
  kind: number,
  topics: readonly Uint8Array[],
  data: `0x${string}` = '0x',
): MessengerLog {
  return {
    pos: 0,
    kind,
    contract: toBytes(messenger),
    topics: new Uint8Array(Buffer.concat(topics)),
    data: toBytes(data),
    txHash: new Uint8Array(32).fill(kind),
    gasUsed: 1,
    gasPrice: Uint8Array.of(1),
    timestamp: 1_700_000_000,
  }
}

const fee = { token: honest, amount: 5n }
const id = idOf(source, destination, 7n)
const deliverer = new Uint8Array(32).fill(1)

const sendLog = (claimedId: `0x${string}`, to: MessageChain, sender: `0x${string}`): MessengerLog =>
  log(
    eventKinds.icmSend,
    [toBytes(claimedId), to.blockchainId],
    encodeAbiParameters(sendForm, [message(to, sender), fee]),
  )
const receiveLog = (claimedId: `0x${string}`, from: MessageChain, to: MessageChain): MessengerLog =>
  log(
    eventKinds.icmReceive,
    [toBytes(claimedId), from.blockchainId, deliverer],
    encodeAbiParameters(receiveForm, [honest, message(to, honest)]),
  )
/** The third chain's word on a message of the two others. */
const forged: readonly MessengerLog[] = [
  sendLog(id, destination, forger),
  sendLog(id, third, forger),
  receiveLog(id, source, third),
  receiveLog(id, source, destination),
  log(eventKinds.icmExecuted, [toBytes(id), source.blockchainId]),
  log(
    eventKinds.icmAddFee,
    [toBytes(id)],
    encodeAbiParameters(feeForm, [{ token: forger, amount: 9n }]),
  ),
  log(
    eventKinds.icmReceipt,
    [toBytes(id), destination.blockchainId, deliverer],
    encodeAbiParameters(feeForm, [fee]),
  ),
]

const everything = ['icm_send', 'icm_receive', 'icm_executed', 'icm_list', 'icm_hour']

async function rowsAfter(
  t: TestContext,
  steps: readonly (readonly [MessageChain, readonly MessengerLog[]])[],
): Promise<unknown> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-forged-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const store: Database = await openStore(
    { store: 'embedded', dataDir },
    'm',
    messageTables,
    'write',
  )
  for (const [chain, logs] of steps)
    await store.transaction(async (writer) => void (await applyMessages(writer, chain, logs)))
  const rows = []
  for (const table of everything) rows.push(await store.all(statement(`select * from ${table}`)))
  // What another chain says of a message is kept, and counts for nothing.
  rows.push(
    await store.all(
      statement(
        `select n.* from icm_source_note n join icm_send s on s.message_id = n.message_id and s.chain = n.chain`,
      ),
    ),
  )
  await store.close()
  return rows
}

void test('messages: a third chain forges sends, receives, fees, executions and receipts in vain', async (t) => {
  const sent = [source, [sendLog(id, destination, honest)]] as const
  const received = [
    destination,
    [
      receiveLog(id, source, destination),
      log(eventKinds.icmExecuted, [toBytes(id), source.blockchainId]),
    ],
  ] as const
  const honestly = await rowsAfter(t, [sent, received])
  const lies = [third, forged] as const
  for (const steps of [
    [lies, sent, received],
    [sent, lies, received],
    [sent, received, lies],
  ])
    assert.deepEqual(await rowsAfter(t, steps), honestly)
  assert.deepEqual(await rowsAfter(t, [lies]), await rowsAfter(t, []))
})

void test('messages: a chain lies about its own end only as far as the id allows', async (t) => {
  // Another nonce, destination or messenger than the id is made of.
  const wrong = sendLog(idOf(source, destination, 8n), destination, honest)
  const elsewhere = { ...sendLog(id, destination, honest), contract: toBytes(forger) }
  assert.deepEqual(await rowsAfter(t, [[source, [wrong, elsewhere]]]), await rowsAfter(t, []))
})

void test('messages: a transaction shows none for a log without the id of its ends', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is looked at
  const context = {
    chains: createChainDirectory(() => []),
    icmContracts: [toBytes(messenger)],
  } as Partial<EvmContext> as EvmContext
  const shown = (chain: MessageChain, logs: readonly MessengerLog[]): unknown =>
    messageInfo(context, chain, logs)?.teleporterMessageId
  assert.equal(shown(third, forged), undefined)
  const own = sendLog(idOf(source, destination, 7n), destination, honest)
  assert.equal(shown(source, [...forged.slice(1), own]), toHex(own.topics.subarray(0, 32)).slice(2))
  const received = receiveLog(id, source, destination)
  assert.equal(shown(destination, [...forged.slice(4), received]), id.slice(2))
  assert.equal(shown(source, [{ ...own, contract: toBytes(forger) }]), undefined)
})
