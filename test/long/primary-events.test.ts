/**
 * Messages to webhooks about the P- and X-Chain: those collected block by block equal history, and
 * both are what the lists of the API say, which are held against the recorded nodes elsewhere.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { describePlaces } from '../../src/api/events/read-webhook.ts'
import { createNetworkDirectory, openNetwork } from '../../src/api/primary/network/networks.ts'
import { parsePrimaryAddress, toPrimaryAddress } from '../../src/core/address.ts'
import { parseId, parseNodeId } from '../../src/core/cb58.ts'
import { canonicalJson } from '../../src/events/message.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../src/store/open.ts'
import { outboxPlaces } from '../../src/store/query/events/outbox.ts'
import { findPlaces } from '../../src/store/query/events/places.ts'
import { type Watched, watchedText } from '../../src/store/query/events/watch.ts'
import {
  addWebhook,
  watchOf,
  type Webhook,
  type WebhookBody,
} from '../../src/store/query/events/webhooks.ts'
import { everyAddress } from '../../src/store/query/primary/whole-state.ts'
import { webhookStore } from '../../src/store/schema/events.ts'
import { firstPosOf, blockIdOf, chainNumbers } from '../../src/store/schema/primary/position.ts'
import { eventTables } from '../../src/store/schema/stores.ts'
import { partsOf } from '../support/services/evm-context.ts'
import type { Json } from '../support/services/evm-service.ts'
import {
  evictionsPath,
  fileWorld,
  indexPrimary,
  type PrimaryService,
  primaryService,
  recordingPath,
} from '../support/services/primary-service.ts'
import { newDatabase } from '../support/stores/shared-postgres.ts'

const { signal } = new AbortController()
const validatorSubEvents = [
  'validator_stake',
  'delegator_stake',
  'reward_distribution',
  'l1_validator_balance_increased',
  'l1_validator_disabled',
  'l1_validator_removed',
  'l1_validator_balance_threshold',
]
const addressSubEvents = ['balance_change', 'balance_threshold', 'reward_distribution']

/** First place of the first block after genesis, which is written before anybody can register. */
const firstOf = (chain: 'P' | 'X'): number => firstPosOf(blockIdOf(chainNumbers[chain], 1))

type Delivered = {
  readonly webhook: Webhook
  readonly places: readonly number[]
  readonly events: Json[]
}

/** Indexes a recording while webhooks want `wanted`, and gives the events of each of them. */
async function delivered(
  recording: string,
  wanted: readonly Partial<WebhookBody>[],
  location: StoreLocation,
): Promise<Delivered[]> {
  const database = await openStore(location, webhookStore, eventTables, 'write')
  const added: Webhook[] = []
  for (const [at, body] of wanted.entries()) {
    const ledger = body.chainId === 'x-chain' ? 'X' : 'P'
    const webhook = {
      id: `webhook-${at}`,
      owner: '',
      store: 'primary-fuji',
      ledger,
      active: true,
      createdMs: 0,
      body: {
        eventType: 'validator_activity',
        url: '',
        name: '',
        description: '',
        chainId: 'p-chain',
        network: 'fuji',
        eventSignatures: [],
        includeInternalTxs: false,
        includeLogs: false,
        subEvents: [],
        keys: [],
        only: [],
        watched: { kind: 'addresses', addresses: [] },
        ...body,
      },
    } as const
    const number = await database.transaction((writer) => addWebhook(writer, webhook))
    added.push({ ...webhook, number, changed: 1 })
  }
  await database.close()
  const store = await indexPrimary(location, { recording, collects: true })
  after(() => store.close())
  return Promise.all(added.map((webhook) => eventsOf(store, webhook)))
}

async function eventsOf(store: Database, webhook: Webhook): Promise<Delivered> {
  const places = await outboxPlaces(store, { number: webhook.number, from: 0, limit: 1_000_000 })
  const network = await openNetwork('fuji', store)
  assert.ok(network !== undefined)
  const evm = partsOf([], fileWorld.clock)
  const networks = createNetworkDirectory(() => [network])
  const describe = describePlaces(evm, { ...evm, networks })
  const events: Json[] = []
  // As they are sent.
  for (const pos of places)
    events.push(...JSON.parse(canonicalJson(await describe(webhook, pos, signal))))
  // Piece by piece, as somebody asks who wants the past.
  const history: number[] = []
  const chain = webhook.ledger === 'X' ? 'X' : 'P'
  const until = firstPosOf(blockIdOf(chainNumbers[chain], 1_000_000))
  for (let from = firstOf(chain); from < until;) {
    const range = { from, until }
    const part = await findPlaces(store, watchOf(webhook), { range, limit: 3, isHistory: true })
    history.push(...part.places)
    from = part.next
  }
  assert.deepEqual(history, places, `webhook ${webhook.id}`)
  return { webhook, places, events }
}

