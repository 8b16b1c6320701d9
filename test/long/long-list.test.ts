/** An address with ten million entries in one segment: pages at both ends and between are right. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { statement } from '../../src/store/engine/database.ts'
import { stageOf } from '../../src/store/engine/table.ts'
import { GatheredRows } from '../../src/store/ice/gathered-rows.ts'
import { iceOf } from '../../src/store/ice/ice.ts'
import { writeManifest } from '../../src/store/ice/manifest.ts'
import { SegmentWriter } from '../../src/store/ice/segment-writer.ts'
import { openStore } from '../../src/store/open.ts'
import { transferByAddress } from '../../src/store/schema/evm.ts'
import { placesPerBlock } from '../../src/store/schema/places.ts'
import { chainTables } from '../../src/store/schema/stores.ts'

const entries = 10_000_000
const perBlock = 50
const blocks = entries / perBlock
const page = statement(
  `select pos from transfer_by_address where address_id = ? and standard = 20 and pos < ?
   order by pos desc limit 10`,
)
const posOf = (entry: number): number =>
  Math.floor(entry / perBlock) * placesPerBlock + (entry % perBlock)

void test('long list: ten million entries of an address', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'firn-long-list-'))
  const location = { store: 'embedded', dataDir, freeze: { firn: 'test' } }
  const database = await openStore(location, 'one', chainTables, 'write')
  try {
    const ice = iceOf(database)
    assert.ok(ice !== undefined)
    const rows = new GatheredRows('blocks')
    const draft = ice.draft()
    const made = new SegmentWriter(draft)
    const heights = { from: 0, until: blocks, parentHash: '', lastHash: '' }
    await database.transaction(async (writer) => {
      const into = rows.writer(writer)
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
      for (const table of chainTables) if (stageOf(table) === 'blocks') await rows.pack(made, table)
      const { name } = made.finish({ store: 'one', genesisHash: '', firn: 'test', ...heights })
      await writeManifest(writer, [{ stage: 'blocks', from: 0, until: blocks, name, tier: 0 }])
    })
    ice.drafted(draft)
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
