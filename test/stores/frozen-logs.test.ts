/**
 * Frozen logs of a recorded chain, held against the receipts as the node gave them: from a bucket and an empty disk, after
 * an upgrade, after a failure, and where a row was altered.
 */

import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { fromHex } from '../../src/core/bytes.ts'
import { Freezer, freezeNext, logHistory } from '../../src/indexing/evm/freeze/freeze-stream.ts'
import { keepFreezeFrom } from '../../src/indexing/evm/freeze/logs-freeze-from.ts'
import { besideLogs } from '../../src/indexing/evm/run/beside-logs.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { type Database, type Reader, statement } from '../../src/store/engine/database.ts'
import { setsOf } from '../../src/store/history/directory.ts'
import { freezeUntil } from '../../src/store/history/freeze.ts'
import { takeLease } from '../../src/store/lease.ts'
import { layoutsAt } from '../../src/store/migrations/migrations.ts'
import { openStore } from '../../src/store/open.ts'
import {
  type LogFilter,
  logsMatching,
  oldestLogs,
  topicsOf,
} from '../../src/store/query/evm/logs.ts'
import { heightOf, placeOf } from '../../src/store/query/evm/position.ts'
import { logStage, logStoreTables, logTables } from '../../src/store/schema/logs.ts'
import { checkStore } from '../../src/store/sums/check-store.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { isLive, runStage } from '../support/chains/log-stage.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { virtualClock } from '../support/processes/virtual-clock.ts'
import { openDemoChain, rawChain } from '../support/stores/demo-store.ts'
import { freezeLogsAt, mergeAll, segmentsOf, withSegments } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { type StoreInBucket, storeInBucket } from '../support/stores/store-in-bucket.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const chainId = 51_002
const name = 'chain-logs'
const file = new URL(`../../demo/chain-${chainId}.firnrec`, import.meta.url)
const recording = openRecording(readFileSync(file))
const blocks = recording.heights.until
const twelve = Array.from({ length: 12 }, (_, at) => Math.floor((blocks * (at + 1)) / 12))
const range = { from: 0, until: Number.MAX_SAFE_INTEGER }
const { signal } = new AbortController()

/** Every log as the node told it, oldest first. */
const told = rawChain(chainId).flatMap(({ block, receipts }) =>
  receipts.flatMap(({ logs, transactionHash: txHash }) =>
    logs.map(({ logIndex, address, topics, data }) => ({
      place: `${Number(block.number)} ${Number(logIndex)}`,
      blockHash: block.hash,
      txHash,
      address: address.toLowerCase(),
      topics,
      data,
    })),
  ),
)

/** Contracts and topics by their places; absent: any. */
type Wanted = {
  readonly addresses?: readonly string[]
  readonly topics: readonly (readonly string[] | undefined)[]
}

/** Filters of one and of several conditions, from all parts of the chain, and of what is nowhere. */
const wanted: readonly Wanted[] = [
  { topics: [] },
  { addresses: [`0x${'ab'.repeat(20)}`], topics: [] },
  { topics: [[`0x${'ab'.repeat(32)}`]] },
  ...told
    .filter((_, at) => at % 97 === 5)
    .flatMap(({ address, topics }, at): Wanted[] => {
      const other = told[(at * 31) % told.length]
      const addresses = [address, ...(other === undefined ? [] : [other.address])]
      const last = topics.at(-1)
      return [
        { addresses: [address], topics: [] },
        { addresses, topics: topics.slice(0, 1).map((topic) => [topic]) },
        {
          topics: topics.map((topic, place) => (place === topics.length - 1 ? [topic] : undefined)),
        },
        {
          topics: topics.map((_topic, place) =>
            place === topics.length - 1 && last !== undefined
              ? [last, ...(other?.topics.slice(-1) ?? [])]
              : undefined,
          ),
        },
      ]
    }),
]

function filterOf({ addresses, topics }: Wanted): LogFilter {
  return {
    addresses: addresses?.map((each) => fromHex(each)),
    topics: topics.map((some) => some?.map((each) => fromHex(each))),
  }
}

