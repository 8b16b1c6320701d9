/** A sample of a copied history's segments finds an altered one with the chance that the guide states. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { wideBytes } from '../../src/core/wide-integer.ts'
import { segmentsToCompare } from '../../src/indexing/evm/copied/check-copied.ts'
import { markCopied } from '../../src/store/copied-history.ts'
import { check, copyOf } from '../support/stores/copied-chain.ts'
import { forgeSegment } from '../support/stores/forged-segment.ts'

void test('a sample finds one altered segment with the chance that is stated', async (t) => {
  const ends = [100, 200, 300, 403]
  const segments = ends.map((until, at) => ({
    stage: 'blocks' as const,
    from: ends[at - 1] ?? 0,
    until,
  }))
  const next = { blocks: 0, traces: 0 }
  const drawn = (seed: string, percent: number): number[] =>
    segmentsToCompare(segments, { percent, seed, next }).map(({ from }) => from)
  // Over many seeds each segment is met as often as any other, and never none.
  const draws = 4_000
  const chances = [
    // That of a segment to be drawn, or to have the least lot where none is.
    { percent: 1, chance: 0.01 + 0.99 * ((1 - 0.01) ** 3 / 4 + 0) },
    { percent: 50, chance: 0.5 + 0.5 ** 4 / 4 },
  ]
  for (const { percent, chance } of chances) {
    const met = new Map<number, number>()
    for (let seed = 0; seed < draws; seed++) {
      const found = drawn(`test ${seed}`, percent)
      assert.ok(found.length > 0)
      for (const from of found) met.set(from, (met.get(from) ?? 0) + 1)
    }
    const deviation = Math.sqrt((chance * (1 - chance)) / draws)
    for (const { from } of segments) {
      const share = (met.get(from) ?? 0) / draws
      assert.ok(Math.abs(share - chance) < 5 * deviation, `${percent} %, ${from}: ${share}`)
    }
  }
  assert.deepEqual(drawn('any', 100), [0, 100, 200, 300])

  const store = await copyOf(t, 51001, [100, 200, 300])
  await forgeSegment(store, {
    transfer: (rows) => rows.map((row, at) => (at === 9 ? row.with(8, wideBytes(9n)) : row)),
  })
  const isMet = (seed: number): boolean => drawn(seedText(seed), 1).includes(0)
  const seeds = Array.from({ length: 256 }, (_, seed) => seed)
  const chosen = [
    ...seeds.filter(isMet).slice(0, 2),
    ...seeds.filter((each) => !isMet(each)).slice(0, 2),
  ]
  assert.equal(chosen.length, 4)
  for (const seed of chosen) {
    await store.transaction(markCopied)
    const { state } = await check(store, 51001, { percent: 1, seed })
    assert.equal(state, isMet(seed) ? 'stopped' : 'live', `seed ${seed}`)
  }
})

/** The seed that a process draws whose random bytes are all `seed`. */
function seedText(seed: number): string {
  return Buffer.alloc(16, seed).toString('hex')
}
