/**
 * Blocks of 50,000 transfers, and an address that is in more than a hundred thousand of them: segments
 * hold the rows that tables hold, and a page far down a list is found as the first one is.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'

import { ChainText, plainShape } from '../../bench/evm-chain.ts'
import type { BlockBatch } from '../../src/codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import type { RawUnit } from '../../src/codec/evm/raw.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { transfersOfAddress } from '../../src/store/query/evm/transfers.ts'
import { evmTables } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { placesPerBlock } from '../../src/store/schema/sums.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { mergeAll, segmentsOf } from '../support/stores/freeze-store.ts'
import { storeDigest } from '../support/stores/store-digest.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const transfersPerBlock = 50_000
const blocks = 4

onBothEngines(
  'large blocks: frozen at once, merged and listed to the end',
  [],
  async ({ location: { store } }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'firn-large-'))
    const freeze = {}
    const frozen = await openStore({ store, dataDir, freeze }, 'one', chainTables, 'write')
    const tables = await openStore({ store, dataDir }, 'two', chainTables, 'write')
    try {
      const ingests = [await ingestOf(frozen), await ingestOf(tables)]
      // How often the most frequent address is an end of a transfer, counted in the batches.
      const seen = new Map<string, number>()
      for (const batch of largeBlocks()) {
        assert.equal(batch.transfers.count, transfersPerBlock)
        countEnds(batch, seen)
        for (const ingest of ingests) await ingest.blocks(batch)
      }
      assert.equal((await segmentsOf(frozen)).length, blocks)
      assert.deepEqual(await storeDigest(frozen, evmTables), await storeDigest(tables, evmTables))
      await mergeAll(frozen, (segments) => (segments.length > 2 ? segments : []))
      assert.equal((await segmentsOf(frozen)).length, 1)
      assert.deepEqual(await storeDigest(frozen, evmTables), await storeDigest(tables, evmTables))
      const [address = '', count = 0] = [...seen].toSorted((a, b) => b[1] - a[1])[0] ?? []
      assert.ok(count > 100_000, `${count} transfers of one address`)
      assert.equal(await listed(frozen, address), count)
    } finally {
      await tables.close()
      await frozen.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
)

function* largeBlocks(): Generator<BlockBatch> {
  const shape = { ...plainShape, txsPerBlock: transfersPerBlock / 5, holders: 3, tokens: 2, blocks }
  const chain = new ChainText(shape)
  for (let height = 0; height < blocks; height++) {
    const unit: RawUnit = JSON.parse(chain.next() ?? '')
    yield decodeBlocks(height, [unit], (bytes) => zstdCompressSync(bytes))
  }
}

function countEnds({ addresses, transfers }: BlockBatch, seen: Map<string, number>): void {
  const add = (place: number): void => {
    const address = Buffer.from(addresses.subarray(place * 20, place * 20 + 20)).toString('hex')
    seen.set(address, (seen.get(address) ?? 0) + 1)
  }
  for (const [row, from] of transfers.from.entries()) {
    const to = transfers.to[row] ?? from
    add(from)
    if (to !== from) add(to)
  }
}

async function ingestOf(database: Database): Promise<EvmIngest> {
  const lease = await takeLease(database, 'test', systemClock)
  assert.ok(lease !== undefined)
  const history = database.history
  const parts = { database, lease, clock: systemClock }
  if (history === undefined) return new EvmIngest(parts)
  return new EvmIngest({
    ...parts,
    freezing: {
      history,
      leastRows: transfersPerBlock,
      mostRowsBefore: transfersPerBlock,
      rowsInTables: 0,
    },
  })
}

const idOf = statement('select id from address where bytes = ?')

/** Entries of the list of an address, read page by page to its end. */
async function listed(store: Database, address: string): Promise<number> {
  const addressId = Number((await store.get(idOf, [Buffer.from(address, 'hex')]))?.[0])
  let count = 0
  let until = (blocks + 1) * placesPerBlock
  for (;;) {
    const range = { from: 0, until }
    const rows = await transfersOfAddress(store, { addressId, standard: 20, range, limit: 5_000 })
    const last = rows.at(-1)
    if (last === undefined) return count
    for (const [at, { pos }] of rows.entries())
      assert.ok(pos < (rows[at - 1]?.pos ?? until), 'newest first, each once')
    count += rows.length
    until = last.pos
  }
}
