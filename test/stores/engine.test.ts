import assert from 'node:assert/strict'

import { Fault } from '../../src/core/fault.ts'
import { type Database, type Row, statement, type Value } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import { checkpoint, controlTables } from '../../src/store/schema/control.ts'
import { table, type Table } from '../../src/store/schema/table.ts'
import { laterLayouts } from '../support/stores/later-layouts.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const facts: Table = table(
  'facts',
  {
    pos: 'integer',
    small: 'integer?',
    coins: 'amount?',
    raw: 'bytes?',
    words: 'text?',
  },
  {
    key: ['pos'],
    layout: 'rows',
    indexes: [{ name: 'facts_words', columns: ['words'], unique: true, where: 'small = 1' }],
  },
)
const pairs = table(
  'pairs',
  { left_id: 'integer', right_id: 'integer', value: 'bytes' },
  { key: ['left_id', 'right_id'], layout: 'keyed' },
)
const tables = [facts, pairs]

const everything = statement('select pos, small, raw, words from facts order by pos')
const coins = statement<string>('select coins from facts order by pos', {
  bigints: true,
  over: undefined,
})
const pairRows = statement('select left_id, right_id, value from pairs order by left_id, right_id')

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)
const code = (wanted: string) => (error: unknown) => error instanceof Fault && error.code === wanted

/** Rows as a column per name. */
function columnsOf(names: readonly string[], rows: readonly Row[]): Record<string, Value[]> {
  return Object.fromEntries(names.map((name, at) => [name, rows.map((row) => row[at] ?? null)]))
}

onBothEngines(
  'store: what is written is what is read, at the edges of every type',
  tables,
  async (store) => {
    const database = await store.open('write')
    const rows: Row[] = [
      [0, null, null, null, null],
      [1, 0, 0n, bytes(), ''],
      [2, -1, 1n, bytes(0), 'it\'s "quoted" \\ ? ü 雪'],
      [3, 2 ** 32, 720_000_000_000_000_000n, bytes(255, 0, 255), 'x'.repeat(70_000)],
      [2 ** 53 - 1, -(2 ** 53) + 1, 2n ** 63n - 1n, new Uint8Array(40_000).fill(7), '\u0001'],
    ]
    const names = ['pos', 'small', 'coins', 'raw', 'words']
    await database.transaction((writer) => writer.insert(facts, columnsOf(names, rows)))
    const without = rows.map((row) => row.filter((_, at) => at !== 2))
    assert.deepEqual(await database.all(everything), without)
    assert.deepEqual(
      await database.all(coins),
      rows.map((row) => [row[2]]),
    )
  },
)

onBothEngines(
  'store: thousands of rows at once are what is read; a key among them that exists is a fault',
  tables,
  async (store) => {
    const database = await store.open('write')
    const edges: Row[] = [
      [null, null, null, null],
      [0, 0n, bytes(), ''],
      [-1, 1n, bytes(0), 'it\'s "quoted" \\ ? ü 雪\t\n'],
      [2 ** 32, 720_000_000_000_000_000n, bytes(255, 0, 255), 'x'.repeat(7_000)],
      [-(2 ** 53) + 1, 2n ** 63n - 1n, new Uint8Array(4_000).fill(7), '\u0001'],
    ]
    const rows = Array.from({ length: 25_000 }, (_, at): Row => {
      // Long values now and then only, for the sake of time.
      const edge = edges[at % 100 < 5 ? at % 100 : at % 3] ?? []
      return [at, ...edge.slice(0, 3), edge[3] === null ? null : `${edge[3]}${at}`]
    })
    const names = ['pos', 'small', 'coins', 'raw', 'words']
    await database.transaction((writer) => writer.insert(facts, columnsOf(names, rows)))
    const again = [[25_000, null, null, null, null], ...rows.slice(24_000)]
    await assert.rejects(
      database.transaction((writer) => writer.insert(facts, columnsOf(names, again))),
      code('store-failed'),
    )
    const wrong = rows.slice(0, 1_000).map(([pos]) => [Number(pos) + 30_000, 'no integer'])
    await assert.rejects(async () =>
      database.transaction((writer) => writer.insert(facts, columnsOf(['pos', 'small'], wrong))),
    )
    const without = rows.map((row) => row.filter((_, at) => at !== 2))
    assert.deepEqual(await database.all(everything), without)
    assert.deepEqual(
      await database.all(coins),
      rows.map((row) => [row[2]]),
    )
  },
)