/** Both directions of every filter give what the receipts have. */
async function checkAnswers(store: Reader): Promise<void> {
  for (const each of wanted) {
    const filter = filterOf(each)
    const { addresses, topics } = each
    const own = told.filter(
      (log) =>
        addresses?.includes(log.address) !== false &&
        topics.every((some, place) => some?.includes(log.topics[place] ?? '') !== false),
    )
    const found: unknown[] = []
    for await (const rows of oldestLogs(store, filter, range))
      for (const row of rows)
        found.push({
          place: `${heightOf(row.pos)} ${placeOf(row.pos)}`,
          blockHash: row.blockHash,
          txHash: row.txHash,
          address: row.address,
          topics: topicsOf(row),
          data: row.data,
        })
    assert.deepEqual(found, own, JSON.stringify(each))
    const down = await logsMatching(store, {
      filter,
      range: { ...range, order: 'desc' },
      limit: 7,
    })
    assert.deepEqual(
      down.rows.map(({ pos }) => `${heightOf(pos)} ${placeOf(pos)}`),
      own
        .toReversed()
        .slice(0, 7)
        .map(({ place }) => place),
    )
  }
}

/** Reads all logs of the recording into a store. */
async function fill(logs: Database): Promise<void> {
  const demo = await openDemoChain(chainId)
  await runStage({ logs, chain: demo.served.store }, recording, isLive)
  await demo.close()
}

/** A store of logs whose segments are kept in a bucket, none of which is merged. */
async function opened(t: TestContext): Promise<StoreInBucket> {
  const made = await storeInBucket(t, { name, tables: logStoreTables, fileBytes: 1 })
  await fill(made.store)
  return made
}

void test('frozen logs: from a bucket every filter is answered, and an empty disk fetches what has its keys', async (t) => {
  const { store, storage, folder, location } = await opened(t)
  await freezeLogsAt(store, twelve)
  await checkAnswers(store)
  await mergeAll(store)
  const manifest = await store.history?.manifest(store)
  assert.ok(manifest !== undefined)
  const sets = setsOf(manifest.directory)
  assert.deepEqual(
    sets.map(({ stage, from, until }) => [stage, from, until]),
    [[logStage, 0, twelve[9]]],
  )
  await checkAnswers(store)

  /** Files that a process with an empty disk fetches for the logs of a filter. */
  const fetchedBy = async (filter: Wanted): Promise<number> => {
    rmSync(join(folder, name), { recursive: true })
    storage.requests.length = 0
    const fresh = await openStore(location, name, logStoreTables, 'read')
    for await (const rows of oldestLogs(fresh, filterOf(filter), range)) assert.ok(rows.length >= 0)
    await fresh.close()
    const files = storage.requests.filter(
      (each) => each.startsWith('GET') && each.includes('sqlite'),
    )
    return new Set(files).size
  }
  const segmentOf = ({ place }: (typeof told)[number]): number =>
    twelve.findIndex((until) => Number(place.split(' ')[0]) < until)
  // A topic, and a contract, of one segment that the directory has: besides that the directory and the two segments that it has not.
  const inOne = (key: (log: (typeof told)[number]) => string | undefined): string => {
    const segments = Map.groupBy(
      told.filter((log) => key(log) !== undefined),
      key,
    )
    const [found] = [...segments].find(
      ([, logs]) => new Set(logs.map(segmentOf)).size === 1 && segmentOf(logs[0]!) < 10,
    ) ?? ['']
    assert.ok(found)
    return found
  }
  const topic = inOne(({ topics }) => topics[2])
  assert.equal(await fetchedBy({ topics: [undefined, undefined, [topic]] }), 4)
  assert.equal(await fetchedBy({ topics: [[`0x${'ab'.repeat(32)}`]] }), 3)
  const fresh = await openStore(location, name, logStoreTables, 'read')
  await checkAnswers(fresh)
  await fresh.close()

  await store.history?.folder.removeAll(manifest)
  assert.deepEqual([...storage.files.keys()], [])
})

