/** Replay ahead of the store gives the rows that replay in step with it gives. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import type { ChainName } from '../../src/indexing/primary/batch/ledger-rows.ts'
import type { ChainReplay, Fetched } from '../../src/indexing/primary/replay/chain-replay.ts'
import {
  primaryHost,
  type PrimaryHost,
  type PrimaryHostOptions,
} from '../../src/indexing/primary/run/host.ts'
import {
  type BatchStore,
  openPrimaryStore,
  type PrimaryStore,
} from '../../src/indexing/primary/run/store.ts'
import { openRecordedPrimary } from '../../src/source/primary/recorded-source.ts'
import { type Reader, statement } from '../../src/store/engine/database.ts'
import { primaryTables } from '../../src/store/schema/primary/tables.ts'
import { factsOf } from '../support/chains/primary-facts.ts'
import { fileWorld, recordingPath } from '../support/services/primary-service.ts'
import { storeDigest } from '../support/stores/store-digest.ts'

const source = openRecordedPrimary(readFileSync(recordingPath))
const { signal } = new AbortController()
const key = 'primary-fuji'

/** Runs `check` over a new store. */
async function withStore<T>(check: (store: PrimaryStore) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-ahead-'))
  const place = { store: 'embedded', dataDir } as const
  const identity = await source.identity(signal)
  const parts = { key, genesis: 'auto', store: place, world: fileWorld, owner: 'test', signal }
  const store = await openPrimaryStore(parts, identity)
  try {
    return await check(store)
  } finally {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function hostOver(
  store: PrimaryStore,
  batches: BatchStore,
  more: Partial<Pick<PrimaryHostOptions, 'utxoLimit' | 'reader'>> = {},
): Promise<PrimaryHost> {
  const identity = await source.identity(signal)
  const { genesis, database } = store
  return primaryHost({ source, identity, genesis, reader: database, store: batches, ...more })
}

type Step = { readonly chain: ChainName; readonly heights: number }

/** Chains in turn, so many heights at a time, until all have come to their end. */
function* steps(heights: number): Generator<Step> {
  for (;;) for (const chain of ['P', 'X', 'C'] as const) yield { chain, heights }
}

/** Input of a step of a chain; `undefined` at its end. */
async function fetchStep(
  replay: ChainReplay,
  heights: number,
): Promise<Fetched<unknown>[] | undefined> {
  const head = await source.headHeight(replay.chain, signal)
  const range = replay.plan(replay.height() + 1, head)
  if (range === undefined) return undefined
  const until = Math.min(range.until, range.from + heights)
  return replay.fetch({ from: range.from, until }, signal)
}

/** Goes on from where the rows end. */
async function replayAll(
  host: PrimaryHost,
  heights: number,
  commit = (replay: ChainReplay, fetched: Fetched<unknown>[]): Promise<void> =>
    host.commit(replay, fetched, signal),
): Promise<void> {
  const replays = new Map<ChainName, ChainReplay>()
  for (const chain of ['P', 'X', 'C'] as const) replays.set(chain, await host.replay(chain))
  const ended = new Set<ChainName>()
  for (const { chain } of steps(heights)) {
    if (ended.size === replays.size) break
    const replay = replays.get(chain)
    assert.ok(replay !== undefined)
    // A lone proposal is nothing: its option comes with it.
    const fetched = await fetchStep(replay, heights + 1)
    if (fetched === undefined) ended.add(chain)
    else if (fetched.length > 0) await commit(replay, fetched)
  }
  await host.settled()
}

/** Digest after every batch was stored before the next was replayed. */
async function inStep(heights: number): Promise<Record<string, string>> {
  return withStore(async (store) => {
    const host = await hostOver(store, store)
    await replayAll(host, heights, async (replay, fetched) => {
      await host.commit(replay, fetched, signal)
      await host.settled()
    })
    return storeDigest(store.database, primaryTables)
  })
}

/** Everything that waits for nobody outside is done. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** A store that writes a batch when the test lets it. */
function heldBack(store: PrimaryStore): BatchStore & { readonly release: () => void } {
  let release = (): void => undefined
  return {
    begin: store.begin,
    takeBack: store.takeBack,
    health: store.health,
    commit: async (...batch) => {
      const released = Promise.withResolvers<void>()
      release = released.resolve
      await released.promise
      await store.commit(...batch)
    },
    release: () => release(),
  }
}

/** Digest after each batch was replayed before the one before it was stored. */
async function oneBehind(heights: number, utxoLimit?: number): Promise<Record<string, string>> {
  return withStore(async (store) => {
    const held = heldBack(store)
    const host = await hostOver(store, held, utxoLimit === undefined ? {} : { utxoLimit })
    await replayAll(host, heights, async (replay, fetched) => {
      const handed = host.commit(replay, fetched, signal)
      // This batch has been replayed; only now the one before is stored.
      await turn()
      held.release()
      await handed
      if (replay.height() === (await source.headHeight(replay.chain, signal))) held.release()
    })
    return storeDigest(store.database, primaryTables)
  })
}

void test('ahead of the store: imports between chains find exports that are not stored yet', async () => {
  for (const heights of [1, 3, 20]) {
    assert.deepEqual(await oneBehind(heights), await inStep(heights), `${heights} heights a batch`)
  }
})

void test('ahead of the store: nothing is forgotten that is not stored', async () => {
  for (const heights of [1, 3, 20]) {
    const digest = await oneBehind(heights, 0)
    assert.deepEqual(digest, await inStep(heights), `${heights} heights a batch`)
  }
})

void test('ahead of the store: batches replayed after one that failed are not stored', async () => {
  const expected = await withStore(async (store) => {
    await replayAll(await hostOver(store, store), 7)
    return factsOf(store.database)
  })
  const facts = await withStore(async (store) => {
    let left = 4
    const failing: BatchStore = {
      begin: store.begin,
      takeBack: store.takeBack,
      health: store.health,
      commit: (...batch) =>
        --left === 0
          ? Promise.reject(new Fault('store-full', 'the disk is full'))
          : store.commit(...batch),
    }
    const host = await hostOver(store, failing)
    // The next write fails, and its chain begins again where the rows end.
    await assert.rejects(replayAll(host, 7), /the disk is full/)
    await replayAll(host, 7)
    assert.ok(left < 0)
    return factsOf(store.database)
  })
  assert.deepEqual(facts, expected)
})

void test('store of batches: a batch of an ended session is refused', async () => {
  await withStore(async (store) => {
    const first = await store.begin()
    const host = await hostOver(store, {
      begin: () => Promise.resolve(first),
      commit: store.commit,
      takeBack: store.takeBack,
      health: store.health,
    })
    const replay = await host.replay('P')
    const fetched = await fetchStep(replay, 3)
    assert.ok(fetched !== undefined)
    const second = await store.begin()
    assert.notEqual(second, first)
    await host.commit(replay, fetched, signal)
    await assert.rejects(host.settled(), /was not stored/)
    await assert.rejects(host.commit(replay, fetched, signal), /was not stored/)
  })
})

void test('ahead of the store: a fault of one chain stops no other chain', async () => {
  await withStore(async (store) => {
    const broken = new Error('broken invariant: as if')
    const failing: BatchStore = {
      begin: store.begin,
      takeBack: store.takeBack,
      health: store.health,
      commit: (session, batch, raw) =>
        batch.chain === 'P' ? Promise.reject(broken) : store.commit(session, batch, raw),
    }
    const host = await hostOver(store, failing)
    const replays = { P: await host.replay('P'), C: await host.replay('C') }
    const commit = async (replay: ChainReplay): Promise<void> =>
      host.commit(replay, (await fetchStep(replay, 3)) ?? [], signal)
    await commit(replays.P)
    // Whoever asks first, it is the P-Chain that must stop.
    await assert.rejects(
      commit(replays.C),
      (error) => error instanceof Fault && error.retryable && /of the P-Chain/.test(error.message),
    )
    const again = await host.replay('C')
    await commit(again)
    await host.settled('C')
    await assert.rejects(commit(replays.P), (error) => error === broken)
    await commit(again)
    await host.settled('C')
  })
})

void test('ahead of the store: chains get the reason when another has begun again before', async () => {
  await withStore(async (store) => {
    let isFull = true
    const failing: BatchStore = {
      begin: store.begin,
      takeBack: store.takeBack,
      health: store.health,
      commit: (...batch) =>
        isFull
          ? Promise.reject(new Fault('store-full', 'the disk is full'))
          : store.commit(...batch),
    }
    const host = await hostOver(store, failing)
    const replays = { P: await host.replay('P'), C: await host.replay('C') }
    const commit = async (replay: ChainReplay): Promise<void> =>
      host.commit(replay, (await fetchStep(replay, 3)) ?? [], signal)
    await commit(replays.C)
    await assert.rejects(host.settled('C'), /the disk is full/)
    const again = await host.replay('C')
    await assert.rejects(commit(replays.P), /the disk is full/)
    isFull = false
    await commit(again)
    await commit(await host.replay('P'))
    await host.settled()
  })
})

void test('ahead of the store: of a failed batch nothing is left when the store cannot be read', async () => {
  const expected = await withStore(async (store) => {
    await replayAll(await hostOver(store, store), 7)
    return factsOf(store.database)
  })
  await withStore(async (store) => {
    let state: 'well' | 'failing' | 'well again' = 'well'
    const full = new Fault('store-full', 'the disk is full')
    const failing: BatchStore = {
      begin: store.begin,
      takeBack: store.takeBack,
      health: store.health,
      commit: (...batch) => {
        // The first that brings assets of its own.
        if (state === 'well' && batch[1].newAssets.length > 0) state = 'failing'
        return state === 'failing' ? Promise.reject(full) : store.commit(...batch)
      },
    }
    const { database } = store
    const whenWell = <T>(read: () => T): T => {
      if (state === 'failing') throw full
      return read()
    }
    const reader: Reader = {
      all: (...parameters) => whenWell(() => database.all(...parameters)),
      get: (...parameters) => whenWell(() => database.get(...parameters)),
      lookup: (...parameters) => whenWell(() => database.lookup(...parameters)),
    }
    const host = await hostOver(store, failing, { reader })
    await assert.rejects(replayAll(host, 7), /the disk is full/)
    await assert.rejects(host.replay('X'), /the disk is full/)
    state = 'well again'
    await replayAll(host, 7)
    assert.deepEqual(await factsOf(database), expected)
    const rows = await database.all(statement('select id from asset order by id'))
    assert.deepEqual(
      rows.map(([id]) => Number(id)),
      rows.map((_, at) => at + 1),
    )
  })
})

void test('ahead: a process whose store another one has taken over begins nothing', async () => {
  await withStore(async (store) => {
    await store.database.transaction((writer) =>
      writer.run(statement("update lease set epoch = epoch + 1, owner = 'another'"), []),
    )
    await assert.rejects(
      store.begin(),
      (error) => error instanceof Fault && error.code === 'lease-lost',
    )
  })
})
