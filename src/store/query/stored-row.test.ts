import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Fault } from '../../core/fault.ts'
import type { Row } from '../engine/database.ts'
import { count, layout, maybe as maybeField } from '../schema/packed/packed-record.ts'
import {
  amount,
  body,
  bytes,
  flag,
  hash,
  hex,
  integer,
  mapped,
  maybe,
  oneOf,
  storedRow,
} from './stored-row.ts'

const one = '11'.repeat(32)
const two = '22'.repeat(32)

void test('stored row: hashes and one byte string come as one text, and are cut apart', () => {
  const row = storedRow({
    value: hex('t.value'),
    first: hash('a.hash'),
    pos: integer('t.pos'),
    price: hex('t.price'),
    second: hash('b.hash'),
    tip: maybe(hex('t.tip')),
  })
  const { sqlite, postgres } = row.statement((columns) => `select ${columns} from t`)
  assert.equal(
    sqlite,
    `select t.pos, '0x' || lower(hex(t.price)), ` +
      `case when t.tip is null then null else '0x' || lower(hex(t.tip)) end, ` +
      `'0x' || lower(hex(a.hash || b.hash || t.value)) from t`,
  )
  assert.equal(
    postgres,
    `select t.pos, '0x' || encode(t.price, 'hex'), '0x' || encode(t.tip, 'hex'), ` +
      `'0x' || encode(a.hash || b.hash || t.value, 'hex') from t`,
  )
  const read = { pos: 7, first: `0x${one}`, second: `0x${two}`, price: '0x05', tip: undefined }
  assert.deepEqual(row.read([7, '0x05', null, `0x${one}${two}0a`]), { ...read, value: '0x0a' })
  assert.deepEqual(row.read([7, '0x05', null, `0x${one}${two}`]), { ...read, value: '0x' })
})

void test('stored row: a body brings its fields, and a column replaces one of the same name', () => {
  const packed = layout({ kind: count, time: count, end: maybeField(count) })
  const row = storedRow(
    { id: integer('r.id'), kind: mapped(integer('r.kind'), (kind) => `kind ${kind}`) },
    body('r.body', packed),
  )
  const { sqlite } = row.statement((columns) => `select ${columns} from r`)
  assert.equal(sqlite, 'select r.id, r.kind, r.body from r')
  const stored = packed.toBytes({ kind: 3, time: 5, end: undefined })
  assert.deepEqual(row.read([1, 2, stored]), { id: 1, kind: 'kind 2', time: 5, end: undefined })
  assert.throws(() => row.read([1, 2, stored.subarray(0, 1)]), Fault)
})

void test('stored row: a value of another kind than declared throws, whatever it is', () => {
  const row = storedRow({
    id: integer('id'),
    bytes: bytes('bytes'),
    amount: amount('amount'),
    state: oneOf('state', ['open', 'shut']),
    seen: maybe(flag('seen')),
  })
  const good: Row = [1, Uint8Array.of(1), '18446744073709551615', 1, null]
  assert.deepEqual(row.read(good), {
    id: 1,
    bytes: Uint8Array.of(1),
    amount: 2n ** 64n - 1n,
    state: 'shut',
    seen: undefined,
  })
  const bad = [
    [null, '1'],
    [null, 'ab'],
    [null, 5],
    [null, 2, -1],
    [2, ''],
  ] as const
  for (const [at, values] of bad.entries())
    for (const value of values)
      assert.throws(
        () => row.read(good.with(at, value)),
        /broken invariant|BigInt/,
        `${at} ${value}`,
      )
  assert.throws(() => row.read(good.slice(0, 4)), /broken invariant/)
})
