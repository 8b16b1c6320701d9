import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'
import * as packed from 'micro-packed'

import { fromHex, toHex } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import { decode, decodePrefix, encode } from './cursor.ts'
import { array, sliced, struct, tagged, union, unread, versioned } from './kit.ts'
import { bool, bytes, fixed, i64, recurring, text, u16, u32, u64, u8 } from './primitives.ts'

const point = struct({ x: u32, name: text(8) })
const shape = union({ 5: struct({ amount: u64 }), 7: struct({ points: array(point, 3) }) })
const all = versioned(
  struct({ a: u8, b: u16, c: u32, d: u64, e: i64, f: bool, g: fixed(2), h: bytes(4), s: shape }),
)
const good = fromHex(
  '0000' +
    '01' +
    '0203' +
    '04050607' +
    'ffffffffffffffff' +
    'ffffffffffffffff' +
    '01' +
    'abcd' +
    '00000001ee' +
    '00000007' +
    '00000002' +
    '000000090002c3a9' +
    '0000000a0000',
)
const value = {
  a: 1,
  b: 0x203,
  c: 0x4050607,
  d: 0xffff_ffff_ffff_ffffn,
  e: -1n,
  f: true,
  g: fromHex('abcd'),
  h: fromHex('ee'),
  s: {
    typeId: 7,
    points: [
      { x: 9, name: 'é' },
      { x: 10, name: '' },
    ],
  },
} as const

