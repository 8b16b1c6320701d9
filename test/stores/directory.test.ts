/**
 * The directory of history: files that it says have nothing of a key have nothing of it, few are read, and whatever becomes
 * of it no answer differs.
 */

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { toHex } from '../../src/core/bytes.ts'
import { mergingThread } from '../../src/indexing/evm/freeze/merge-thread.ts'
import { recount } from '../../src/indexing/evm/write/recount.ts'
import { type Database, type Reader, statement } from '../../src/store/engine/database.ts'
import { setsOf } from '../../src/store/history/directory.ts'
import { thawFrom } from '../../src/store/history/freeze.ts'
import { type Manifest, readManifest, writeManifest } from '../../src/store/history/manifest.ts'
import { forgetLost } from '../../src/store/history/merge-segments.ts'
import { openStore } from '../../src/store/open.ts'
import { activityOfAddress, hasActivity } from '../../src/store/query/evm/addresses.ts'
import {
  balanceCandidates,
  balancesOfHolders,
  balancesOfPairs,
  countsOfToken,
  heldMoreThan,
  mayHold,
} from '../../src/store/query/evm/balances.ts'
import { blockByHash } from '../../src/store/query/evm/blocks.ts'
import { internalsOfAddress } from '../../src/store/query/evm/internals.ts'
import { transactionByHash, transactionsOfAddress } from '../../src/store/query/evm/transactions.ts'
import { transfersOfAddress, transfersOfToken } from '../../src/store/query/evm/transfers.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { freezeAt, mergeAll } from '../support/stores/freeze-store.ts'
import { type StoreInBucket, storeInBucket } from '../support/stores/store-in-bucket.ts'

const chain = 51_002
const name = `evm-${chain}`
const filling = demoFilling(50, chain)
/** Each segment is too large to be merged. */
const fileBytes = 1
/** At the ends of segments and in them, and beyond all. */
const heights = [0, 11, 12, 43, 44, 48, 90, 119, 132, 143, 144, Number.MAX_SAFE_INTEGER]
const twelve = Array.from({ length: 12 }, (_, at) => 12 * (at + 1))

const thirteen = Array.from({ length: 13 }, (_, at) => 11 * (at + 1))

const newestAddress = statement('select max(id) from address')
const tokens = statement('select id from token order by id')
const hashesOf = {
  transactions: statement('select hash from evm_transaction order by pos', { over: 'oldest' }),
  blocks: statement('select hash from evm_block order by height', { over: 'oldest' }),
}

void test('directory: every answer is that of all segments, and few of them are read', async (t) => {
  const { store, storage, folder, location } = await opened(t)
  const whole = await answers(store)
  await freezeAt(store, twelve)
  same(await answers(store), whole)
  await mergeAll(store)
  const { directory, segments } = await manifestOf(store)
  assert.deepEqual(
    setsOf(directory).map(({ stage, from, until }) => [stage, from, until]),
    [
      ['blocks', 0, 120],
      ['traces', 0, 120],
    ],
  )
  // It is cut into files, at an address and at a token of its sums, too.
  const firsts = directory.map(({ first = [] }) => first)
  assert.ok(firsts.length > 6, JSON.stringify(firsts))
  for (const table of [3, 4])
    assert.ok(firsts.some(([number, key = 0]) => number === table && key > 0))
  assert.equal(segments.length, 2 * twelve.length)
  same(await answers(store), whole)

  /** Files that a process with an empty disk fetches for a question. */
  const fetchedBy = async (question: (fresh: Reader) => Promise<unknown>): Promise<number> => {
    rmSync(join(folder, name), { recursive: true })
    storage.requests.length = 0
    const fresh = await openStore(location, name, chainTables, 'read')
    await question(fresh)
    await fresh.close()
    const files = storage.requests.filter(
      (each) => each.startsWith('GET') && each.includes('sqlite'),
    )
    return new Set(files).size
  }
  // An empty disk: the two segments that it has not, then the directory, then one.
  const [first] = await store.all(hashesOf.transactions)
  assert.ok(first !== undefined)
  assert.equal(await fetchedBy((fresh) => transactionByHash(fresh, first[0])), 4)
  // An address that is busy, but not in this list.
  const range = { from: 0, until: Number.MAX_SAFE_INTEGER }
  const most = (await store.get(newestAddress))?.[0] ?? 0
  const listsOf = async (addressId: number): Promise<number[]> => {
    const query = { addressId, range, limit: 100 }
    const [nfts, coins] = [
      { ...query, standard: 721 as const },
      { ...query, standard: 20 as const },
    ]
    const lists = [await transfersOfAddress(store, nfts), await transfersOfAddress(store, coins)]
    return lists.map(({ length }) => length)
  }
  let busy = 0
  for (let addressId = 1; addressId <= most && busy === 0; addressId++) {
    const [nfts, coins = 0] = await listsOf(addressId)
    if (nfts === 0 && coins > 20) busy = addressId
  }
  assert.ok(busy > 0)
  const nothing = { addressId: busy, range, limit: 10, standard: 721 } as const
  assert.equal(await fetchedBy((fresh) => transfersOfAddress(fresh, nothing)), 3)
  // Sums are those of the directory; inside of one of its segments this is read, too.
  const pair = { addressIds: [busy], tokenIds: [6], height: Number.MAX_SAFE_INTEGER }
  assert.equal(await fetchedBy((fresh) => balancesOfPairs(fresh, pair)), 3)
  assert.ok((await fetchedBy((fresh) => balancesOfPairs(fresh, { ...pair, height: 50 }))) <= 2)
})