function validators(watched: Watched): Partial<WebhookBody> {
  return { subEvents: validatorSubEvents, watched: watchedText(watched) }
}

function addressesOn(
  chain: 'P' | 'X',
  addresses: readonly Uint8Array[],
  balance?: WebhookBody['balance'],
): Partial<WebhookBody> {
  const from = firstOf(chain)
  return {
    eventType: 'primary_network_address_activity',
    chainId: chain === 'X' ? 'x-chain' : 'p-chain',
    subEvents: addressSubEvents,
    ...(balance === undefined ? {} : { balance }),
    watched: watchedText({
      kind: 'addresses',
      addresses: addresses.map((bytes) => ({ bytes, from })),
    }),
  }
}

async function inFolder(check: (location: StoreLocation) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-events-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  await check({ store: 'embedded', dataDir })
}

const base = '/v1/networks/fuji'
const primarySubnet = '11111111111111111111111111111111LpoYY'

async function nodesOf(service: PrimaryService): Promise<string[]> {
  const found = await service.readAll(`${base}/validators?pageSize=100`, 'validators')
  const validations = await service.readAll(
    `${base}/l1Validators?includeInactiveL1Validators=true&pageSize=100`,
    'validators',
  )
  return [...new Set([...found, ...validations].map((one: Json) => String(one.nodeId)))]
}

async function checkStakesAndRewards(recording: string, location: StoreLocation): Promise<void> {
  const service = await primaryService({}, 'sqlite', recording)
  const nodes = await nodesOf(service)
  const from = firstOf('P')
  const wanted = nodes.map((node) =>
    validators({ kind: 'node', key: parseNodeId(node), only: [parseId(primarySubnet)], from }),
  )
  const all = await delivered(recording, wanted, location)
  let rewards = 0
  let stakes = 0
  for (const [at, { events }] of all.entries()) {
    const node = nodes[at] ?? ''
    const rows = await service.readAll(
      `${base}/rewards?nodeIds=${node}&pageSize=100`,
      'historicalRewards',
    )
    const paid = events.filter((event) => event.eventType === 'reward_distribution')
    assert.deepEqual(
      paid.map((event) => event.reward).toSorted(byUtxo),
      rows.toSorted(byUtxo),
      `rewards of ${node}`,
    )
    const staked = events.filter((event) => String(event.eventType).endsWith('_stake'))
    const txs = await service.readAll(
      `${base}/blockchains/p-chain/transactions?pageSize=100`,
      'transactions',
    )
    const expected = txs.filter(
      (tx: Json) =>
        /^Add(Validator|Delegator|Permissionless\w+|AutoRenewedValidator)Tx$/.test(tx.txType) &&
        tx.nodeId === node &&
        Number(tx.blockNumber) > 0 &&
        (tx.subnetId ?? primarySubnet) === primarySubnet,
    )
    assert.deepEqual(
      staked.map((event) => event.transaction.txHash),
      expected.toReversed().map((tx: Json) => tx.txHash),
      `stakes on ${node}`,
    )
    for (const event of staked)
      assert.equal(
        event.eventType,
        /Delegator/.test(event.transaction.txType) ? 'delegator_stake' : 'validator_stake',
      )
    rewards += paid.length
    stakes += staked.length
  }
  assert.ok(stakes >= 2, `stakes: ${stakes}`)
  assert.ok(rewards >= 1 || recording === evictionsPath, `rewards: ${rewards}`)
}

function byUtxo(a: Json, b: Json): number {
  return String(a.utxoId) < String(b.utxoId) ? -1 : 1
}

void test('events of validators: stakes and rewards are those of the lists (sqlite)', () =>
  inFolder((location) => checkStakesAndRewards(recordingPath, location)))

void test('events of validators: stakes and rewards are those of the lists (postgres)', async () =>
  checkStakesAndRewards(recordingPath, { store: await newDatabase(), dataDir: '' }))

