import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { Fault } from './fault.ts'
import { fromFlatBytes, toFlatBytes } from './flat-bytes.ts'

const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    fc.uint8Array(),
    fc.uint32Array(),
    fc.float64Array(),
    fc.string(),
    fc.boolean(),
    fc.integer(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'count', 'offset'), tie('value'), {
      noNullPrototype: true,
    }),
  ),
}))

void test('what is packed: comes back, columns with memory of their own', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('batch', 'from'), tree.value), (members) => {
      const given = { ...members }
      assert.deepEqual(fromFlatBytes(toFlatBytes(given)), given)
      assert.deepEqual(fromFlatBytes(Buffer.from(toFlatBytes(given))), given)
    }),
  )
  const first = new Uint32Array([1, 2])
  const { a, b } = fromFlatBytes(toFlatBytes({ a: first, b: first }))
  assert.ok(a instanceof Uint32Array && b instanceof Uint32Array && a.buffer !== b.buffer)
})

void test('other bytes: are refused, wherever they end or differ', () => {
  const bytes = toFlatBytes({ from: 1, rows: new Float64Array([1.5, 2]), hash: new Uint8Array(32) })
  for (let end = 0; end < bytes.length; end++)
    assert.throws(() => fromFlatBytes(bytes.subarray(0, end)), isBadBytes)
  assert.throws(() => fromFlatBytes(new Uint8Array([...bytes, 0])), isBadBytes)
  const strange = new TextEncoder().encode('    {"rows":{"$column":["BigInt64Array",0]}}')
  new DataView(strange.buffer).setUint32(0, strange.length - 4, true)
  assert.throws(() => fromFlatBytes(strange), isBadBytes)
})

function isBadBytes(error: unknown): boolean {
  return error instanceof Fault && error.code === 'bad-bytes'
}
