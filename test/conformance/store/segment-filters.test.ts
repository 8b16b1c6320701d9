/**
 * Filters of segments: what is asked of an address or a token is answered as without them, and a segment
 * that does not know it is left before any of its rows is read.
 */

import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { Fault } from '../../../src/core/fault.ts'
import { type Database, type Row, statement } from '../../../src/store/engine/database.ts'
import { checkSegments } from '../../../src/store/ice/check-segments.ts'
import { leadsWithId, shapesOf } from '../../../src/store/ice/frozen-shape.ts'
import { iceOf } from '../../../src/store/ice/ice.ts'
import { unfilteredFormat } from '../../../src/store/ice/segment-index.ts'
import { Segment } from '../../../src/store/ice/segment.ts'
import { openStore } from '../../../src/store/open.ts'
import { balance, evmTables } from '../../../src/store/schema/evm.ts'
import { freezeAt, mergeAll, segmentsOf } from '../../freeze-store.ts'
import { chainTables, demoFilling } from '../../read-demo-chain.ts'
import { storeDigest } from '../../store-digest.ts'
import { newFolder } from '../../stores.ts'

const name = 'evm-51002'
const heights = [2, 4, 8, 20, 40, 80, 120, 140]
const digested = evmTables.filter(({ freezes }) => freezes !== undefined)
const filtered = digested.flatMap(shapesOf).filter(leadsWithId)

/** Written by the last commit whose segments had no filters, of heights 0 to 2 of this chain. */
const older = join(import.meta.dirname, '../../../vectors/segments/format-3.ice')

/** Lists by what a filter has, and a look into history. */
const lists: Readonly<Record<string, string>> = {
  tx_by_address: 'select pos from tx_by_address where address_id = ? order by pos desc limit 1000',
  transfer_by_address: `select t.pos, t.value from transfer_by_address a join transfer t on t.pos = a.pos
    where a.address_id = ? and a.standard = 20 order by a.pos desc limit 1000`,
  transfer_by_token: 'select pos from transfer_by_token where token_id = ? order by pos limit 1000',
  internal_by_address:
    'select pos from internal_by_address where address_id = ? order by pos desc limit 1000',
  balance: `select token_id, height, value, negative from balance
    where address_id = ? order by token_id, height`,
  holding:
    'select address_id, since from holding where token_id = ? order by address_id limit 1000',
}

async function opened(dataDir: string): Promise<Database> {
  const location = { store: 'embedded', dataDir, freeze: { firn: 'test' } }
  return openStore(location, name, chainTables, 'write')
}