void test('events of L1 validators: joined, paid for, fallen, disabled, removed', () =>
  inFolder(async (location) => {
    const service = await primaryService({}, 'sqlite', evictionsPath)
    const validations = await service.readAll(
      `${base}/l1Validators?includeInactiveL1Validators=true&pageSize=100`,
      'validators',
    )
    const subnets = [...new Set(validations.map((one: Json) => String(one.subnetId)))]
    const l1Threshold = 10n
    const wanted = subnets.map((subnet) =>
      validators({
        kind: 'subnet',
        key: parseId(subnet),
        only: [],
        from: firstOf('P'),
        l1Threshold,
      }),
    )
    const events = (await delivered(evictionsPath, wanted, location)).flatMap((one) => one.events)
    const count = (type: string): number =>
      events.filter(({ eventType }) => eventType === type).length
    const txs = await service.readAll(
      `${base}/blockchains/p-chain/transactions?pageSize=100`,
      'transactions',
    )
    const changes = txs.toReversed().flatMap((tx: Json) =>
      (tx.l1ValidatorDetails ?? []).map((one: Json) => ({
        ...one,
        tx: tx.txHash,
        type: tx.txType,
      })),
    )
    const joined = changes.filter(({ type }: Json) => /Convert|RegisterL1/.test(type))
    assert.deepEqual(
      events
        .filter(({ eventType }) => eventType === 'validator_stake')
        .map((one) => one.validationId),
      joined.map((one: Json) => one.validationId),
    )
    const increased = changes.filter(({ type }: Json) => type === 'IncreaseL1ValidatorBalanceTx')
    assert.deepEqual(
      events
        .filter(({ eventType }) => eventType === 'l1_validator_balance_increased')
        .map((one) => [one.txHash, one.validationId, one.remainingBalance]),
      increased.map((one: Json) => [one.tx, one.validationId, String(one.remainingBalance)]),
    )
    assert.ok(increased.length > 0)
    // What ran out has no transaction: the validation is without balance, and an event said so.
    const disabled = events.filter(({ eventType }) => eventType === 'l1_validator_disabled')
    const byTransaction = changes.filter(({ type }: Json) => type === 'DisableL1ValidatorTx')
    assert.ok(disabled.length > byTransaction.length, `disabled: ${disabled.length}`)
    for (const validation of validations) {
      const last = events.findLast(
        (one) =>
          one.validationId === validation.validationId &&
          /stake|increased|disabled|removed/.test(String(one.eventType)),
      )
      const isOut = String(validation.remainingBalance) === '0'
      assert.equal(/disabled|removed/.test(String(last?.eventType)), isOut, validation.validationId)
    }
    for (const { eventType, previousBalance, remainingBalance } of events)
      if (eventType === 'l1_validator_balance_threshold') {
        assert.ok(BigInt(previousBalance) >= l1Threshold)
        assert.ok(BigInt(remainingBalance) < l1Threshold)
      }
    assert.ok(count('l1_validator_balance_threshold') > 0)
  }))

void test('events of addresses: balances after the last are those of now, thresholds are crossed', () =>
  inFolder(async (location) => {
    const service = await primaryService({}, 'sqlite', recordingPath)
    const { hrp, store } = service.network
    const all = await everyAddress(store, 1_000)
    const some = all.map(({ address }) => toPrimaryAddress(hrp, address))
    const balance = { type: 'unlockedUnstaked', threshold: '100000000000' }
    const chains = ['P', 'X'] as const
    const wanted = chains.flatMap((chain) =>
      some.map((one) => addressesOn(chain, [parsePrimaryAddress(one, hrp)], balance)),
    )
    const results = await delivered(recordingPath, wanted, location)
    let changes = 0
    let crossings = 0
    for (const [at, { events, webhook }] of results.entries()) {
      const address = some[at % some.length] ?? ''
      const chain = webhook.ledger === 'X' ? 'x-chain' : 'p-chain'
      const changed = events.filter(({ eventType }) => eventType === 'balance_change')
      changes += changed.length
      const txs = await service.readAll(
        `${base}/blockchains/${chain}/transactions?addresses=${address}&pageSize=100`,
        'transactions',
      )
      const known = new Map(txs.map((tx: Json) => [tx.txHash, tx]))
      for (const { transaction, addresses } of changed) {
        assert.deepEqual(transaction, known.get(transaction.txHash))
        assert.deepEqual(addresses, [address])
      }
      // What is locked by time may unlock without a transaction: all of it together stays.
      const lists = ['unlockedUnstaked', 'unlockedStaked', 'lockedPlatform', 'lockedStakeable']
      const avax = (balances: Json): bigint =>
        [...lists, 'lockedStaked', 'pendingStaked']
          .flatMap((name) => balances[name] ?? [])
          .filter(({ symbol }: Json) => symbol === 'AVAX')
          .reduce((sum: bigint, { amount }: Json) => sum + BigInt(amount), 0n)
      const last = changed.at(-1)
      if (last !== undefined) {
        const now = await service.get(`${base}/blockchains/${chain}/balances?addresses=${address}`)
        assert.equal(avax(last.balances), avax(now.body.balances), `${chain} ${address}`)
      }
      for (const event of events.filter(({ eventType }) => eventType === 'balance_threshold')) {
        crossings++
        assert.ok(BigInt(event.previousBalance) >= BigInt(balance.threshold))
        assert.ok(BigInt(event.balance) < BigInt(balance.threshold))
      }
    }
    assert.ok(changes > 20, `changes: ${changes}`)
    assert.ok(crossings > 0, `crossings: ${crossings}`)
  }))
