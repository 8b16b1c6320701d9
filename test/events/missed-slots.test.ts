/** Webhooks of missed slots: collected as blocks are judged, and described from what is stored. */

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'

import type { EventContext } from '../../src/api/events/own-webhook.ts'
import { describePlaces, readWebhook } from '../../src/api/events/read-webhook.ts'
import { createNetworkDirectory, openNetwork } from '../../src/api/primary/network/networks.ts'
import { parseNodeId } from '../../src/core/cb58.ts'
import { openWatches } from '../../src/indexing/events/open-webhooks.ts'
import { primaryOutbox } from '../../src/indexing/primary/write/primary-outbox.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { outboxPlaces } from '../../src/store/query/events/outbox.ts'
import { findPlaces } from '../../src/store/query/events/places.ts'
import { addWebhook, watchOf } from '../../src/store/query/events/webhooks.ts'
import { missedSlotsBefore } from '../../src/store/query/primary/proposer-slots.ts'
import { webhookStore } from '../../src/store/schema/events.ts'
import { blockOfPos, heightOfBlock } from '../../src/store/schema/primary/position.ts'
import { eventTables, primaryStoreTables } from '../../src/store/schema/stores.ts'
import { partsOf } from '../support/services/evm-context.ts'
import { fileWorld, indexedPrimary, proposalsPath } from '../support/services/primary-service.ts'

const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'
const { signal } = new AbortController()

// A running network misses nothing: what it left open is taken for missed here.
const asMissed = statement('update passed_slot set outcome = 1 where outcome = 2', {
  unsummed: true,
})

/** Registers and stores a webhook as the operation does, from the first block on. */
async function contextOver(store: Database): Promise<{
  readonly context: EventContext
  readonly describe: ReturnType<typeof describePlaces>
}> {
  const network = (await openNetwork('fuji', store)) ?? assert.fail('the network is stored')
  const evm = partsOf([], fileWorld.clock)
  const networks = createNetworkDirectory(() => [network])
  const parts = {
    networks,
    networkKey: () => 'primary-fuji',
    headOf: () => undefined,
    problemOf: () => undefined,
    limits: { webhooks: 10, addresses: 10 },
  }
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that a reading of a body needs
    context: parts as unknown as EventContext,
    describe: describePlaces(evm, { ...evm, networks }),
  }
}

const wanted = (
  chainId: string | undefined,
  more: object = {},
): Parameters<typeof readWebhook>[1] => ({
  eventType: 'validator_activity',
  network: 'fuji',
  ...(chainId === undefined ? {} : { chainId }),
  metadata: {
    keyType: 'nodeId',
    keys: [nodeId],
    subEvents: { validatorActivitySubEvents: ['slot_missed'] },
    ...more,
  },
})

void test('missed slots: a webhook of each chain collects and describes those of its node', async (t) => {
  const dataDir = await indexedPrimary(proposalsPath)
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const location = { store: 'embedded', dataDir } as const
  const store = await openStore(location, 'primary-fuji', primaryStoreTables, 'write')
  t.after(() => store.close())
  await store.transaction((writer) => writer.run(asMissed))
  const { context, describe } = await contextOver(store)
  const webhooks = await openStore(location, webhookStore, eventTables, 'write')
  const watches = openWatches(location, 'primary-fuji')
  t.after(() => watches.close())
  const outbox = primaryOutbox({ watches, clock: fileWorld.clock, keepMs: 1_000 })
  let count = 0
  for (const [chain, chainId] of [
    ['P', undefined],
    ['X', 'x-chain'],
    ['C', 'c-chain'],
  ] as const) {
    const read = await readWebhook(context, wanted(chainId), t.signal)
    assert.equal(read.ledger, `${chain} slots`)
    // From the first block on.
    const watched = { ...read.body.watched, from: 0 }
    const added = {
      id: chain,
      owner: '',
      store: read.store,
      ledger: read.ledger,
      active: true,
      createdMs: 0,
      body: { ...read.body, watched },
    }
    const number = await webhooks.transaction((writer) => addWebhook(writer, added))
    const webhook = { ...added, number, changed: 1 }
    await store.transaction((writer) => outbox.slots(writer, chain, { from: 0, until: 200 }))
    const places = await outboxPlaces(store, { number, from: 0, limit: 1_000 })
    const past = await findPlaces(store, watchOf(webhook), {
      range: { from: 0, until: Number.MAX_SAFE_INTEGER },
      limit: 1_000,
      isHistory: true,
    })
    const ofChain = past.places.filter((pos) => places.includes(pos))
    assert.deepEqual(ofChain, places)
    for (const pos of places) {
      const events = await describe(webhook, pos, signal)
      const missed = await missedSlotsBefore(store, parseNodeId(nodeId), blockOfPos(pos))
      assert.deepEqual(
        events.map(({ slot }) => slot),
        missed.map(({ slot }) => slot),
      )
      for (const event of events) {
        count++
        assert.equal(event['chainId'], chainId ?? 'p-chain')
        assert.equal(event['blockNumber'], String(heightOfBlock(blockOfPos(pos))))
        const [at, block] = [Number(event['slotTimestamp']), Number(event['blockTimestamp'])]
        assert.ok(at > 1_795_000_000 && at < block, `${at} ${block}`)
        assert.notEqual(event['nodeId'], undefined)
      }
    }
  }
  await webhooks.close()
  assert.ok(count > 10, String(count))
})

void test('missed slots: invalid parameters are refused', async (t) => {
  const dataDir = await indexedPrimary(proposalsPath)
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const store = await openStore(
    { store: 'embedded', dataDir },
    'primary-fuji',
    primaryStoreTables,
    'read',
  )
  t.after(() => store.close())
  const { context } = await contextOver(store)
  const both = { subEvents: { validatorActivitySubEvents: ['slot_missed', 'validator_stake'] } }
  const subnet = { keyType: 'subnetId', keys: ['11111111111111111111111111111111LpoYY'] }
  const others = { subEvents: { validatorActivitySubEvents: ['validator_stake'] } }
  for (const [body, words] of [
    [wanted('43114'), /chainId must be p-chain, x-chain or c-chain: 43114/],
    [wanted('c-chain', both), /slot_missed is for one node/],
    [wanted('c-chain', subnet), /slot_missed is for one node/],
    [wanted('c-chain', others), /chainId must be p-chain: c-chain/],
  ] as const)
    await assert.rejects(async () => readWebhook(context, body, t.signal), words)
})