onBothEngines('store: parameters of every type find their rows', tables, async (store) => {
  const database = await store.open('write')
  await database.transaction((writer) =>
    writer.insert(facts, {
      pos: [1, 2, 3],
      coins: [5n, 6n, null],
      raw: [bytes(1), bytes(2), null],
      words: ['a', 'b?', null],
    }),
  )
  const cases: [string, Value, number][] = [
    ['pos >= ?', 3, 3],
    ['coins = ?', 6n, 2],
    ['raw = ?', bytes(1), 1],
    ['words = ?', 'b?', 2],
  ]
  for (const [condition, value, expected] of cases) {
    const question = statement(`select pos from facts where ${condition} and '?' = '?' limit ?`)
    assert.deepEqual(await database.get(question, [value, 1]), [expected], condition)
  }
  assert.equal(await database.get(statement('select pos from facts where pos = ?'), [9]), undefined)
  assert.deepEqual(await database.get(statement('select sum(pos), count(*) from facts')), [6, 3])
})

onBothEngines('store: bytes and text are ordered by their bytes', tables, async (store) => {
  const database = await store.open('write')
  const raw = [bytes(2), bytes(1, 255), bytes(1), bytes(), bytes(255)]
  const words = ['b', 'B', 'ä', 'a', '_']
  await database.transaction((writer) => writer.insert(facts, { pos: [0, 1, 2, 3, 4], raw, words }))
  const order = async (column: string) =>
    (await database.all(statement(`select pos from facts order by ${column}`))).map(([pos]) => pos)
  assert.deepEqual(await order('raw'), [3, 2, 1, 0, 4])
  assert.deepEqual(await order('words'), [1, 4, 3, 0, 2])
})

onBothEngines(
  'store: a failing transaction leaves nothing, and the next one works',
  tables,
  async (store) => {
    const database = await store.open('write')
    const value = [bytes(1)]
    const failing = database.transaction(async (writer) => {
      await writer.insert(pairs, { left_id: [1], right_id: [1], value })
      await writer.insert(pairs, { left_id: [1], right_id: [1], value })
    })
    await assert.rejects(failing, code('store-failed'))
    const thrown = database.transaction(async (writer) => {
      await writer.insert(pairs, { left_id: [2], right_id: [2], value })
      throw new Fault('bad-bytes', 'reason')
    })
    await assert.rejects(thrown, code('bad-bytes'))
    await database.transaction((writer) =>
      writer.insert(pairs, { left_id: [3], right_id: [3], value }),
    )
    assert.deepEqual(await database.all(pairRows), [[3, 3, bytes(1)]])
  },
)

onBothEngines(
  'store: readers see the state before a transaction until it commits',
  tables,
  async (store) => {
    const database = await store.open('write')
    const reader = await store.open('read')
    await database.transaction(async (writer) => {
      await writer.insert(pairs, { left_id: [1], right_id: [1], value: [bytes(1)] })
      assert.equal((await writer.all(pairRows)).length, 1, 'the writer itself')
      assert.equal((await database.all(pairRows)).length, 0, 'a read beside it')
      assert.equal((await reader.all(pairRows)).length, 0, 'another connection')
    })
    assert.equal((await database.all(pairRows)).length, 1)
    assert.equal((await reader.all(pairRows)).length, 1)
  },
)

onBothEngines(
  'store: transactions requested at once run one after the other',
  tables,
  async (store) => {
    const database = await store.open('write')
    const counted = statement('select count(*) from pairs')
    const seen = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        database.transaction(async (writer) => {
          const before = await writer.get(counted)
          await writer.insert(pairs, { left_id: [at], right_id: [0], value: [bytes()] })
          return before?.[0]
        }),
      ),
    )
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7])
  },
)

