import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { AvaCloudSDK } from '@avalabs/avacloud-sdk'
import { Avalanche } from '@avalanche-sdk/chainkit'
import { Compile } from 'typebox/compile'

import { createRichAddressBooks } from '../../../src/api/evm/rich-addresses.ts'
import { createChainDirectory } from '../../../src/api/operation/chain-directory.ts'
import type { Operation } from '../../../src/api/operation/operation.ts'
import { icmOperations } from '../../../src/api/operations.ts'
import { createServer } from '../../../src/api/server/server.ts'
import { fromHex, to0x, toHex } from '../../../src/core/bytes.ts'
import { messageStream } from '../../../src/indexing/icm/message-stream.ts'
import type { StageStatus } from '../../../src/indexing/stream/stage.ts'
import { leaseRow } from '../../../src/store/lease.ts'
import { openStore } from '../../../src/store/open.ts'
import { listKey } from '../../../src/store/query/icm/list-subject.ts'
import { icmList, icmSend } from '../../../src/store/schema/icm.ts'
import { messageTables } from '../../../src/store/schema/stores.ts'
import { silentLog } from '../../../src/telemetry/log.ts'
import { openWorld } from '../../../src/world/world.ts'
import { pausingClock } from '../../support/processes/manual-clock.ts'
import { pageTokens } from '../../support/services/evm-context.ts'
import type { Json } from '../../support/services/evm-service.ts'
import {
  type Answered,
  noteAnswers,
  provesOperations,
} from '../../support/services/proven-operations.ts'
import { bodies, readAll } from '../../support/services/read-all.ts'
import {
  openDemoChain,
  rawChain,
  stillClock,
  type DemoChainId,
} from '../../support/stores/demo-store.ts'
import { laterLayouts } from '../../support/stores/later-layouts.ts'

const messenger = '0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf'
const topics = {
  send: '0x2a211ad4a59ab9d003852404f9c57c690704ee755f3c79d2c2812ad32da99df8',
  addFee: '0xc1bfd1f1208927dfbd414041dcb5256e6c9ad90dd61aec3249facbd34ff7b3e1',
  executed: '0x34795cc6b122b9a0ae684946319f1e14a577b4e8f9b3dda9ac94c21a54d3188c',
  receive: '0x292ee90bbaf70b5d4936025e09d56ba08f3e421156b6a568cf3c2840d9343e34',
  receipt: '0xd13a7935f29af029349bed0a2097455b91fd06190a30478c575db3f31e00bf57',
} as const
const chainIds = [51001, 51002] as const

type Content = {
  nonce: string
  from: string
  to: string
  data: string
  receipts: { receivedMessageNonce: string; relayerRewardAddress: string }[]
}

type Expected = {
  /** As sent or, where that is not indexed, as received. */
  content: Content
  sent?: { txHash: string; timestamp: number; gasSpent: string; chain: number }
  received?: {
    txHash: string
    timestamp: number
    gasSpent: string
    chain: number
    deliverer: string
    redeemer: string
  }
  fee: string
  feeToken: string
  executed: boolean
  receiptDelivered: boolean
}

