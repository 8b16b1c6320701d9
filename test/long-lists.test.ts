/** Lists of UTXOs by amount, whether they are short and sorted on demand or long and kept so. */

import assert from 'node:assert/strict'

import { orderedLists } from '../src/indexing/primary/store-ordered.ts'
import type { Database } from '../src/store/engine/database.ts'
import { statement } from '../src/store/engine/database.ts'
import {
  type HoldingCursor,
  type HoldingQuery,
  utxosOfAddresses,
} from '../src/store/query/primary/utxos-of-addresses.ts'
import { listOf, packTraits } from '../src/store/schema/primary-holding.ts'
import { openHolding } from '../src/store/schema/primary-ledger.ts'
import { primaryTables } from '../src/store/schema/primary.ts'
import { onBothEngines } from './stores.ts'

const longest = 4
const traits = packTraits({ asset: 1, kind: 0, needed: 1 })

type Entry = { readonly address: number; readonly utxo: number; readonly amount: number }

/** Numbers from 0 to 2^32 - 1, the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state
  }
}

/** Writes a batch as `writeHoldings` does. */
async function write(
  store: Database,
  lists: ReturnType<typeof orderedLists>,
  batch: { readonly added: readonly Entry[]; readonly gone: readonly Entry[] },
): Promise<void> {
  const inOrder = (entries: readonly Entry[]): Entry[] =>
    entries.toSorted((a, b) => a.address - b.address || a.utxo - b.utxo)
  const added = inOrder(batch.added)
  const gone = inOrder(batch.gone)
  const list = Float64Array.from(added, ({ address }) => listOf(address, 'P'))
  await store.transaction(async (writer) => {
    const ordered = await lists.flags(writer, list)
    const utxo = added.map((one) => one.utxo)
    const amount = added.map((one) => one.amount)
    const same = added.map(() => traits)
    const columns = { list, created_at: utxo, utxo, amount, traits: same, ordered }
    await writer.insert(openHolding, columns)
    await writer.remove(openHolding, {
      list: gone.map(({ address }) => listOf(address, 'P')),
      created_at: gone.map((one) => one.utxo),
      utxo: gone.map((one) => one.utxo),
    })
    await lists.settle(writer)
  })
}

async function whole(store: Database, query: Omit<HoldingQuery, 'limit'>): Promise<number[]> {
  const found: HoldingCursor[] = []
  for (;;) {
    const after = found.at(-1)
    const more = after === undefined ? {} : { after }
    const page = await utxosOfAddresses(store, { ...query, ...more, limit: 7 })
    found.push(...page)
    if (page.length < 7) return found.map(({ utxo }) => utxo)
  }
}

const states = statement(
  `select h.list, count(*), min(h.ordered), max(h.ordered), count(o.list) from open_holding h
   left join ordered_list o on o.list = h.list group by h.list`,
)

onBothEngines('long lists: pages by amount are the sorted entries', primaryTables, async (test) => {
  const store = await test.open('write')
  const next = numbersFrom(7)
  let lists = orderedLists(longest)
  let open: Entry[] = []
  let made = 0
  const seen = { short: 0, long: 0, shrunk: 0 }
  for (let batch = 0; batch < 12; batch++) {
    // The writer of another start knows nothing but the store.
    if (batch % 5 === 4) lists = orderedLists(longest)
    const gone = open.filter(() => next() % 3 === 0)
    // Half of them go to the first three of forty addresses; amounts are often equal.
    const added = Array.from({ length: 60 }, () => ({
      address: 1 + (next() % 2 === 0 ? next() % 3 : next() % 40),
      utxo: ++made,
      amount: next() % 50,
    }))
    await write(store, lists, { added, gone })
    open = [...open.filter((entry) => !gone.includes(entry)), ...added]
    for (const [list, count, least, most, known] of await store.all(states)) {
      const isOrdered = Number(most) === 1
      assert.equal(least, most, 'entries of a list are alike')
      assert.equal(Number(known) > 0, isOrdered, 'the list is noted')
      assert.ok(isOrdered || Number(count) <= 3 * longest, `list ${list} has ${count}`)
      if (isOrdered) seen[Number(count) <= longest ? 'shrunk' : 'long']++
      else seen.short++
    }
    for (const addresses of [[1], [9], [1, 2, 3, 4, 5], Array.from({ length: 40 }, (_, at) => at)])
      for (const minAmount of [0, 20]) {
        const expected = open
          .filter((one) => addresses.includes(one.address) && one.amount >= minAmount)
          .toSorted((a, b) => a.amount - b.amount || a.utxo - b.utxo)
          .map(({ utxo }) => utxo)
        const query = { addresses, chain: 'P', sortBy: 'amount', includeSpent: false } as const
        const least = { ...query, minAmount: BigInt(minAmount) }
        assert.deepEqual(await whole(store, { ...least, sortOrder: 'asc' }), expected)
        expected.reverse()
        assert.deepEqual(await whole(store, { ...least, sortOrder: 'desc' }), expected)
      }
  }
  assert.ok(Math.min(...Object.values(seen)) > 0, `all kinds were met: ${JSON.stringify(seen)}`)
})
