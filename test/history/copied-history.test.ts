/**
 * A history that came from a snapshot: confirmed by the chain's node, or refused. More of it, every
 * alteration and samples are in `test/long/copied-*.test.ts`.
 */

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

import { wideBytes, wideInteger } from '../../src/core/wide-integer.ts'
import { onlySegments } from '../../src/indexing/evm/copied/check-copied.ts'
import { copiedHistory, markCopied } from '../../src/store/copied-history.ts'
import { type Database, type Row, statement, type Value } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { indexedHeight } from '../../src/store/query/evm/heights.ts'
import { balance, block, evmTables } from '../../src/store/schema/evm.ts'
import { nftToken } from '../../src/store/schema/nft.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { columnNames } from '../../src/store/schema/table.ts'
import { checkStore } from '../../src/store/sums/check-store.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { changed, check, copyOf, otherRowsOf } from '../support/stores/copied-chain.ts'
import { openDemoChain } from '../support/stores/demo-store.ts'
import { type Forge, forgeSegment } from '../support/stores/forged-segment.ts'
import { segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'

void test('an honest copy: all of its segments are made again, and nothing is called copied any more', async (t) => {
  const store = await copyOf(t, 51002, [40, 80])
  const none = await check(store, 51002, { percent: 0 })
  assert.deepEqual([none.state, none.share], ['off', 0])
  const all = await check(store, 51002, { percent: 100 })
  assert.deepEqual(all, { state: 'live', reason: undefined, share: undefined })
  assert.equal(await copiedHistory(store), undefined)
})

void test('the same blocks as another version of zstd packs them: confirmed', async (t) => {
  const store = await copyOf(t, 51002, [])
  const packedAnew = (value: unknown): unknown =>
    value instanceof Uint8Array && value.length > 0
      ? zstdCompressSync(zstdDecompressSync(value), {
          params: { [constants.ZSTD_c_compressionLevel]: 1 },
        })
      : value
  const packed = columnNames(block).indexOf('inputs')
  const [before] = await segmentsOf(store)
  await forgeSegment(store, {
    evm_block: (rows) => rows.map((row) => row.with(packed, packedAnew(row[packed]) as Value)),
  })
  const [after] = await segmentsOf(store)
  assert.notEqual(after?.name, before?.name)
  const all = await check(store, 51002, { percent: 100 })
  assert.deepEqual(all, { state: 'live', reason: undefined, share: undefined })
})

const middle = (rows: readonly unknown[]): number => rows.length >> 1

const forgeries: Readonly<Record<string, Forge>> = {
  transfer: (rows) =>
    rows.map((row, at) => (at === middle(rows) ? row.with(8, Uint8Array.of(9)) : row)),
  balance: (rows) => {
    const [addressId, tokenId, height] = rows[middle(rows)] ?? []
    // All that follow from it are altered as well.
    const isAltered = (row: Row): boolean =>
      row[0] === addressId && row[1] === tokenId && Number(row[2]) >= Number(height)
    return rows.map((row) => (isAltered(row) ? row.with(3, more(row[3])) : row))
  },
}

function more(value: unknown): Uint8Array {
  return wideBytes(wideInteger(value instanceof Uint8Array ? value : new Uint8Array()) + 5n)
}

for (const [table, forge] of Object.entries(forgeries))
  void test(`one ${table} altered behind a fitting name: refused, for good`, async (t) => {
    const store = await copyOf(t, 51002, [100])
    await forgeSegment(store, { [table]: forge })
    const found = await check(store, 51002, { percent: 100 })
    assert.equal(found.state, 'stopped')
    assert.match(found.reason ?? '', otherRowsOf(table))
    const again = await check(store, 51002, { percent: 0 })
    assert.deepEqual([again.state, again.reason], ['stopped', found.reason])
  })

/** A copy whose last blocks lie in tables. */
async function partlyFrozen(t: TestContext): Promise<Database> {
  const { served, close } = await openDemoChain(51001, { frozen: [100, 300] })
  t.after(close)
  await served.store.transaction(markCopied)
  return served.store
}

void test('rows that no segment holds are not copied: they are made again from segments or read again', async (t) => {
  const honest = await partlyFrozen(t)
  const store = await partlyFrozen(t)
  const by = 'where owner_id is not null order by at limit 1'
  await changed(store, nftToken, { by, column: 'owner_id' })
  await changed(store, balance, { by: 'where height > 350 limit 1', column: 'value' })
  const digests = []
  for (const each of [honest, store]) {
    const lease = await takeLease(each, 'test', systemClock)
    const copied = await copiedHistory(each)
    assert.ok(lease !== undefined && copied !== undefined)
    const left = await onlySegments(each, copied, { lease, clock: systemClock })
    assert.equal(left?.until, 300)
    assert.equal(await indexedHeight(each, 'blocks'), 299)
    assert.deepEqual(
      await checkStore(each, chainTables, { signal: AbortSignal.timeout(60_000) }),
      [],
    )
    digests.push(await storeDigest(each, evmTables))
  }
  assert.deepEqual(digests[1], digests[0])
  const named = await store.get(statement('select count(*) from token where metadata_height > 0'))
  assert.deepEqual(named, [0], 'names follow from no block: their contracts are called again')
})
