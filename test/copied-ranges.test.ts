/**
 * A copied history with ERC-2309 ranges, whose rows depend on how blocks were batched when it was written:
 * confirmed however that was, refused where an owner or an end is another one.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { compareAmounts } from '../src/indexing/evm/copied/compare-amounts.ts'
import { compareFacts } from '../src/indexing/evm/copied/compare-facts.ts'
import { compareState } from '../src/indexing/evm/copied/compare-state.ts'
import { expectedRows } from '../src/indexing/evm/copied/expected-rows.ts'
import type { Database } from '../src/store/engine/database.ts'
import { openStore } from '../src/store/open.ts'
import { nftRange } from '../src/store/schema/nft.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { changed } from './copied-chain.ts'
import { history, ingest, rangedUnits } from './ranged-chain.ts'

const { logs } = history(7, 150)

type Copy = { readonly store: Database; readonly dataDir: string }

async function copy(t: TestContext, step: number): Promise<Copy> {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-ranges-'))
  const store = await openStore({ store: 'embedded', dataDir }, 'fuji-ranges', chainTables, 'write')
  t.after(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true })
  })
  await ingest(store, logs, step)
  return { store, dataDir }
}

/** Compares all blocks, so many at a time, and what all of them give. */
async function compareAll({ store, dataDir }: Copy, step: number): Promise<void> {
  for (const { from, units } of await rangedUnits(logs, step)) {
    const batch = decodeBlocks(from, units, (bytes) => bytes)
    const expected = await expectedRows(store, { batch }, from === 0)
    await compareFacts(store, { range: batch, rows: expected.rows, isTraced: false })
    await compareAmounts(store, expected, batch)
  }
  const { signal } = new AbortController()
  await compareState({ database: store, dataDir, pause: async () => undefined, signal }, 0)
}

for (const [written, compared] of [
  [60, 1],
  [1, 60],
  [7, 13],
] as const)
  void test(`ranges: written ${written} blocks at a time, compared ${compared}: confirmed`, async (t) => {
    await compareAll(await copy(t, written), compared)
  })

for (const column of ['owner_id', 'last_item', 'at'])
  void test(`ranges: ${column} of one altered: refused`, async (t) => {
    const altered = await copy(t, 7)
    const value = column === 'last_item' ? new Uint8Array(32).fill(1) : undefined
    const by = 'where owner_id is not null order by at limit 1'
    await changed(altered.store, nftRange, { by, column, ...(value && { value }) })
    await assert.rejects(compareAll(altered, 13), (error: Error) => {
      assert.match(error.message, new RegExp(`table nft_range, column ${column}: `))
      return true
    })
  })
