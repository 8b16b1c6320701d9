/**
 * Segments that are cut, altered, swapped or gone: named by a check, and a fault for who needs
 * them.
 */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

import { Fault } from '../../src/core/fault.ts'
import { checkStream } from '../../src/indexing/stream/check-stream.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { checkSegments } from '../../src/store/history/check-segments.ts'
import { identityName } from '../../src/store/history/segment-bytes.ts'
import { openStore } from '../../src/store/open.ts'
import { blockByHeight } from '../../src/store/query/evm/blocks.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { systemClock } from '../support/processes/system-clock.ts'
import { freezeAt, segmentsOf } from '../support/stores/freeze-store.ts'
import { newFolder } from '../support/stores/stores.ts'

const name = 'evm-51002'
const freeze = {}

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

/** Harm to the files of the first two segments that opening them tells, and its words. */
const seenAtOnce: Readonly<
  Record<string, readonly [(first: string, second: string) => void, RegExp]>
> = {
  'no file': [(first) => rmSync(first), /segment is missing: /],
  'an empty file': [(first) => writeFileSync(first, ''), /is empty or cut short: /],
  'a file cut short': [(first) => truncateSync(first, 8_192), /is empty or cut short: /],
  'a link': [
    (first) => {
      renameSync(first, `${first}.kept`)
      symlinkSync(`${first}.kept`, first)
    },
    /is a link or a folder, not a file: /,
  ],
  'a file of other blocks': [
    (first, second) => copyFileSync(second, first),
    /is of other blocks than 0 to 59: /,
  ],
  'a row that SQLite changed': [
    (first) => {
      const file = new DatabaseSync(first)
      file.exec('update evm_block set timestamp = timestamp + 1 where height = 5')
      file.close()
    },
    /was changed after it was written: /,
  ],
  'another folder': [
    (first) => writeFileSync(join(dirname(first), identityName), randomUUID()),
    /folder of segments is not the one that the store was written with: /,
  ],
}

void test('segments: the error names what is wrong with a file, and no wrong row is read', async () => {
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

void test('segments: damage that opening finds is reported before any query, and its file is not read', async () => {
  for (const [harm, [harmed, words]] of Object.entries(seenAtOnce)) {
    const dataDir = await newFolder(demoFilling(50, 51_002))
    const location = { store: 'embedded', dataDir, freeze }
    try {
      const first = await openStore(location, name, chainTables, 'write')
      await freezeAt(first, [60, 100])
      const files = (await segmentsOf(first)).map((each) =>
        join(dataDir, 'segments', name, `${each.name}.sqlite`),
      )
      // A reader that has the file open, too, is to see that it was changed.
      const reader = await openStore(location, name, chainTables, 'read')
      const history = reader.history
      assert.deepEqual(await history?.problems(reader), [])
      await first.close()
      harmed(files[0] ?? '', files[1] ?? '')
      const fresh = await openStore(location, name, chainTables, 'read')
      for (const store of [reader, fresh]) {
        const problems = (await store.history?.problems(store)) ?? []
        assert.match(problems.join('; '), words, harm)
      }
      if (harm !== 'another folder')
        await assert.rejects(async () => blockByHeight(fresh, 5), words, harm)
      await fresh.close()
      await reader.close()
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
})

void test('segments: the file of another chain is recognised by the numbers of its transactions', async () => {
  const dataDirs = await Promise.all(
    [51_002, 51_001].map((chain) => newFolder(demoFilling(50, chain === 51_002 ? 51_002 : 51_001))),
  )
  try {
    const [own = '', other = ''] = await Promise.all(
      dataDirs.map(async (dataDir, at) => {
        const store = await openStore(
          { store: 'embedded', dataDir, freeze },
          `evm-${51_002 - at}`,
          chainTables,
          'write',
        )
        await freezeAt(store, [20, 40, 60, 80, 100])
        const [, , third] = await segmentsOf(store)
        await store.close()
        return join(dataDir, 'segments', `evm-${51_002 - at}`, `${third?.name}.sqlite`)
      }),
    )
    copyFileSync(other, own)
    const store = await openStore(
      { store: 'embedded', dataDir: dataDirs[0] ?? '', freeze },
      name,
      chainTables,
      'read',
    )
    const problems = (await store.history?.problems(store)) ?? []
    assert.deepEqual(problems, [`segment does not continue those beside it: ${own}`])
    await assert.rejects(async () => blockByHeight(store, 45), /does not continue those beside it/)
    assert.equal((await blockByHeight(store, 30))?.height, 30)
    await store.close()
  } finally {
    for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true })
  }
})

void test('segments: a segment that a check found altered is read by no process until it is whole again', async () => {
  const dataDir = await newFolder(demoFilling(50, 51_002))
  const location = { store: 'embedded', dataDir, freeze }
  try {
    const writer = await openStore(location, name, chainTables, 'write')
    await freezeAt(writer, [60, 100])
    const reader = await openStore(location, name, chainTables, 'read')
    const whole = await blockByHeight(reader, 5)
    const [segment] = await segmentsOf(writer)
    const path = join(dataDir, 'segments', name, `${segment?.name}.sqlite`)
    const bytes = readFileSync(path)
    const altered = Buffer.from(bytes)
    // The end of a page that holds rows: neither header nor structure tell.
    altered[altered.length - 20] = (altered[altered.length - 20] ?? 0) ^ 1
    const checked = async (): Promise<string | undefined> => {
      const done = new AbortController()
      const stream = checkStream({
        database: writer,
        tables: chainTables,
        key: name,
        log: silentLog,
        commit: (work) => writer.transaction(work),
        clock: { ...systemClock, sleep: async (ms) => (ms > 1_000_000 ? done.abort() : undefined) },
      })
      await stream.run(done.signal)
      // Readers look at the list of segments once a turn.
      await turn()
      return stream.status().reason
    }
    writeFileSync(path, altered)
    assert.match((await checked()) ?? '', /damaged: segment /)
    await assert.rejects(async () => blockByHeight(reader, 5), /has other bytes than were written/)
    assert.equal((await blockByHeight(reader, 70))?.height, 70)
    writeFileSync(path, bytes)
    assert.equal(await checked(), undefined)
    assert.deepEqual(await blockByHeight(reader, 5), whole)
    await reader.close()
    await writer.close()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
