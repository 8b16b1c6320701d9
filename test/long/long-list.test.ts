/** An address with ten million entries in one segment: pages at both ends and between are right. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { statement } from '../../src/store/engine/database.ts'
import { gatherSegment } from '../../src/store/history/gathered-rows.ts'
import { openStore } from '../../src/store/open.ts'
import { block, transferByAddress } from '../../src/store/schema/evm.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { placesPerBlock } from '../../src/store/schema/sums.ts'

const entries = 10_000_000
const perBlock = 50
const blocks = entries / perBlock
const page = statement(
  `select pos from transfer_by_address where address_id = ? and standard = 20 and pos < ?
   order by pos desc limit 10`,
  { over: 'newest' },
)
const [hash, none] = [new Uint8Array(32), new Uint8Array()]
const posOf = (entry: number): number =>
  Math.floor(entry / perBlock) * placesPerBlock + (entry % perBlock)

void test('long list: ten million entries of an address', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-long-list-'))
  const location = { store: 'embedded', dataDir, freeze: {} }
  const database = await openStore(location, 'one', chainTables, 'write')
  try {
    const history = database.history
    assert.ok(history !== undefined)
    await database.transaction((writer) =>
      gatherSegment({ writer, history }, { stage: 'blocks', from: 0, until: blocks }).then(
        async ({ writer: into, seal }) => {
          // A file that does not begin and end with its range is not opened.
          await into.insert(block, {
            height: [0, blocks - 1],
            hash: [hash, hash],
            hash_prefix: [0, 0],
            timestamp: [0, 0],
            timestamp_ms: [null, null],
            gas_used: [0, 0],
            gas_limit: [none, none],
            gas_cost: [0, 0],
            min_delay_excess: [null, null],
            base_fee: [null, null],
            tx_count: [0, 0],
            first_tx: [0, 0],
            fees: [none, none],
            inputs: [none, none],
          })
          await into.insert(transferByAddress, {
            address_id: new Float64Array(entries).fill(7),
            standard: new Float64Array(entries).fill(20),
            pos: Float64Array.from({ length: entries }, (_, entry) => posOf(entry)),
          })
          await into.insert(transferByAddress, {
            address_id: [6, 8],
            standard: [20, 20],
            pos: [posOf(5), posOf(entries - 1)],
          })
          await seal()
        },
      ),
    )
    const pageBelow = async (pos: number): Promise<unknown[]> =>
      (await database.all(page, [7, pos])).map(([value]) => value)
    const tenBelow = (entry: number): number[] =>
      Array.from({ length: Math.min(10, entry) }, (_, at) => posOf(entry - 1 - at))
    for (const entry of [entries, entries / 2, 12, 4])
      assert.deepEqual(await pageBelow(posOf(entry)), tenBelow(entry), `below entry ${entry}`)
    assert.deepEqual(await pageBelow(0), [])
  } finally {
    await database.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