onBothEngines(
  'frozen logs: a store of layout 6 freezes on, and is no more for the version before',
  [],
  async ({ location }) => {
    await withSegments(location, async (place) => {
      const { freeze: _none, ...tables } = place
      const layouts = layoutsAt(6)
      const before = await openStore({ ...tables, layouts }, name, logStoreTables, 'write')
      await fill(before)
      const whole = await storeDigest(before, logTables)
      await before.close()
      const store = await openStore(place, name, logStoreTables, 'write')
      assert.deepEqual(await storeDigest(store, logTables), whole)
      const chain = chainOf(store)
      const { clock } = chain
      const lease = await takeLease(store, 'new', clock)
      assert.ok(lease !== undefined)
      // Processes of the version before have a day to end: they look into tables alone.
      await keepFreezeFrom(store, lease, clock)
      assert.equal(await freezeNext(chain, { heightsPerSegment: 40 }, logHistory), false)
      await clock.sleep(86_399_000)
      await keepFreezeFrom(store, lease, clock)
      assert.equal(await freezeNext(chain, { heightsPerSegment: 40 }, logHistory), false)
      await clock.sleep(1_000)
      while (await freezeNext(chain, { heightsPerSegment: 40 }, logHistory));
      assert.equal((await segmentsOf(store, logStage)).length, Math.floor(blocks / 40))
      assert.deepEqual(await storeDigest(store, logTables), whole)
      assert.deepEqual(await checkStore(store, logStoreTables, { signal }), [])
      await checkAnswers(store)
      await store.close()
      for (const mode of ['read', 'write'] as const)
        await assert.rejects(openStore({ ...tables, layouts }, name, logStoreTables, mode), {
          code: 'store-version',
        })
      // What is frozen is read where nothing freezes any more.
      const off = await openStore(tables, name, logStoreTables, 'write')
      await checkAnswers(off)
      await off.close()
    })
  },
)

onBothEngines(
  'frozen logs: an attempt that fails changes nothing, and altered rows stay in tables',
  [],
  async ({ location }) => {
    await withSegments(location, async (place) => {
      const store = await openStore(place, name, logStoreTables, 'write')
      await fill(store)
      const { history } = store
      assert.ok(history !== undefined)
      const failing = store.transaction(async (writer) => {
        await freezeUntil({ writer, history }, { logs: 60 })
        throw new Error('killed')
      })
      await assert.rejects(failing, /killed/)
      assert.deepEqual(await segmentsOf(store, logStage), [])
      await checkAnswers(store)
      await freezeLogsAt(store, [60])
      await checkAnswers(store)

      const alter = (by: number): StatementOf =>
        statement(`update log_entry set tx_index = tx_index + ${by} where pos >= ${80 * 2 ** 20}`, {
          over: 'tables',
          unsummed: true,
        })
      await store.transaction((writer) => writer.run(alter(1)))
      const freezer = new Freezer(chainOf(store), { heightsPerSegment: 60 }, logHistory)
      await freezer.freezeDue(signal)
      assert.match(
        freezer.report().reason ?? '',
        /history stays in tables: rows of table log_entry of blocks 0 to 255 are not those/,
      )
      assert.deepEqual(
        (await segmentsOf(store, logStage)).map(({ until }) => until),
        [60],
      )
      await store.transaction((writer) => writer.run(alter(-1)))
      await checkAnswers(store)
      await store.close()
    })
  },
)

onBothEngines(
  'frozen logs: their stage freezes and merges what it stored, beside its rounds',
  [],
  async ({ location }) => {
    await withSegments(location, async (place) => {
      const store = await openStore(place, name, logStoreTables, 'write')
      const lease = await takeLease(store, 'test', systemClock)
      assert.ok(lease !== undefined)
      // A new store has no readers that know tables alone.
      await keepFreezeFrom(store, lease, systemClock)
      await fill(store)
      const demo = await openDemoChain(chainId)
      const kept = { logs: store, chain: demo.served.store }
      const freeze = { heightsPerSegment: 10 }
      const tiersOf = async (): Promise<number[]> =>
        (await segmentsOf(store, logStage)).map(({ tier }) => tier)
      await runStage(
        kept,
        recording,
        async (state) => isLive(state) && (await tiersOf()).includes(1),
        (chain, opened) => besideLogs(chain, opened, { freeze, merge: undefined }),
      )
      assert.equal((await segmentsOf(store, logStage)).at(-1)?.until, Math.floor(blocks / 10) * 10)
      await checkAnswers(store)
      await demo.close()
      await store.close()
    })
  },
)

type StatementOf = ReturnType<typeof statement>

function chainOf(database: Database): ConstructorParameters<typeof Freezer>[0] {
  const { transaction: commit } = database
  return { key: name, database, clock: virtualClock(), log: silentLog, commit }
}