onBothEngines(
  'store: insertNew keeps, upsert replaces the named columns, update changes them',
  tables,
  async (store) => {
    const database = await store.open('write')
    await database.transaction(async (writer) => {
      await writer.insert(facts, { pos: [1, 2], small: [10, 20], words: ['a', 'b'] })
      await writer.insertNew(facts, { pos: [2, 3], small: [99, 30], words: ['z', 'c'] })
      await writer.upsert(facts, { pos: [3, 4], words: ['C', 'd'] })
      await writer.update(facts, { pos: [1, 9], small: [11, 0] })
      await writer.insertNew(pairs, { left_id: [], right_id: [], value: [] })
    })
    assert.deepEqual(await database.all(everything), [
      [1, 11, null, 'a'],
      [2, 20, null, 'b'],
      [3, 30, null, 'C'],
      [4, null, null, 'd'],
    ])
  },
)

onBothEngines('store: remove takes away the rows with these keys', tables, async (store) => {
  const database = await store.open('write')
  const left = Array.from({ length: 1_000 }, (_, at) => at)
  const right = left.map((at) => at % 7)
  await database.transaction(async (writer) => {
    const value = left.map(() => bytes(1))
    await writer.insert(pairs, { left_id: left, right_id: right, value })
    const odd = left.filter((at) => at % 2 === 1)
    await writer.remove(pairs, { left_id: odd, right_id: odd.map((at) => at % 7) })
    // Keys no row has change nothing.
    await writer.remove(pairs, { left_id: [0, 2_000], right_id: [1, 0] })
    await writer.remove(pairs, { left_id: [], right_id: [] })
  })
  const rows = await database.all(statement('select left_id from pairs order by left_id'))
  assert.deepEqual(
    rows.map(([id]) => id),
    left.filter((at) => at % 2 === 0),
  )
})

onBothEngines('store: run tells how many rows it changed', tables, async (store) => {
  const database = await store.open('write')
  await database.transaction(async (writer) => {
    await writer.insert(facts, { pos: [1, 2, 3] })
    assert.equal(await writer.run(statement('update facts set small = ? where pos > ?'), [5, 1]), 2)
    assert.equal(await writer.run(statement('delete from facts where small = ?'), [6]), 0)
  })
})

onBothEngines(
  'store: lookup gives one row per key in their order, the last row on request',
  tables,
  async (store) => {
    const database = await store.open('write')
    await database.transaction((writer) =>
      writer.insert(pairs, {
        left_id: [1, 1, 2],
        right_id: [10, 20, 5],
        value: [bytes(1), bytes(2), bytes(3)],
      }),
    )
    const exact = { table: pairs, key: ['left_id', 'right_id'], select: ['value'] }
    assert.deepEqual(
      await database.lookup(exact, [
        [2, 7, 1, 2],
        [5, 7, 10, 5],
      ]),
      [[bytes(3)], undefined, [bytes(1)], [bytes(3)]],
    )
    const newest = {
      table: pairs,
      key: ['left_id'],
      select: ['right_id', 'value'],
      last: 'right_id',
    }
    assert.deepEqual(await database.lookup(newest, [[3, 1, 2]]), [
      undefined,
      [20, bytes(2)],
      [5, bytes(3)],
    ])
    assert.deepEqual(await database.lookup(newest, [[]]), [])
    const bounds = [
      [1, 1, 1, 2],
      [9, 10, 19, 30],
    ]
    assert.deepEqual(await database.lookup({ ...newest, isBounded: true }, bounds), [
      undefined,
      [10, bytes(1)],
      [10, bytes(1)],
      [5, bytes(3)],
    ])
  },
)

onBothEngines('store: lookup answers any number of keys', tables, async (store) => {
  const database = await store.open('write')
  const stored = Array.from({ length: 600 }, (_, at) => at * 2)
  await database.transaction((writer) => writer.insert(facts, { pos: stored }))
  const byPos = { table: facts, key: ['pos'], select: ['pos'] }
  for (const count of [1, 2, 4, 5, 16, 17, 64, 65, 256, 257, 300, 600]) {
    const keys = Array.from({ length: count }, (_, at) => at)
    const expected = keys.map((key) => (key % 2 === 0 ? [key] : undefined))
    assert.deepEqual(await database.lookup(byPos, [keys]), expected, `${count} keys`)
  }
})

