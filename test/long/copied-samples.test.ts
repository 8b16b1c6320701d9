/**
 * A sample of a copied history finds one altered row with the chance that the guide states: each block
 * between the ends of a piece is drawn as often as any other, and what is drawn is found.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { wideInteger } from '../../src/core/wide-integer.ts'
import { innerSample, sampledHeights } from '../../src/indexing/evm/copied/sampled-heights.ts'
import { markCopied } from '../../src/store/copied-history.ts'
import { type Database, type Row, statement } from '../../src/store/engine/database.ts'
import { balance, transfer } from '../../src/store/schema/evm.ts'
import { nftToken } from '../../src/store/schema/nft.ts'
import { placesPerBlock } from '../../src/store/schema/places.ts'
import { changed, check, copyOf } from '../copied-chain.ts'

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

  const forgeries: readonly (readonly [string, (store: Database) => Promise<readonly number[]>])[] =
    [
      ['transfer', alteredTransfer],
      ['balance', alteredBalance],
      ['owner', alteredOwner],
    ]
  for (const [name, alter] of forgeries) {
    const sources = await copyOf(t, 51001, [])
    const telling = await alter(sources)
    const seeds = Array.from({ length: 256 }, (_, seed) => seed)
    const isFound = (seed: number): boolean => telling.some((height) => isIn(seed, height))
    const hits = seeds.filter(isFound).slice(0, 2)
    const misses = seeds.filter((seed) => !isFound(seed)).slice(0, 2)
    assert.equal(hits.length + misses.length, 4, name)
    for (const seed of [...misses, ...hits]) {
      await sources.transaction(markCopied)
      const { state, share } = await check(sources, 51001, { percent: 1, seed })
      assert.equal(state, isFound(seed) ? 'stopped' : 'live', `${name}, seed ${seed}`)
      if (state === 'live') assert.equal(share, 102 / 403)
    }
  }
})

/** The seed that a process draws whose random bytes are all `seed`. */
function seedText(seed: number): string {
  return Buffer.alloc(16, seed).toString('hex')
}

/** Alters the value of a transfer that changes no balance; gives the heights that tell it. */
async function alteredTransfer(store: Database): Promise<readonly number[]> {
  const [row = []] = await store.all(
    statement('select pos from transfer where kind = 0 and pos > ? order by pos limit 1', {
      over: 'tables',
    }),
    [57 * placesPerBlock],
  )
  await changed(store, transfer, { by: `where pos = ${Number(row[0])}`, column: 'log_index' })
  return [heightOf(row)]
}

/** Alters the last balance of somebody. */
async function alteredBalance(store: Database): Promise<readonly number[]> {
  const [row = []] = await store.all(
    statement(
      `select address_id, token_id, height from balance b where height > 57 and height < 390
       and not exists (select 1 from balance l where l.address_id = b.address_id
         and l.token_id = b.token_id and l.height > b.height) order by height limit 1`,
      { over: 'tables' },
    ),
  )
  const [addressId, tokenId, height] = row.map(Number)
  const by = `where address_id = ${addressId} and token_id = ${tokenId} and height = ${height}`
  await changed(store, balance, { by, column: 'value' })
  return [Number(height)]
}

/** Alters the owner of an NFT; any of its transfers tells. */
async function alteredOwner(store: Database): Promise<readonly number[]> {
  const by = 'where standard = 721 and owner_id is not null order by at limit 1'
  const [row = []] = await store.all(statement(`select contract_id, item from nft_token ${by}`))
  const [contract = null, item] = row
  await changed(store, nftToken, { by, column: 'owner_id' })
  const moves = await store.all(
    statement('select pos, item from transfer where token_id = ? and item is not null', {
      over: 'tables',
    }),
    [contract],
  )
  return moves
    .filter(
      ([, bytes]) =>
        bytes instanceof Uint8Array &&
        item instanceof Uint8Array &&
        wideInteger(bytes) === wideInteger(item),
    )
    .map((move) => heightOf(move))
}
