/**
 * Segments that are cut, altered, swapped or gone: named by a check, and a fault for who needs
 * them.
 */

import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { Fault } from '../../src/core/fault.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { checkSegments } from '../../src/store/history/merge-segments.ts'
import { openStore } from '../../src/store/open.ts'
import { blockByHeight } from '../../src/store/query/evm/blocks.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { freezeAt, segmentsOf } from '../support/stores/freeze-store.ts'
import { newFolder } from '../support/stores/stores.ts'

const name = 'evm-51002'
const freeze = { firn: 'test' }

/** Damage to the file of the first segment, whose bytes are given. */
const harms: Readonly<Record<string, readonly [(path: string, bytes: Buffer) => void, RegExp]>> = {
  'a changed byte': [
    (path, bytes) => {
      bytes[10] = (bytes[10] ?? 0) ^ 1
      writeFileSync(path, bytes)
    },
    /has other bytes than were written/,
  ],
  'a file cut short': [
    (path, bytes) => writeFileSync(path, bytes.subarray(0, 3_000)),
    /has other bytes than were written/,
  ],
  'an empty file': [(path) => writeFileSync(path, ''), /has other bytes than were written/],
  'a table more': [
    (path) => {
      const file = new DatabaseSync(path)
      file.exec('create view foreign_view as select 1')
      file.close()
    },
    /has other bytes than were written/,
  ],
  'no file': [(path) => rmSync(path), /^segment is missing: /],
}

void test('segments: what is wrong with a file is said, and no wrong row is given', async () => {
  const dataDir = await newFolder(demoFilling(50, 51_002))
  const open = (): Promise<Database> =>
    openStore({ store: 'embedded', dataDir, freeze }, name, chainTables, 'write')
  try {
    const first = await open()
    await freezeAt(first, [60, 100])
    const [segment] = await segmentsOf(first)
    const whole = await blockByHeight(first, 5)
    assert.deepEqual(await checkSegments(first, { progress: () => undefined }), [])
    await first.close()
    assert.ok(segment !== undefined && whole?.height === 5)
    const pathOf = (of: string): string => join(dataDir, 'segments', name, `${of}.sqlite`)
    const bytes = readFileSync(pathOf(segment.name))
    for (const [harm, [harmed, reason]] of Object.entries(harms)) {
      harmed(pathOf(segment.name), Buffer.from(bytes))
      const store = await open()
      const damaged = await checkSegments(store, { progress: () => undefined })
      assert.deepEqual(
        damaged.map((each) => each.name),
        [segment.name],
        harm,
      )
      assert.match(damaged[0]?.reason ?? '', reason, harm)
      // Tables answer what they hold.
      assert.equal((await blockByHeight(store, 120))?.height, 120, harm)
      await assert.rejects(
        async () => blockByHeight(store, 5),
        (error) => error instanceof Fault && /store-(failed|version)/.test(error.code),
        harm,
      )
      await store.close()
    }
    writeFileSync(pathOf(segment.name), bytes)
    const mended = await open()
    assert.deepEqual(await blockByHeight(mended, 5), whole)
    await mended.close()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