onBothEngines('store: many rows in one call', tables, async (store) => {
  const database = await store.open('write')
  const count = 45_001 // Over two statements' worth on PostgreSQL.
  const ids = Array.from({ length: count }, (_, at) => at)
  await database.transaction((writer) =>
    writer.insert(pairs, {
      left_id: Float64Array.from(ids),
      right_id: Uint32Array.from(ids),
      value: ids.map((id) => bytes(id % 256)),
    }),
  )
  const rows = await database.lookup(
    { table: pairs, key: ['left_id'], select: ['right_id', 'value'] },
    [ids],
  )
  assert.ok(rows.every((row, at) => row?.[0] === at))
  assert.deepEqual(rows[45_000]?.[1], bytes(45_000 % 256))
})

onBothEngines('store: unique indexes hold where their condition does', tables, async (store) => {
  const database = await store.open('write')
  await database.transaction((writer) =>
    writer.insert(facts, { pos: [1, 2], small: [0, 0], words: ['a', 'a'] }),
  )
  const second = database.transaction((writer) =>
    writer.insert(facts, { pos: [3, 4], small: [1, 1], words: ['a', 'a'] }),
  )
  await assert.rejects(second, code('store-failed'))
})

onBothEngines('store: integers beyond a double are refused, not rounded', tables, async (store) => {
  const database = await store.open('write')
  await database.transaction((writer) => writer.insert(facts, { pos: [1], coins: [2n ** 53n] }))
  const question = statement('select coins from facts')
  await assert.rejects(async () => database.all(question), code('store-failed'))
})

onBothEngines('store: wrong columns are faults', tables, async (store) => {
  const database = await store.open('write')
  for (const columns of [{ pos: [1], other: [1] }, { pos: [1, 2], small: [1] }, { small: [1] }]) {
    const work = database.transaction((writer) => writer.insert(facts, columns))
    await assert.rejects(work, code('store-failed'), Object.keys(columns).join())
  }
})

onBothEngines(
  'store: a reader cannot write and finds only stores that exist',
  tables,
  async (store) => {
    await assert.rejects(store.open('read'), code('store-failed'))
    await store.open('write')
    const reader = await store.open('read')
    const work = reader.transaction((writer) => writer.insert(facts, { pos: [1] }))
    await assert.rejects(work, code('store-failed'))
  },
)

onBothEngines(
  'store: what was written is there after closing and opening',
  tables,
  async (store) => {
    const first = await store.open('write')
    await first.transaction((writer) => writer.insert(facts, { pos: [1] }))
    const before = await first.sizeBytes()
    const numbers = Array.from({ length: 5_000 }, (_, at) => at)
    assert.ok(before > 0)
    await first.transaction((writer) =>
      writer.insert(pairs, {
        left_id: numbers,
        right_id: numbers,
        value: numbers.map((at) => new Uint8Array(100).fill(at)),
      }),
    )
    // On Citus the rows lie on another server than the one that gets the query.
    const grown = (await first.sizeBytes()) - before
    assert.ok(grown > 5_000 * 100 && grown < 5_000 * 400, `grown by ${grown}`)
    await first.close()
    const second = await store.open('write')
    assert.deepEqual(await second.all(everything), [[1, null, null, null]])
    const reader = await store.open('read')
    assert.equal((await reader.all(everything)).length, 1)
  },
)

onBothEngines(
  'store: one that a newer version has taken something from is left as it is',
  [...controlTables],
  async (store) => {
    await (await store.open('write', { layouts: laterLayouts('takes') })).close()
    for (const mode of ['read', 'write'] as const)
      await assert.rejects(store.open(mode), (error) => {
        assert.ok(error instanceof Fault)
        assert.equal(error.code, 'store-version')
        const place = store.engine === 'sqlite' ? `\\S+/${store.name}.sqlite` : 'schema \\S+'
        // The older program must not advise to delete what the newer one wrote.
        const words = `^store ${store.name} was written by version \\S+ of Firn \\(layout \\d+\\): start that version; this one leaves ${place} as it is$`
        assert.match(error.message, new RegExp(words))
        return true
      })
  },
)

