/** Blocks freeze by whole ranges, once every stage has committed them and hashes prove them. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'

import { ChainText, usualShape } from '../../bench/evm-chain.ts'
import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import type { RawUnit } from '../../src/codec/evm/raw.ts'
import { freezeNext } from '../../src/indexing/evm/freeze/freeze-stream.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { type FreezeSettings, openStore } from '../../src/store/open.ts'
import type { StoredProofs } from '../../src/store/query/evm/heights.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'

const blocks = 1_100
const digested = chainTables.filter(({ freezes }) => freezes !== undefined)

void test('freezing: whole ranges of what is committed and proven, and nothing else', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-freezing-'))
  const freeze = { rowsPerSegment: 1_000 }
  const database = await openStore(
    { store: 'embedded', dataDir, freeze },
    'one',
    chainTables,
    'write',
  )
  const tables = await openStore({ store: 'embedded', dataDir }, 'two', chainTables, 'write')
  try {
    const chain = new ChainText({ ...usualShape, blocks, txsPerBlock: 2, holders: 200, tokens: 9 })
    const ingests = [await ingestOf(database), await ingestOf(tables)]
    const read = async (from: number, until: number, proofs: StoredProofs): Promise<void> => {
      const raws = Array.from({ length: until - from }, (): RawUnit =>
        JSON.parse(chain.next() ?? ''),
      )
      const batch = decodeBlocks(from, raws, (bytes) => zstdCompressSync(bytes))
      for (const ingest of ingests) await ingest.blocks(batch, { proofs })
    }
    await read(0, 600, { unprovenFrom: 300 })
    // Two ranges of sums are complete, one is proven.
    assert.equal(await ends(database, freeze), '256')
    await read(600, blocks, {})
    // What comes after frozen history follows from it as from rows.
    const before = await storeDigest(tables, digested)
    assert.deepEqual(await storeDigest(database, digested), before)
    const turns = await turnsDuring(async () =>
      assert.equal(await ends(database, freeze), '256 512 768 1024'),
    )
    // Whoever looks at this thread, or wants its status, waits for some thousand rows at most.
    assert.ok(turns > 60, `turns: ${turns}`)
    assert.deepEqual(await storeDigest(database, digested), before)
    // Less than a segment is left.
    assert.equal(await ends(database, { ...freeze, rowsPerSegment: 1 }), '256 512 768 1024')
  } finally {
    await tables.close()
    await database.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

/** Turns of the event loop while `work` is done. */
async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let [turns, isOver] = [0, false]
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}

async function ingestOf(database: Database): Promise<EvmIngest> {
  const lease = await takeLease(database, 'test', systemClock)
  assert.ok(lease !== undefined)
  return new EvmIngest({ database, lease, clock: systemClock })
}

/** Freezes what can be frozen; gives where segments end then. */
async function ends(database: Database, freeze: FreezeSettings): Promise<string> {
  const commit = database.transaction
  const chain = { key: 'one', database, clock: systemClock, log: silentLog, commit }
  while (await freezeNext(chain, freeze));
  return (await segmentsOf(database)).map(({ until }) => until).join(' ')
}
