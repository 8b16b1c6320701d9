/**
 * A sample of a copied history finds one altered row with the chance that the guide states: each block
 * between the ends of a piece is drawn as often as any other, and what is drawn is found.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { innerSample, sampledHeights } from '../../src/indexing/evm/copied/units-to-compare.ts'
import { markCopied } from '../../src/store/copied-history.ts'
import { type Database, type Row, statement } from '../../src/store/engine/database.ts'
import { transfer } from '../../src/store/schema/evm.ts'
import { placesPerBlock } from '../../src/store/schema/sums.ts'
import { changed, check, copyOf } from '../support/stores/copied-chain.ts'

const heightOf = (row: Row | undefined): number => Math.floor(Number(row?.[0]) / placesPerBlock)

void test('a sample finds one altered row with the chance that is stated', async (t) => {
  // One piece: of the 401 blocks between its first and its last one 100 are compared.
  const piece = { from: 0, until: 403 }
  const chance = innerSample(piece, 1) / 401
  assert.equal(innerSample(piece, 1), 100)
  const isIn = (seed: number, height: number): boolean =>
    sampledHeights({ ...piece, percent: 1, seed: seedText(seed) }).includes(height)
  // Over many seeds each block is met as often as any other.
  const draws = 4_000
  for (const height of [1, 57, 200, 401]) {
    let met = 0
    for (let seed = 0; seed < draws; seed++)
      if (sampledHeights({ ...piece, percent: 1, seed: `test ${seed}` }).includes(height)) met++
    const deviation = Math.sqrt((chance * (1 - chance)) / draws)
    assert.ok(Math.abs(met / draws - chance) < 5 * deviation, `${height}: ${met} of ${draws}`)
  }
  for (const height of [0, 402])
    assert.ok(isIn(0, height) && isIn(1, height), 'ends are always compared')

  const store = await copyOf(t, 51001, [])
  const altered = await alteredTransfer(store)
  const seeds = Array.from({ length: 256 }, (_, seed) => seed)
  const hits = seeds.filter((seed) => isIn(seed, altered)).slice(0, 2)
  const misses = seeds.filter((seed) => !isIn(seed, altered)).slice(0, 2)
  assert.equal(hits.length + misses.length, 4)
  for (const seed of [...misses, ...hits]) {
    await store.transaction(markCopied)
    const { state, share } = await check(store, 51001, { percent: 1, seed })
    assert.equal(state, isIn(seed, altered) ? 'stopped' : 'live', `seed ${seed}`)
    if (state === 'live') assert.equal(share, 102 / 403)
  }
})

/** The seed that a process draws whose random bytes are all `seed`. */
function seedText(seed: number): string {
  return Buffer.alloc(16, seed).toString('hex')
}

/** Alters a transfer of some block; gives its height. */
async function alteredTransfer(store: Database): Promise<number> {
  const [row = []] = await store.all(
    statement('select pos from transfer where kind = 0 and pos > ? order by pos limit 1', {
      over: 'tables',
    }),
    [57 * placesPerBlock],
  )
  await changed(store, transfer, { by: `where pos = ${Number(row[0])}`, column: 'log_index' })
  return heightOf(row)
}
