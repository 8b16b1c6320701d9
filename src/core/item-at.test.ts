import assert from 'node:assert/strict'
import { test } from 'node:test'

import { f64At, i32At, itemAt, u32At, u64At, u8At } from './item-at.ts'

void test('item at a place: the last one is there, and the one after it throws', () => {
  const reads: readonly ((place: number) => unknown)[] = [
    (place) => itemAt(['a', 'b'], place),
    (place) => u8At(Uint8Array.of(1, 2), place),
    (place) => u32At(Uint32Array.of(1, 2), place),
    (place) => i32At(Int32Array.of(1, -2), place),
    (place) => f64At(Float64Array.of(1, 0.5), place),
    (place) => u64At(BigUint64Array.of(1n, 2n), place),
  ]
  const lasts = ['b', 2, 2, -2, 0.5, 2n]
  for (const [at, read] of reads.entries()) {
    assert.equal(read(1), lasts[at])
    assert.throws(() => read(2), /broken invariant: place 2 is one of 2/)
    assert.throws(() => read(-1), /broken invariant/)
  }
})