function faultOf(run: () => unknown): Fault {
  try {
    run()
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new assert.AssertionError({ message: 'no fault was thrown' })
}

void test('kit: bytes written by hand decode to the values they spell and encode back', () => {
  const decoded = decode(all, good)
  assert.deepEqual(
    { ...decoded, g: toHex(decoded.g), h: toHex(decoded.h) },
    {
      ...value,
      g: 'abcd',
      h: 'ee',
    },
  )
  assert.equal(toHex(encode(all, decoded)), toHex(good))
  assert.equal(toHex(encode(all, value)), toHex(good))
})

void test('kit: every truncation and every extra byte is a fault', () => {
  for (let size = 0; size < good.length; size++) {
    assert.equal(faultOf(() => decode(all, good.subarray(0, size))).code, 'bad-bytes', `${size}`)
  }
  const longer = new Uint8Array(good.length + 1)
  longer.set(good)
  assert.equal(faultOf(() => decode(all, longer)).detail['offset'], good.length)
})

void test('kit: a fault names the field and the offset', () => {
  const fault = faultOf(() => decode(all, good.subarray(0, good.length - 1)))
  assert.equal(fault.detail['path'], 's.points.1.name')
  assert.match(fault.message, /^s\.points\.1\.name: bytes end before the field does/)
})

void test('kit: an unknown type id is a fault with the id and its offset', () => {
  const fault = faultOf(() => decode(shape, fromHex('0000000600000000')))
  assert.deepEqual([fault.detail['typeId'], fault.detail['offset']], [6, 0])
  assert.equal(faultOf(() => decode(tagged(3, u8), fromHex('0000000405'))).detail['typeId'], 4)
  assert.equal(decode(tagged(3, u8), fromHex('0000000305')), 5)
  assert.equal(faultOf(() => decode(versioned(u8), fromHex('000101'))).code, 'bad-bytes')
})

void test('kit: limits hold when reading and when writing', () => {
  const cases: readonly [string, () => unknown][] = [
    ['array of 4 read', () => decode(array(u8, 3), fromHex('0000000401020304'))],
    ['array of 4 written', () => encode(array(u8, 3), [1, 2, 3, 4])],
    ['huge count', () => decode(array(u8, 0xffff_ffff), fromHex('ffffffff01'))],
    ['bytes of 5 read', () => decode(bytes(4), fromHex('000000050102030405'))],
    ['bytes of 5 written', () => encode(bytes(4), new Uint8Array(5))],
    ['text of 9 read', () => decode(text(8), fromHex('0009414141414141414141'))],
    ['text of 9 bytes written', () => encode(text(8), 'ééééa')],
    ['boolean 2', () => decode(bool, fromHex('02'))],
    ['u8 256', () => encode(u8, 256)],
    ['u16 -1', () => encode(u16, -1)],
    ['u32 0.5', () => encode(u32, 0.5)],
    ['u64 -1', () => encode(u64, -1n)],
    ['u64 2^64', () => encode(u64, 2n ** 64n)],
    ['i64 2^63', () => encode(i64, 2n ** 63n)],
    ['fixed 2 given 3', () => encode(fixed(2), new Uint8Array(3))],
  ]
  for (const [name, run] of cases) assert.equal(faultOf(run).code, 'bad-bytes', name)
  assert.deepEqual(decode(array(u8, 3), fromHex('00000003010203')), [1, 2, 3])
})

void test('kit: records own their bytes, slices are views', () => {
  const input = fromHex('0000000211220000000001')
  const { record, bytes: view } = decode(
    sliced(struct({ a: bytes(2), b: bytes(1) })),
    fromHex('00000002112200000000'),
  )
  assert.equal(toHex(view), '00000002112200000000')
  assert.equal(record.b.length, 0)
  const kept = decodePrefix(struct({ a: bytes(2) }), input)
  input.fill(0)
  assert.equal(toHex(kept.value.a), '1122')
  assert.equal(kept.until, 6)
})

void test('kit: skipped parts are checked as read ones, and their bytes come back', () => {
  const part = struct({ s: shape, list: array(bytes(4), 2), t: text(4), n: u16 })
  const whole = struct({ before: u8, part: unread(part), after: u8 })
  const value = { s: { typeId: 5, amount: 3n }, list: [fromHex('01')], t: 'ab', n: 7 } as const
  const spelled = encode(struct({ before: u8, part, after: u8 }), {
    before: 1,
    part: value,
    after: 2,
  })
  const decoded = decode(whole, spelled)
  assert.equal(toHex(decoded.part), toHex(encode(part, value)))
  assert.equal(decoded.after, 2)
  assert.equal(toHex(encode(whole, decoded)), toHex(spelled))
  for (let size = 0; size < spelled.length; size++) {
    assert.equal(faultOf(() => decode(whole, spelled.subarray(0, size))).code, 'bad-bytes')
  }
  const unknown = spelled.with(4, 6)
  assert.equal(faultOf(() => decode(whole, unknown)).detail['typeId'], 6)
  assert.throws(() => encode(whole, { before: 1, part: fromHex('00'), after: 2 }), Fault)
})

void test('kit: recurring bytes are one array until they change', () => {
  const [a, b, c, d] = decode(
    array(recurring(4), 4),
    fromHex('0000000400001122000011220000334400001122'),
  )
  assert.equal(a, b)
  assert.deepEqual(
    [a, c, d].map((one) => toHex(one ?? new Uint8Array(0))),
    ['00001122', '00003344', '00001122'],
  )
})

void test('kit: text that is not UTF-8 reads as U+FFFD instead of stopping a chain', () => {
  assert.equal(decode(text(8), fromHex('0002c328')), '\ufffd(')
  const long = 'a'.repeat(200)
  assert.equal(decode(text(300), encode(text(300), long)), long)
})

void test('kit: micro-packed reads and writes the same bytes', () => {
  const theirs = packed.struct({
    a: packed.U8,
    b: packed.U16BE,
    c: packed.U32BE,
    d: packed.U64BE,
    e: packed.I64BE,
    f: packed.bool,
    g: packed.bytes(3),
    h: packed.bytes(packed.U32BE),
    s: packed.string(packed.U16BE),
    t: packed.array(packed.U32BE, packed.U64BE),
  })
  const ours = struct({
    a: u8,
    b: u16,
    c: u32,
    d: u64,
    e: i64,
    f: bool,
    g: fixed(3),
    h: bytes(1_000),
    s: text(1_000),
    t: array(u64, 100),
  })
  const max = 0xffff_ffff_ffff_ffffn
  const values = fc.record({
    a: fc.integer({ min: 0, max: 0xff }),
    b: fc.integer({ min: 0, max: 0xffff }),
    c: fc.integer({ min: 0, max: 0xffff_ffff }),
    d: fc.bigInt({ min: 0n, max }),
    e: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    f: fc.boolean(),
    g: fc.uint8Array({ minLength: 3, maxLength: 3 }),
    h: fc.uint8Array({ maxLength: 900 }),
    s: fc.string({ maxLength: 200, unit: 'grapheme' }),
    t: fc.array(fc.bigInt({ min: 0n, max }), { maxLength: 100 }),
  })
  fc.assert(
    fc.property(values, (one) => {
      const expected = theirs.encode(one)
      assert.equal(toHex(encode(ours, one)), toHex(expected))
      assert.deepEqual(decode(ours, expected), theirs.decode(expected))
    }),
    { numRuns: 200, seed: 7 },
  )
})
