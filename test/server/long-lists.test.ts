/** Lists of UTXOs by amount, whether they are short and sorted on demand or long and kept so. */

import assert from 'node:assert/strict'

import type { Held } from '../../src/indexing/primary/batch/ledger.ts'
import { writeHoldings } from '../../src/indexing/primary/write/holdings.ts'
import { orderedLists } from '../../src/indexing/primary/write/ordered-lists.ts'
import { type Database, statement } from '../../src/store/engine/database.ts'
import {
  type HoldingCursor,
  type HoldingQuery,
  utxosOfAddresses,
} from '../../src/store/query/primary/utxos.ts'
import { packTraits } from '../../src/store/schema/primary/holding.ts'
import { primaryTables } from '../../src/store/schema/primary/tables.ts'
import { drawsOf } from '../support/processes/draws.ts'
import { onBothEngines } from '../support/stores/stores.ts'

const longest = 4
const traits = packTraits({ asset: 1, kind: 0, needed: 1 })

type Entry = { readonly address: number; readonly utxo: number; readonly amount: number }

/** Entries as a batch has them; the owners' places are their numbers. */
function heldOf(entries: readonly Entry[], spentPos: number): Held {
  const all = (value: number): Float64Array => new Float64Array(entries.length).fill(value)
  const chain = new Uint32Array(entries.length)
  return {
    count: entries.length,
    number: Float64Array.from(entries, ({ utxo }) => utxo),
    createdAt: Float64Array.from(entries, ({ utxo }) => utxo),
    amount: BigUint64Array.from(entries, ({ amount }) => BigInt(amount)),
    traits: all(traits),
    createdOn: chain,
    consumableOn: chain,
    owners: {
      places: Uint32Array.from(entries, ({ address }) => address),
      until: Uint32Array.from(entries, (_, at) => at + 1),
    },
    spentPos: all(spentPos),
    spentAt: all(spentPos),
  }
}

async function write(
  store: Database,
  ordered: ReturnType<typeof orderedLists>,
  { added, gone }: { readonly added: readonly Entry[]; readonly gone: readonly Entry[] },
): Promise<void> {
  const batch = { made: heldOf(added, 0), spent: heldOf(gone, 1) }
  const owners = Float64Array.from({ length: 100 }, (_, address) => address)
  await store.transaction((writer) => writeHoldings(writer, batch, { owners, ordered }))
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
  const { below } = drawsOf(7)
  let lists = orderedLists(longest)
  let open: Entry[] = []
  let made = 0
  const seen = { short: 0, long: 0, shrunk: 0 }
  for (let batch = 0; batch < 12; batch++) {
    // The writer of another start knows nothing but the store.
    if (batch % 5 === 4) lists = orderedLists(longest)
    const gone = open.filter(() => below(3) === 0)
    // Half of them go to the first three of forty addresses; amounts are often equal.
    const added = Array.from({ length: 60 }, () => ({
      address: 1 + (below(2) === 0 ? below(3) : below(40)),
      utxo: ++made,
      amount: below(50),
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
