/**
 * Events for webhooks are kept for a set time: older places leave the outbox, newer ones stay, and
 * from where on it is complete is written down, so that older ones are read from history.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'

import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { fromHex, to0x } from '../../src/core/bytes.ts'
import type { Clock } from '../../src/core/world.ts'
import { evmOutbox } from '../../src/indexing/events/evm-outbox.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../../src/rollup/chain-rollup.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { statement } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { collectedSince, outboxPlaces } from '../../src/store/query/events/outbox.ts'
import type { Watch } from '../../src/store/query/events/watch.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { placesPerBlock } from '../../src/store/schema/sums.ts'
import { activityOf, busiestSender } from '../support/chains/event-truth.ts'
import { freshFolder } from '../support/processes/firn-process.ts'
import { rawChain } from '../support/stores/demo-store.ts'

const chain = 51_002
const keepSeconds = 3_600
const tenMinutesMs = 600_000

void test('outbox: places older than its limit leave it, and the rest is complete', async (t) => {
  const recording = openRecording(
    await readFile(new URL(`../../demo/chain-${chain}.firnrec`, import.meta.url)),
  )
  const { until } = recording.heights
  const timeOf = rawChain(chain).map(({ block }) => Number(block.timestamp))
  // As old as it is kept, less a second, when the last block comes.
  const kept = Math.floor(until / 2)
  let nowMs = 0
  let turnedMs = 0
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => turnedMs,
    sleep: () => Promise.resolve(),
  }
  const address = busiestSender(chain)
  const watch: Watch = {
    number: 7,
    ledger: 'blocks',
    watched: { kind: 'addresses', addresses: [{ bytes: fromHex(address), from: 0 }] },
  }
  const outbox = evmOutbox({
    watches: { now: async () => [watch], close: async () => undefined },
    clock,
    keepMs: keepSeconds * 1_000,
  })
  const place = { store: 'embedded', dataDir: await freshFolder(t) }
  const store = await openStore(place, 'fuji-kept', chainTables, 'write')
  t.after(() => store.close())
  const lease = await takeLease(store, 'test', clock)
  assert.ok(lease !== undefined)
  const ingest = new EvmIngest({ database: store, lease, clock, openRollup, outbox })
  const read = async (from: number, end: number): Promise<unknown> =>
    ingest.blocks(
      await recording.blocks(
        { from, until: end },
        (raw) => decodeBlocks(from, raw, zstdCompressSync),
        AbortSignal.any([]),
      ),
    )
  const hashAt = statement('select hash from evm_transaction where pos = ?', { over: 'tables' })
  const outboxHashes = async (): Promise<string[]> => {
    const places = await outboxPlaces(store, { number: watch.number, from: 0, limit: 10_000 })
    const hashes: string[] = []
    for (const pos of places) {
      const [hash] = (await store.get(hashAt, [pos])) ?? []
      hashes.push(hash instanceof Uint8Array ? to0x(hash) : '')
    }
    return hashes
  }
  await read(0, until - 1)
  const all = activityOf(chain, address, { from: 0, until: until - 1 })
  assert.ok(all.length > 20)
  assert.deepEqual(await outboxHashes(), all)
  assert.equal(await collectedSince(store, watch.number), 0)

  nowMs = (Number(timeOf[kept]) + keepSeconds - 1) * 1_000
  turnedMs = tenMinutesMs
  await read(until - 1, until)
  const first = timeOf.findIndex((time) => time >= Number(timeOf[kept]))
  const newest = activityOf(chain, address, { from: first, until })
  assert.ok(newest.length > 5 && newest.length < all.length)
  assert.deepEqual(await outboxHashes(), newest)
  assert.equal(await collectedSince(store, watch.number), first * placesPerBlock)
})