void test('directory: its files are merged, by a thread of its own, too', async (t) => {
  const { store } = await opened(t)
  const whole = await answers(store)
  const write = mergingThread(new AbortController().signal, 0)
  for (const until of [42, 84]) {
    const heights = Array.from({ length: 42 }, (_, at) => until - 41 + at)
    await freezeAt(store, heights)
    await mergeAll(store, undefined, write)
  }
  const { directory } = await manifestOf(store)
  for (const stage of ['blocks', 'traces']) {
    const sets = setsOf(directory).filter((each) => each.stage === stage)
    assert.equal(sets[0]?.pieces[0]?.tier, 1, JSON.stringify(directory))
    assert.ok(sets.length < 8, `${stage}: ${sets.length}`)
  }
  same(await answers(store), whole)
})

void test('directory: answers are in order whichever segments it has not', async (t) => {
  const { store } = await opened(t)
  const whole = await answers(store)
  // The newest segment may be merged yet.
  for (const first of [0, 4, 8]) {
    await freezeAt(store, thirteen.slice(first, first + 5))
    await mergeAll(store)
  }
  const manifest = await manifestOf(store)
  const blocks = setsOf(manifest.directory).filter(({ stage }) => stage === 'blocks')
  assert.deepEqual(
    blocks.map(({ from, until }) => [from, until]),
    [
      [0, 44],
      [44, 88],
      [88, 132],
    ],
  )
  same(await answers(store), whole)
  for (const missing of blocks) {
    const directory = manifest.directory.filter((each) => !missing.pieces.includes(each))
    const { folder, segments } = manifest
    await store.transaction(async (writer) => {
      const now = await readManifest(writer)
      await writeManifest(writer, now, { folder, segments, directory })
    })
    assert.equal((await manifestOf(store)).directory.length, directory.length)
    same(await answers(store), whole)
  }
})

void test('directory: a lost one changes no answer, and is made again', async (t) => {
  const { store, storage, folder } = await opened(t)
  const whole = await answers(store)
  await freezeAt(store, twelve)
  await mergeAll(store)
  const { directory } = await manifestOf(store)
  const history = store.history
  assert.ok(history !== undefined && setsOf(directory).length === 2)
  const lost = directory.filter((_, at) => at % 3 === 1)
  for (const { name: file } of lost) storage.files.delete(`firn/${name}/${file}.sqlite`)
  rmSync(join(folder, name), { recursive: true })
  same(await answers(store), whole)
  await forgetLost({ reader: store, history, commit: (work) => store.transaction(work) })
  assert.deepEqual((await manifestOf(store)).directory, [])
  same(await answers(store), whole)
  await mergeAll(store)
  assert.deepEqual((await manifestOf(store)).directory, directory)
  same(await answers(store), whole)
})

