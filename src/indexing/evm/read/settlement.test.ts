/** Recorded blocks of a real C-Chain that crossed Helicon. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { type RawUnit, objectOf } from '../../../codec/evm/raw.ts'
import { Settlement, settlingBlocks } from './settlement.ts'

const file = new URL('../../../../vectors/evm/blocks.json.gz', import.meta.url)
const chains: readonly { readonly name: string; readonly units: readonly RawUnit[] }[] = JSON.parse(
  gunzipSync(readFileSync(file)).toString(),
).chains
const units = chains.find(({ name }) => name.includes('saevm'))?.units ?? []
const lastProven = 41

/** Links `all` from `from` on, `size` blocks at a time; what was wrong, and the settlement. */
function linked(all: readonly RawUnit[], from: number, size: number) {
  const settlement = new Settlement()
  for (let at = from; at < all.length; at += size) {
    const part = all.slice(at, at + size)
    const range = { from: at, until: at + part.length }
    const wrong = settlement.link(range, settlingBlocks(part, at, `node ${at}`))
    if (wrong !== undefined) return { wrong, settlement }
  }
  return { wrong: undefined, settlement }
}

void test('settlement: recorded blocks before and after Helicon prove each other, in any pieces', () => {
  assert.equal(units.length, 44)
  for (const size of [1, 3, 7, 44]) {
    const { wrong, settlement } = linked(units, 0, size)
    assert.equal(wrong, undefined)
    assert.equal(settlement.provenHeight, lastProven)
  }
})

void test('settlement: a start in the middle proves what comes after it', () => {
  for (const from of [10, 11, 12, 20]) {
    const { wrong, settlement } = linked(units, from, 4)
    assert.equal(wrong, undefined, `from ${from}`)
    assert.equal(settlement.provenHeight, lastProven)
  }
})

void test('settlement: a changed receipt is found when its block is settled, and named', () => {
  let found = 0
  for (const [height, unit] of units.entries()) {
    if (unit.block.settledHeight === undefined || unit.receipts.length === 0) continue
    for (const change of [{ status: '0x0' }, { cumulativeGasUsed: '0x1' }, { logs: [] }]) {
      const [first, ...rest] = unit.receipts
      const changed = { ...objectOf(first, 'receipt'), ...change }
      if (JSON.stringify(changed) === JSON.stringify(first)) continue
      const receipts = [changed, ...rest]
      const altered = units.map((each, at) => (at === height ? { ...each, receipts } : each))
      const { wrong } = linked(altered, 0, 1)
      if (height > lastProven) assert.equal(wrong, undefined)
      else {
        assert.equal(wrong?.from, height)
        assert.ok(wrong?.origins.includes(`node ${height}`))
        found++
      }
    }
  }
  assert.ok(found > 40, `found ${found}`)
})

void test('settlement: what was wrong and is read again is proven', () => {
  const settlement = new Settlement()
  const given = (at: number, unit: RawUnit) =>
    settlement.link({ from: at, until: at + 1 }, settlingBlocks([unit], at, 'node'))
  for (let at = 0; at < 24; at++) {
    const unit = units[at]
    assert.ok(unit)
    assert.equal(
      given(at, at === 20 ? { ...unit, receipts: [] } : unit)?.from,
      at === 23 ? 20 : undefined,
    )
  }
  for (let at = 20; at < 44; at++) {
    const unit = units[at]
    assert.ok(unit)
    assert.equal(given(at, unit), undefined)
  }
  assert.equal(settlement.provenHeight, lastProven)
})