async function withStore(work: (store: Database, dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await newFolder(demoFilling(50, 51_002))
  try {
    const store = await opened(dataDir)
    await work(store, dataDir)
    await store.close()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** All that is asked of some ids, and of one that nobody has, as text. */
async function answers(store: Database): Promise<string[]> {
  const last = Number((await store.get(statement('select max(id) from address')))?.[0])
  const step = Math.ceil(last / 100)
  const some = Array.from({ length: Math.floor(last / step) }, (_, at) => 1 + at * step)
  const all: string[] = []
  for (const [table, text] of Object.entries(lists)) {
    const question = statement(text)
    for (const id of [...some, 1_000_000])
      all.push(`${table} ${id}: ${textOf(await store.all(question, [id]))}`)
  }
  return all
}

function textOf(rows: readonly Row[]): string {
  const textIn = (value: unknown): string =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
  return rows.map((row) => row.map(textIn).join(' ')).join(', ')
}

void test('filters: every table whose key begins with an address or a token has one', () => {
  assert.deepEqual(filtered.map((shape) => shape.name).toSorted(), Object.keys(lists).toSorted())
})

void test('filters: answers are those of tables, and of segments without filters', async () => {
  let tables: unknown
  let rows: unknown
  await withStore(async (store) => {
    tables = await answers(store)
    rows = await storeDigest(store, digested)
    await freezeAt(store, heights)
    assert.deepEqual(await answers(store), tables, 'with filters')
    await mergeAll(store, (segments) => segments.slice(0, 3))
    assert.deepEqual(await answers(store), tables, 'merged')
  })
  await withStore(async (store) => {
    await freezeAt(store, heights.slice(0, 4), unfilteredFormat)
    await freezeAt(store, heights)
    assert.deepEqual(await answers(store), tables, 'without filters, and with them')
    assert.deepEqual(await storeDigest(store, digested), rows)
  })
})

type Known = { readonly segment: string; readonly ids: ReadonlySet<number> }

function knownIn(store: Database, segments: readonly string[], table: string): Known[] {
  return segments.map((segment) => {
    const frozen = iceOf(store)?.segment(segment).table(table)
    const rows = frozen?.valuesOf(0, frozen.rows) ?? []
    const ids = new Set(rows.map(([id]) => Number(id)))
    assert.equal(frozen?.knownIds() ?? 0, ids.size, table)
    return { segment, ids }
  })
}

/** Makes all groups and fences of a table useless; its filter stays. */
function spoil(path: string, table: string): void {
  const segment = new Segment(path)
  const shape = segment.table(table)?.shape
  segment.close()
  if (shape?.root === undefined) return
  const bytes = readFileSync(path)
  bytes.fill(0, shape.section.offset, shape.root.offset + shape.root.length)
  writeFileSync(path, bytes)
}

for (const table of Object.keys(lists))
  void test(`filters: no row of ${table} is read in a segment that does not know who is asked for`, async () => {
    await withStore(async (store, dataDir) => {
      await freezeAt(store, heights)
      const stage = table === 'internal_by_address' ? 'traces' : 'blocks'
      const segments = (await segmentsOf(store, stage)).map((each) => each.name)
      const known = knownIn(store, segments, table)
      // Somebody whom some segments know, and another one whom one of the others knows.
      const isLeft = (id: number) => known.filter(({ ids }) => !ids.has(id) && ids.size > 0)
      const [one = 0] = [...new Set(known.flatMap(({ ids }) => [...ids]))].toSorted(
        (a, b) => isLeft(b).length - isLeft(a).length,
      )
      const left = isLeft(one)
      const [other] = left.flatMap(({ ids }) => [...ids])
      assert.ok(left.length < known.length && other !== undefined)
      const question = statement(lists[table] ?? '')
      const whole = textOf(await store.all(question, [one]))
      const keys = [[one], [0]]
      const newest = { table: balance, key: ['address_id', 'token_id'], select: ['value'] } as const
      const last = { ...newest, last: 'height' } as const
      const found = table === 'balance' ? await store.lookup(last, keys) : []
      await store.close()
      for (const { segment } of left)
        spoil(join(dataDir, 'segments', name, `${segment}.ice`), table)
      const spoiled = await opened(dataDir)
      assert.equal(textOf(await spoiled.all(question, [one])), whole)
      assert.deepEqual(await spoiled.all(question, [1_000_000]), [])
      if (table === 'balance') assert.deepEqual(await spoiled.lookup(last, keys), found)
      // They are not left because nothing is asked of them.
      await assert.rejects(async () => spoiled.all(question, [other]), Fault)
      assert.notDeepEqual(await checkSegments(spoiled, () => undefined), [])
      await spoiled.close()
    })
  })

void test('filters: a changed bit of a filter is a fault for who asks, and is found by a check', async () => {
  await withStore(async (store, dataDir) => {
    await freezeAt(store, [140])
    const [segment] = await segmentsOf(store)
    assert.ok(segment !== undefined)
    const shape = iceOf(store)?.segment(segment.name).table('tx_by_address')?.shape
    await store.close()
    assert.ok(shape?.root !== undefined && shape.filter !== undefined)
    const path = join(dataDir, 'segments', name, `${segment.name}.ice`)
    const bytes = readFileSync(path)
    const from = shape.root.offset + shape.root.length
    const until = shape.section.offset + shape.section.length
    assert.equal(until, shape.filter.offset + shape.filter.length)
    const question = statement(lists['tx_by_address'] ?? '')
    for (let at = from; at < until; at += 5) {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] ?? 0) ^ 1
      writeFileSync(path, altered)
      const spoiled = await opened(dataDir)
      await assert.rejects(async () => spoiled.all(question, [1]), Fault, `byte ${at}`)
      if ((at - from) % 50 === 0) {
        const [damaged] = await checkSegments(spoiled, () => undefined)
        assert.match(damaged?.reason ?? '', /bytes of tx_by_address are not those written/)
      }
      await spoiled.close()
    }
  })
})

void test('filters: a segment of the format before is read, written again and merged into the newest', async () => {
  let merged = ''
  await withStore(async (store) => {
    await freezeAt(store, [8])
    merged = (await segmentsOf(store))[0]?.name ?? ''
  })
  await withStore(async (store, dataDir) => {
    const rows = await storeDigest(store, digested)
    await freezeAt(store, [3], unfilteredFormat)
    const [first] = await segmentsOf(store)
    assert.ok(first !== undefined)
    const path = join(dataDir, 'segments', name, `${first.name}.ice`)
    // What puts a lost segment back must write the same bytes.
    assert.deepEqual(readFileSync(path), readFileSync(older))
    copyFileSync(older, path)
    const segment = new Segment(older)
    assert.equal(segment.index.format, unfilteredFormat)
    assert.equal(segment.table('tx_by_address')?.mayKnow(1_000_000), true)
    assert.equal(segment.table('tx_by_address')?.knownIds(), undefined)
    segment.close()
    assert.deepEqual(await storeDigest(store, digested), rows)
    await freezeAt(store, [8])
    await mergeAll(store, (segments) => segments)
    assert.deepEqual(
      (await segmentsOf(store)).map((each) => each.name),
      [merged],
    )
    assert.ok((iceOf(store)?.segment(merged).table('tx_by_address')?.knownIds() ?? 0) > 0)
    assert.deepEqual(await storeDigest(store, digested), rows)
  })
})