/** The messages of both chains, joined from raw receipts by the ABI alone. */
function joinRaw(): Map<string, Expected> {
  const messages = new Map<string, Expected>()
  const blank = (): Expected => ({
    content: { nonce: '', from: '', to: '', data: '', receipts: [] },
    fee: '0',
    feeToken: `0x${'0'.repeat(40)}`,
    executed: false,
    receiptDelivered: false,
  })
  for (const chain of chainIds) {
    for (const { block, receipts } of rawChain(chain)) {
      for (const receipt of receipts) {
        for (const log of receipt.logs) {
          if (log.address.toLowerCase() !== messenger) continue
          const id = String(log.topics[1]).slice(2)
          const message = messages.get(id) ?? messages.set(id, blank()).get(id) ?? blank()
          const transaction = {
            txHash: receipt.transactionHash,
            timestamp: Number(block.timestamp),
            gasSpent: String(BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)),
            chain,
          }
          const word = (at: number) => log.data.slice(2 + at * 64, 2 + (at + 1) * 64)
          const address = (at: number) => `0x${word(at).slice(24)}`
          const number = (at: number) => Number(BigInt(`0x${word(at)}`))
          const contentAt = (start: number): Content => {
            const list = start + number(start + 6) / 32
            const data = start + number(start + 7) / 32
            const from = 2 + (data + 1) * 64
            return {
              nonce: String(BigInt(`0x${word(start)}`)),
              from: address(start + 1),
              to: address(start + 3),
              receipts: Array.from({ length: number(list) }, (_, at) => ({
                receivedMessageNonce: String(BigInt(`0x${word(list + 1 + 2 * at)}`)),
                relayerRewardAddress: address(list + 2 + 2 * at),
              })),
              data: `0x${log.data.slice(from, from + number(data) * 2)}`,
            }
          }
          if (log.topics[0] === topics.send) {
            message.sent ??= transaction
            message.content = contentAt(number(0) / 32)
            message.feeToken = address(1)
            message.fee = String(BigInt(`0x${word(2)}`))
          } else if (log.topics[0] === topics.receive) {
            if (message.sent === undefined) message.content = contentAt(number(1) / 32)
            message.received = {
              ...transaction,
              redeemer: address(0),
              deliverer: `0x${String(log.topics[3]).slice(26)}`,
            }
          } else if (log.topics[0] === topics.addFee) {
            message.feeToken = address(0)
            message.fee = String(BigInt(`0x${word(1)}`))
          } else if (log.topics[0] === topics.executed) message.executed = true
          else if (log.topics[0] === topics.receipt) message.receiptDelivered = true
        }
      }
    }
  }
  for (const [id, message] of messages) if (!message.sent && !message.received) messages.delete(id)
  return messages
}

