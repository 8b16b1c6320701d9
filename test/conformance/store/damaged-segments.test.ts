/**
 * Segments that are cut, altered, swapped or gone: named by a check, and a fault for who needs
 * them.
 */

import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { Fault } from '../../../src/core/fault.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import { checkSegments } from '../../../src/store/ice/check-segments.ts'
import { segmentFormat } from '../../../src/store/ice/segment-index.ts'
import { openStore } from '../../../src/store/open.ts'
import { blockByHeight } from '../../../src/store/query/evm/blocks.ts'
import { freezeAt, segmentsOf } from '../../freeze-store.ts'
import { chainTables, demoFilling } from '../../read-demo-chain.ts'
import { newFolder } from '../../stores.ts'

const name = 'evm-51002'
const freeze = { firn: 'test' }

/** Damage to the file of the first segment, whose bytes are given. */
const harms: Readonly<
  Record<string, readonly [(path: string, bytes: Buffer, other: string) => void, RegExp]>
> = {
  'a changed byte': [
    (path, bytes) => {
      bytes[10] = (bytes[10] ?? 0) ^ 1
      writeFileSync(path, bytes)
    },
    /bytes of block are not those written/,
  ],
  'a file cut short': [
    (path, bytes) => writeFileSync(path, bytes.subarray(0, -1)),
    /no segment, or is cut off/,
  ],
  'an empty file': [(path) => writeFileSync(path, ''), /is cut off/],
  'another segment': [
    (path, _, other) => copyFileSync(other, path),
    /another content than its name/,
  ],
  'a format to come': [
    (path, bytes) => {
      bytes.writeUInt32LE(segmentFormat + 1, bytes.length - 44)
      writeFileSync(path, bytes)
    },
    /another format than 3 and 4: 5/,
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
    const [segment, second] = await segmentsOf(first)
    const whole = await blockByHeight(first, 5)
    assert.deepEqual(await checkSegments(first, () => undefined), [])
    await first.close()
    assert.ok(segment !== undefined && second !== undefined && whole?.height === 5)
    const pathOf = (of: string): string => join(dataDir, 'segments', name, `${of}.ice`)
    const bytes = readFileSync(pathOf(segment.name))
    for (const [harm, [harmed, reason]] of Object.entries(harms)) {
      harmed(pathOf(segment.name), Buffer.from(bytes), pathOf(second.name))
      const store = await open()
      const damaged = await checkSegments(store, () => undefined)
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
