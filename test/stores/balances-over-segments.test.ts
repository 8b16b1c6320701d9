/**
 * Pages of the holders of a token, and of the tokens of an address, are the same from tables, and from segments
 * of which each has a part of a balance.
 */

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'

import { toHex } from '../../src/core/bytes.ts'
import { type Reader, statement } from '../../src/store/engine/database.ts'
import { openStore } from '../../src/store/open.ts'
import {
  balanceCandidates,
  balancesOfHolders,
  balancesOfPairs,
  mayHold,
} from '../../src/store/query/evm/balances.ts'
import { indexedHeight } from '../../src/store/query/evm/heights.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { demoFilling } from '../support/chains/read-demo-chain.ts'
import { freezeAt, segmentsOf } from '../support/stores/freeze-store.ts'
import { newFolder } from '../support/stores/stores.ts'

const chain = 51_002
const filling = demoFilling(50, chain)
const tokens = statement('select id from token order by id')
const addresses = statement('select max(id) from address')
const none = new Uint8Array()

void test('balances: pages over segments are those of tables, at every height and of every size', async () => {
  const dataDir = await newFolder(filling)
  const name = `evm-${chain}`
  const store = await openStore(
    { store: 'embedded', dataDir, freeze: {} },
    name,
    chainTables,
    'write',
  )
  try {
    const last = await indexedHeight(store, 'blocks')
    const heights = [Math.floor(last / 3), last]
    const inTables = await Promise.all(heights.map((at) => pagesAt(store, at)))
    assert.ok(JSON.stringify(inTables[1]).length > 1_000, 'the chain has balances')
    // The newest blocks stay in tables.
    for (const until of [40, 80, 81, 130, last - 10]) {
      await freezeAt(store, [until])
      const over = await Promise.all(heights.map((at) => pagesAt(store, at)))
      assert.deepEqual(over, inTables, `frozen below ${until}`)
    }
    assert.equal((await segmentsOf(store)).length, 5)
  } finally {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

/** Pages of all tokens and addresses at a height. */
async function pagesAt(store: Reader, at: number): Promise<object> {
  const found: Record<string, unknown> = {}
  for (const [tokenId] of await store.all(tokens))
    for (const limit of [2, 100])
      found[`holders of ${tokenId} by ${limit}`] = await holders(store, { tokenId, at, limit })
  const most = (await store.get(addresses))?.[0] ?? 0
  for (let addressId = 1; addressId <= most; addressId += 5)
    for (const limit of [1, 100]) {
      const all: unknown[] = []
      for (let afterToken = 0; ;) {
        const query = { addressId, afterToken, limit, height: at }
        const page = await balanceCandidates(store, query)
        all.push(
          ...page.map(({ token, value, negative }) => [token.id, value && toHex(value), negative]),
        )
        const { token } = page.at(-1) ?? {}
        if (token === undefined || page.length < limit) break
        afterToken = token.id
      }
      found[`tokens of ${addressId} by ${limit}`] = all
    }
  return found
}

/** All holders, page by page; their balances are those of single look-ups. */
async function holders(
  store: Reader,
  { tokenId, at, limit }: { readonly tokenId: number; readonly at: number; readonly limit: number },
): Promise<unknown[]> {
  const all: unknown[] = []
  for (let after = 0; ;) {
    const page = await balancesOfHolders(store, { tokenId, after, at, limit })
    const addressIds = page.map(({ addressId }) => addressId)
    assert.deepEqual(await mayHold(store, { tokenId, after, at, limit }), addressIds)
    const tokenIds = addressIds.map(() => tokenId)
    const single = await balancesOfPairs(store, { addressIds, tokenIds, height: at })
    for (const [place, { value = none, negative }] of page.entries()) {
      const { value: own = none, negative: sign = 0 } = single[place] ?? {}
      const logged = [addressIds[place], toHex(value), negative]
      assert.deepEqual(logged, [addressIds[place], toHex(own), sign], `token ${tokenId}`)
      all.push(logged)
    }
    const last = addressIds.at(-1)
    if (last === undefined || page.length < limit) return all
    after = last
  }
}