const folder = mkdtempSync(join(tmpdir(), 'firn-icm-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const location = { store: 'embedded', dataDir: folder }
const demos = await Promise.all(chainIds.map((chainId) => openDemoChain(chainId, { location })))
after(() => Promise.all(demos.map((demo) => demo.close())))

function messengerChain(chainId: DemoChainId) {
  const demo = demos[chainIds.indexOf(chainId)]
  const blockchainId = demo?.served.facts.blockchainId
  assert.ok(blockchainId !== undefined)
  return {
    key: `fuji-${chainId}`,
    network: 'fuji' as const,
    blockchainId: to0x(blockchainId),
    contracts: [messenger],
  }
}

type Chain = ReturnType<typeof messengerChain>

/**
 * Runs the stream over `chains`, then ends it as a stop would: once it has read everything, or when
 * `isOver` says so at one of its pauses.
 */
async function follow(
  key: string,
  chains: readonly (DemoChainId | Chain)[],
  isOver: (pauseMs: number) => boolean | Promise<boolean> = (pauseMs) => pauseMs > 0,
): Promise<StageStatus> {
  const over = new AbortController()
  const world = openWorld()
  const clock = pausingClock(async (ms) => {
    if (await isOver(ms)) over.abort()
  })
  const stream = messageStream(
    {
      kind: 'icm',
      key,
      network: 'fuji',
      name: 'messages',
      chains: chains.map((chain) => (typeof chain === 'number' ? messengerChain(chain) : chain)),
    },
    {
      world: { ...world, clock },
      log: silentLog,
      store: location,
      owner: 'test',
      signal: over.signal,
    },
  )
  await stream.run(over.signal)
  await world.close()
  return stream.status()
}

const services: Answered[] = []

const labelOf = (chain: number, address: string): string => `${address} of ${chain}`

async function serve(key: string) {
  const store = await openStore(location, key, messageTables, 'read')
  const chains = demos.map(({ served }) => served)
  const operations = Object.values<Operation>(
    icmOperations({
      chains: createChainDirectory(() => chains),
      tokens: pageTokens(stillClock),
      addressBooks: createRichAddressBooks(stillClock, ({ evmChainId }, address) => ({
        label: labelOf(evmChainId, to0x(address)),
      })),
      messages: () => store,
    }),
  )
  const server = createServer({
    operations,
    dialectRules: {},
    dialect: 'auto',
    log: silentLog,
    clock: stillClock,
    limits: { maxConnections: 10, requestTimeoutMs: 5_000, handlerTimeoutMs: 5_000 },
    inspect: ({ contract }, body) => assert.ok(Compile(contract.response).Check(body), contract.id),
  })
  services.push(noteAnswers(server, operations))
  const url = await server.listen('127.0.0.1', 0)
  after(async () => {
    await server.close()
    await store.close()
  })
  const get = async (path: string): Promise<{ status: number; body: Json }> => {
    const reply = await fetch(url + path)
    return { status: reply.status, body: await reply.json() }
  }
  return { url, get }
}

function allMessages(
  get: (path: string) => Promise<{ status: number; body: Json }>,
  path: string,
): Promise<Json[]> {
  return readAll(bodies(get), `${path}${path.includes('?') ? '&' : '?'}pageSize=7`, 'messages')
}

void test('messages: both orders of indexing and a stop between give the independent join', async () => {
  const expected = joinRaw()
  assert.ok(expected.size > 60)
  for (const [key, orders] of [
    ['first-then-second', [[51001], [51001, 51002]]],
    ['second-then-first', [[51002], [51002, 51001]]],
    ['both', [[51001, 51002]]],
    [
      'twice',
      [
        [51001, 51002],
        [51001, 51002],
      ],
    ],
  ] as const) {
    for (const chains of orders) await follow(key, chains)
    const service = await serve(key)
    const all = await allMessages(service.get, '/v1/icm/messages')
    assert.equal(all.length, expected.size, key)
    for (const message of all) compare(message, expected.get(message.messageId), key)
    for (let at = 1; at < all.length; at++)
      assert.ok(timeOf(all[at - 1]) >= timeOf(all[at]), 'newest first')
  }
})

function timeOf(message: Json): number {
  return (message.sourceTransaction ?? message.destinationTransaction).timestamp
}

function compare(message: Json, expected: Expected | undefined, name: string): void {
  assert.ok(expected !== undefined, `${name} ${message.messageId}`)
  const lower = (text: string) => text.toLowerCase()
  assert.equal(message.messageNonce, expected.content.nonce)
  assert.equal(lower(message.from), expected.content.from)
  assert.equal(lower(message.to), expected.content.to)
  assert.equal(message.data, expected.content.data)
  assert.equal(message.messageExecuted, expected.executed, name)
  assert.equal(message.receiptDelivered, expected.receiptDelivered)
  assert.deepEqual(
    message.receipts.map((receipt: Json) => ({
      ...receipt,
      relayerRewardAddress: lower(receipt.relayerRewardAddress),
    })),
    expected.content.receipts,
  )
  const { sent, received } = expected
  assert.equal(
    message.status,
    received === undefined
      ? 'pending'
      : sent === undefined
        ? 'delivered_source_not_indexed'
        : 'delivered',
  )
  if (sent !== undefined) {
    const { chain, ...transaction } = sent
    assert.deepEqual(message.sourceTransaction, transaction)
    assert.equal(message.sourceEvmChainId, String(chain))
    assert.equal(message.fromLabel, labelOf(chain, expected.content.from))
    assert.equal(message.rewardDetails.value, expected.fee)
    assert.equal(lower(message.rewardDetails.address), expected.feeToken)
  }
  if (received !== undefined) {
    const { chain, deliverer, redeemer, ...transaction } = received
    const { delivererAddress, delivererLabel, rewardRedeemer, rewardRedeemerLabel, ...shown } =
      message.destinationTransaction
    assert.deepEqual(shown, transaction)
    assert.equal(message.destinationEvmChainId, String(chain))
    assert.equal(message.toLabel, labelOf(chain, expected.content.to))
    assert.equal(delivererLabel, labelOf(chain, deliverer))
    assert.equal(lower(delivererAddress), deliverer)
    // Rewards are redeemed where they were offered.
    if (sent !== undefined) assert.equal(rewardRedeemerLabel, labelOf(sent.chain, redeemer))
    assert.equal(lower(rewardRedeemer), redeemer)
  }
}

void test('messages: a chain whose store cannot be read is reported and delays no other', async () => {
  const place = { ...location, layouts: laterLayouts('takes') }
  await (await openStore(place, 'fuji-newer', messageTables, 'write')).close()
  const newer = { ...messengerChain(51001), key: 'fuji-newer' }
  const { state, reason } = await follow('one-fails', [newer, 51002])
  assert.equal(state, 'syncing')
  assert.match(reason ?? '', /^store fuji-newer was written by version \S+ of Firn \(layout/)
  const own = [...joinRaw().values()].filter(
    ({ sent, received }) => sent?.chain === 51002 || received?.chain === 51002,
  )
  const { get } = await serve('one-fails')
  assert.equal((await allMessages(get, '/v1/icm/messages')).length, own.length)
})

void test('messages: the lease is renewed while no chain has news', async () => {
  const stamps: (number | undefined)[] = []
  const reader = await openStore(location, 'quiet', messageTables, 'write')
  await follow('quiet', [], async () => {
    stamps.push((await leaseRow(reader))?.stamp)
    return stamps.length === 5
  })
  assert.ok(
    stamps.every((stamp, at) => at === 0 || (stamp ?? 0) > (stamps[at - 1] ?? 0)),
    `${stamps}`,
  )
  await reader.close()
})

void test('messages: a filter that passes almost nothing leads on until it found all', async () => {
  const store = await openStore(location, 'rare', messageTables, 'write')
  const [sender, common, rare] = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte))
  const blockchain = new Uint8Array(32).fill(4)
  const ids = Array.from({ length: 21_000 }, (_, at) => {
    const id = Buffer.alloc(32)
    id.writeUInt32BE(at + 1)
    return id
  })
  const all = <T>(value: T): T[] => ids.map(() => value)
  const times = ids.map((_, at) => 1_700_000_000 + at)
  await store.transaction(async (writer) => {
    await writer.insert(icmSend, {
      message_id: ids,
      chain: all('fuji-51002'),
      network: all(1),
      contract: all(fromHex(messenger)),
      source_id: all(blockchain),
      destination_id: all(blockchain),
      nonce: all(Uint8Array.of(1)),
      sender: all(sender!),
      // The oldest alone is to somebody else.
      recipient: ids.map((_, at) => (at === 0 ? rare! : common!)),
      data: all(new Uint8Array()),
      receipts: all(new Uint8Array()),
      tx_hash: ids,
      timestamp: times,
      gas_spent: all(Uint8Array.of(1)),
    })
    await writer.insert(icmList, {
      subject: all(listKey({ kind: 'sender', address: sender! })),
      network: all(1),
      timestamp: times,
      message_id: ids,
    })
  })
  const { get } = await serve('rare')
  const path = `/v1/icm/messages?from=${to0x(sender!)}&to=${to0x(rare!)}`
  const found = await allMessages(get, path)
  assert.deepEqual(
    found.map(({ messageId }) => messageId),
    [toHex(ids[0]!)],
  )
  await store.close()
})

void test('messages: totals equal the facts of both chains', () => {
  const expected = [...joinRaw().values()]
  for (const chainId of chainIds) {
    const facts = JSON.parse(
      readFileSync(new URL(`../../../vectors/evm/facts-${chainId}.json`, import.meta.url), 'utf8'),
    )
    const { icm } = facts.total
    assert.equal(expected.filter(({ sent }) => sent?.chain === chainId).length, icm.sent)
    assert.equal(
      expected.filter(({ received }) => received?.chain === chainId).length,
      icm.received,
    )
    assert.equal(
      expected.filter(({ received, executed }) => executed && received?.chain === chainId).length,
      icm.executed,
    )
  }
})

void test('messages: filters, one message, errors, and the official client', async () => {
  await follow('filters', [51001, 51002])
  const service = await serve('filters')
  const expected = joinRaw()
  const all = await allMessages(service.get, '/v1/icm/messages')
  const [id, message] = [...expected][0] ?? []
  assert.ok(id !== undefined && message !== undefined)
  const wanted = message.content
  const touching = [...expected.values()].filter(
    ({ content }) => content.from === wanted.from || content.to === wanted.from,
  )
  for (const spelling of [wanted.from, wanted.from.toUpperCase().replace('0X', '0x')]) {
    const listed = await allMessages(service.get, `/v1/icm/addresses/${spelling}/messages`)
    assert.equal(listed.length, touching.length)
  }
  assert.equal(
    (await allMessages(service.get, `/v1/icm/messages?from=${wanted.from}`)).length,
    [...expected.values()].filter(({ content }) => content.from === wanted.from).length,
  )
  const source = all[0].sourceBlockchainId
  assert.equal(
    (await allMessages(service.get, `/v1/icm/messages?sourceBlockchainId=${source}`)).length,
    all.filter((message) => message.sourceBlockchainId === source).length,
  )
  assert.equal(
    (await allMessages(service.get, `/v1/icm/messages?blockchainId=${source}`)).length,
    all.length,
  )
  assert.equal(
    (await allMessages(service.get, '/v1/icm/messages?network=testnet')).length,
    all.length,
  )
  assert.deepEqual(await allMessages(service.get, '/v1/icm/messages?network=mainnet'), [])
  assert.deepEqual((await service.get(`/v1/icm/addresses/0x${'12'.repeat(20)}/messages`)).body, {
    messages: [],
  })
  assert.equal((await service.get(`/v1/icm/messages/0x${id}`)).body.messageId, id)
  for (const [path, status] of [
    [`/v1/icm/messages/${'00'.repeat(32)}`, 404],
    ['/v1/icm/messages/xyz', 400],
    ['/v1/icm/addresses/0x12/messages', 400],
    [`/v1/icm/addresses/${wanted.from}/messages?network=main`, 400],
    [`/v1/icm/addresses/${wanted.from}/messages?pageSize=101`, 400],
    ['/v1/icm/messages?blockchainId=abc', 400],
    ['/v1/icm/messages?pageToken=abc', 400],
  ] as const)
    assert.equal((await service.get(path)).status, status, path)

  const client = new Avalanche({ enableTelemetry: false })
  const page = await client.data.icm.listByAddress(
    { address: wanted.from, pageSize: 100 },
    { serverURL: service.url },
  )
  assert.equal(page.messages.length, Math.min(100, touching.length))
})

void test('messages: counts per period and within windows are those of the raw receipts', async () => {
  const expected = [...joinRaw().values()]
  await follow('counted', [51001])
  await follow('counted', [51002, 51001])
  const { get, url } = await serve('counted')
  const sentAt = expected.flatMap(({ sent }) => (sent === undefined ? [] : sent.timestamp))
  const total = (await get('/v2/icm/summary')).body
  assert.equal(total.result.allTime, sentAt.length)
  assert.equal(total.result.srcBlockchainId, 'total')
  for (const [timeInterval, seconds] of [
    ['hour', 3_600],
    ['day', 86_400],
  ] as const) {
    const counts = new Map<number, number>()
    for (const time of sentAt) {
      const start = time - (time % seconds)
      counts.set(start, (counts.get(start) ?? 0) + 1)
    }
    const { body } = await get(`/v2/icm/timeseries?timeInterval=${timeInterval}&pageSize=2160`)
    assert.deepEqual(
      new Map(body.results.map(({ timestamp, value }: Json) => [timestamp, value])),
      counts,
    )
  }
  const bySource = (await get('/v2/icm/summary?groupBy=srcBlockchainId')).body.results
  const sum = bySource.reduce((all: number, one: Json) => all + one.allTime, 0)
  assert.equal(sum, sentAt.length)
  const [first] = bySource
  const filtered = await get(`/v2/icm/summary?srcBlockchainId=${first.srcBlockchainId}`)
  assert.equal(filtered.body.result.allTime, first.allTime)
  const pairs = await get('/v2/icm/timeseries?groupBy=srcBlockchainId,destBlockchainId&pageSize=1')
  assert.equal(pairs.body.results.length, 1)
  const next = await get(
    `/v2/icm/timeseries?groupBy=srcBlockchainId,destBlockchainId&pageSize=1&pageToken=${pairs.body.nextPageToken}`,
  )
  assert.notDeepEqual(next.body.results, pairs.body.results)
  for (const [metric, want] of [
    ['teleporterSourceTxnCount', expected.filter(({ sent }) => sent?.chain === 51001)],
    ['teleporterDestinationTxnCount', expected.filter(({ received }) => received?.chain === 51001)],
  ] as const) {
    const { body } = await get(`/v2/chains/51001/teleporterMetrics/${metric}`)
    assert.equal(body.result.value, want.length, metric)
  }
  assert.equal((await get('/v2/icm/summary?srcBlockchainId=x')).status, 400)
  const options = { serverURL: url }
  const { metrics } = new Avalanche({ enableTelemetry: false })
  const summary = await metrics.chains.getICMSummary({ network: 'fuji' }, options)
  assert.equal(summary.result.allTime, sentAt.length)
  const series = await metrics.chains.getICMTimeseries({ timeInterval: 'day' }, options)
  assert.ok(series.results.length > 0)
  const older = new AvaCloudSDK({ serverURL: url, chainId: '51001' })
  const count = await older.metrics.chains.getTeleporterMetrics(
    { metric: 'teleporterTotalTxnCount' },
    options,
  )
  assert.ok(count.result.value > 0)
})

void test('messages: older names give the same messages, to both clients', async () => {
  const { get, url } = await serve('counted')
  const messages = await allMessages(get, '/v1/icm/messages')
  const older = await allMessages(get, '/v1/teleporter/messages')
  assert.deepEqual(
    older.map(({ teleporterContractAddress: _older, ...message }) => message),
    messages,
  )
  const [first] = messages
  const { body } = await get(`/v1/teleporter/messages/${first.messageId}`)
  assert.equal(body.teleporterContractAddress, first.icmContractAddress)
  const mine = await allMessages(get, `/v1/teleporter/addresses/${first.from}/messages`)
  assert.equal(
    mine.length,
    (await allMessages(get, `/v1/icm/addresses/${first.from}/messages`)).length,
  )
  const options = { serverURL: url }
  for (const { data } of [
    new Avalanche({ enableTelemetry: false }),
    new AvaCloudSDK({ serverURL: url }),
  ]) {
    let listed = 0
    const pages = await data.teleporter.listTeleporterMessages({ pageSize: 20 }, options)
    for await (const page of pages) listed += page.result.messages.length
    assert.equal(listed, messages.length)
    await data.teleporter.getTeleporterMessage({ messageId: first.messageId }, options)
    await data.teleporter.listTeleporterMessagesByAddress({ address: first.from }, options)
  }
})

provesOperations(services, [
  'listIcmMessagesByAddress',
  'listIcmMessages',
  'getIcmMessage',
  'listTeleporterMessagesByAddress',
  'listTeleporterMessages',
  'getTeleporterMessage',
  'getICMTimeseries',
  'getICMSummary',
  'getTeleporterMetricsByChain',
])