void test('directory: of history that goes back into tables nothing stays, and a sweep takes its files', async (t) => {
  const { store, storage } = await opened(t)
  const whole = await answers(store)
  await freezeAt(store, twelve)
  await mergeAll(store)
  const history = store.history
  assert.ok(history !== undefined)
  const before = (await manifestOf(store)).directory
  const sweep = async (nowMs: number): Promise<void> => {
    if (await history.folder.hasOverdue(store, nowMs))
      await store.transaction((writer) => history.folder.removeOverdue(writer))
  }
  const isKept = (): boolean =>
    before.every((each) => storage.files.has(`firn/${name}/${each.name}.sqlite`))
  for (const day of [0, 1, 2]) await sweep(day * 86_400_000)
  assert.ok(isKept())
  await store.transaction((writer) => thawFrom({ writer, history, recount }, 60))
  assert.deepEqual((await manifestOf(store)).directory, [])
  same(await answers(store), whole)
  for (const day of [3, 4, 5]) await sweep(day * 86_400_000)
  assert.ok(!isKept())
})

const opened = (t: TestContext): Promise<StoreInBucket> =>
  storeInBucket(t, { name, tables: chainTables, fileBytes, filling })

async function manifestOf(store: Database): Promise<Manifest> {
  const manifest = await store.history?.manifest(store)
  assert.ok(manifest !== undefined)
  return manifest
}

/** Fails with the first answer that differs. */
function same(found: readonly string[], wanted: readonly string[]): void {
  for (const [at, each] of found.entries()) assert.equal(each, wanted[at])
  assert.equal(found.length, wanted.length)
}

/** Answers to all questions that name a key, of some of the keys, as texts. */
async function answers(store: Reader): Promise<string[]> {
  const found: unknown[] = []
  const range = { from: 0, until: Number.MAX_SAFE_INTEGER }
  const older = { from: 20 * 2 ** 20, until: 70 * 2 ** 20 }
  const most = (await store.get(newestAddress))?.[0] ?? 0
  for (let addressId = 1; addressId <= most + 1; addressId += 9) {
    found.push(addressId, await hasActivity(store, addressId))
    for (const direction of ['asc', 'desc'] as const)
      for (const part of [
        { range, limit: 3, direction },
        { range: older, limit: 100, direction },
      ]) {
        const query = { ...part, addressId }
        found.push(await transactionsOfAddress(store, query))
        found.push(await transfersOfAddress(store, { ...query, standard: 20 }))
        found.push(await transfersOfAddress(store, { ...query, standard: 721 }))
        found.push(await internalsOfAddress(store, query))
        found.push(await activityOfAddress(store, { ...query, after: undefined }))
      }
    const tokenIds = new Set<number>()
    for (const height of heights)
      for (const limit of [2, 100]) {
        const held = { addressId, afterToken: 0, limit, height }
        const rows = await balanceCandidates(store, held)
        for (const { token } of rows) tokenIds.add(token.id)
        found.push(rows.map(({ token, value, negative }) => [token.id, value, negative]))
      }
    for (const tokenId of tokenIds) {
      for (const height of heights)
        found.push(
          await balancesOfPairs(store, { addressIds: [addressId], tokenIds: [tokenId], height }),
        )
      const pair = { addressId, tokenId }
      found.push(await heldMoreThan(store, pair, { from: 50, at: 130, threshold: 10n ** 18n }))
      found.push(await heldMoreThan(store, pair, { from: 0, at: 99, threshold: 1n }))
    }
  }
  for (const [tokenId] of await store.all(tokens)) {
    found.push(tokenId, await countsOfToken(store, tokenId))
    for (const at of heights)
      for (const limit of [4, 100]) {
        const page = await balancesOfHolders(store, { tokenId, after: 2, at, limit })
        const addressIds = page.map(({ addressId }) => addressId)
        const tokenIds = addressIds.map(() => tokenId)
        found.push(page, await balancesOfPairs(store, { addressIds, tokenIds, height: at }))
        found.push(await mayHold(store, { tokenId, after: 2, at, limit }))
      }
    found.push(await transfersOfToken(store, { tokenId, range, limit: 4 }))
  }
  const hashes = await store.all(hashesOf.transactions)
  for (const [hash] of hashes.filter((_, at) => at % 40 === 0)) {
    found.push(await transactionByHash(store, hash))
    found.push(
      await transactionByHash(
        store,
        hash.map((byte) => 255 - byte),
      ),
    )
  }
  for (const [hash] of (await store.all(hashesOf.blocks)).filter((_, at) => at % 20 === 0))
    found.push(await blockByHash(store, hash))
  return found.map((each) => JSON.stringify(plain(each)) ?? 'none')
}

/** Values without classes of their own: some bytes are a `Buffer`. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value)
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, plain(of)]))
}