onBothEngines(
  'store: one to which a newer version has added is read, and not written',
  [...controlTables],
  async (store) => {
    const layouts = laterLayouts('adds')
    await (await store.open('write')).close()
    // Nothing of the layout before is read before a writer has brought it to the next.
    await assert.rejects(store.open('read', { layouts }), (error) => {
      assert.ok(error instanceof Fault)
      assert.equal(error.code, 'store-failed')
      assert.match(
        error.message,
        /has layout \d+: a process of this version that indexes brings it/,
      )
      return true
    })
    await (await store.open('write', { layouts })).close()
    await (await store.open('read', { layouts })).close()
    await (await store.open('read')).close()
    await assert.rejects(
      store.open('write'),
      (error) => error instanceof Fault && error.code === 'store-version',
    )
  },
)

onBothEngines(
  'store: one that a newer version has left as it was is read and written by both',
  tables,
  async (store) => {
    const layouts = laterLayouts('adds')
    await (await store.open('write')).close()
    await (await store.open('read', { layouts })).close()
    await (await store.open('write', { layouts })).close()
    await (await store.open('write')).close()
    await (await store.open('write', { layouts })).close()
  },
)

onBothEngines(
  'store: one that holds blocks and lacks a table is refused in one sentence',
  [...controlTables],
  async (store) => {
    const shape = { key: ['id'], layout: 'rows' } as const
    const later = table('later', { id: 'integer' }, { ...shape, sums: {} })
    const opened = (): Promise<Database> =>
      openStore(store.location, store.name, [...controlTables, later], 'write')
    const old = await store.open('write')
    // As long as nothing is in it, it is as good as new.
    await (await openStore(store.location, store.name, [...controlTables, later], 'write')).close()
    await old.transaction((writer) => writer.run(statement('drop table later')))
    await old.transaction((writer) =>
      writer.insert(checkpoint, { stage: ['blocks'], height: [7], hash: [null], epoch: [1] }),
    )
    await assert.rejects(opened, (error) => {
      assert.ok(error instanceof Fault)
      assert.equal(error.code, 'store-version')
      assert.match(error.message, /a version before 1.0 \(no table later\): delete /)
      return true
    })
    const plain = table('plain', { id: 'integer' }, shape)
    await (await openStore(store.location, store.name, [...controlTables, plain], 'write')).close()
  },
)

onBothEngines(
  'store: a table with other columns is refused in one sentence',
  tables,
  async (store) => {
    const old = table('drifted', { id: 'integer', a: 'text' }, { key: ['id'], layout: 'rows' })
    const shape = { key: ['id'], layout: 'rows' } as const
    const indexes = [{ name: 'drifted_by_b', columns: ['b'] }]
    const made = table('drifted', { id: 'integer', b: 'text' }, { ...shape, indexes })
    await (await openStore(store.location, store.name, [old], 'write')).close()
    await assert.rejects(openStore(store.location, store.name, [made], 'write'), (error) => {
      assert.ok(error instanceof Fault)
      assert.equal(error.code, 'store-version')
      assert.match(error.message, /\(drifted has no b\)/)
      return true
    })
    await (await openStore(store.location, store.name, [old], 'write')).close()
  },
)

onBothEngines(
  'store: one claim at a time, free again when its holder closes',
  tables,
  async (store) => {
    const first = await store.open('write')
    const second = await store.open('write')
    assert.equal(await first.claim(1), true)
    assert.equal(await first.claim(1), true, 'asked again')
    assert.equal(await second.claim(1), false)
    assert.equal(await second.claim(2), true, 'of another epoch')
    await first.unclaim(1)
    assert.equal(await second.claim(1), true)
    assert.equal(await first.claim(1), false)
    await second.close()
    assert.equal(await first.claim(1), true)
    assert.equal(await first.claim(2), true)
  },
)
