/**
 * Copied histories that somebody altered behind checksums and names that fit: every one is refused where
 * all blocks are compared, and stays so.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'

import { wideBytes, wideInteger } from '../../src/core/wide-integer.ts'
import { markCopied } from '../../src/store/copied-history.ts'
import type { Database, Row } from '../../src/store/engine/database.ts'
import { type ManifestSegment, writeManifest } from '../../src/store/history/manifest.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { columnNames } from '../../src/store/schema/table.ts'
import { check, copyOf, otherRowsOf } from '../support/stores/copied-chain.ts'
import type { DemoChainId } from '../support/stores/demo-store.ts'
import { forgeSegment } from '../support/stores/forged-segment.ts'
import { segmentsOf } from '../support/stores/freeze-store.ts'

/** Somebody else's alteration, and the table that is named. */
type Forgery = {
  readonly forge: (store: Database) => Promise<void>
  readonly table: string
}

const one = Uint8Array.of(1)

/** A balance of segment 0 altered at its row `at` and in all later rows of the pair: sums go on. */
const shifted = (rows: readonly Row[], at: number): readonly Row[] =>
  rows.map((row, place) => {
    const isPair = row[0] === rows[at]?.[0] && row[1] === rows[at]?.[1]
    if (!isPair || place < at) return row
    const value = row[3] instanceof Uint8Array ? row[3] : one
    return row.with(3, wideBytes(wideInteger(value) + 5n))
  })

const middle = (rows: readonly unknown[]): number => rows.length >> 1

const inSegments: Readonly<Record<string, Forgery>> = {
  'one transfer': {
    forge: (store) =>
      forgeSegment(store, {
        transfer: (rows) =>
          rows.map((row, at) => (at === middle(rows) ? row.with(8, Uint8Array.of(9)) : row)),
      }),
    table: 'transfer',
  },
  'one balance, and all that follow from it': {
    forge: (store) => forgeSegment(store, { balance: (rows) => shifted(rows, middle(rows)) }),
    table: 'balance',
  },
  'a balance more, and all that follow from it': {
    forge: (store) =>
      forgeSegment(store, {
        balance: (rows) => {
          const at = rows.findIndex(
            (row, place) =>
              row[0] === rows[place + 1]?.[0] &&
              row[1] === rows[place + 1]?.[1] &&
              Number(rows[place + 1]?.[2]) > Number(row[2]) + 1,
          )
          const more = (rows[at] ?? []).with(2, Number(rows[at]?.[2]) + 1)
          return shifted(rows.toSpliced(at + 1, 0, more), at + 1)
        },
      }),
    table: 'balance',
  },
  'an entry more in the list of an address': {
    forge: (store) =>
      forgeSegment(store, {
        evm_transaction_by_address: (rows) => {
          const [addressId = null, pos] = rows[0] ?? []
          const isThere = new Set(rows.map(([id, place]) => `${String(id)} ${String(place)}`))
          const free = rows.findIndex(
            ([, place]) =>
              Number(place) > Number(pos) && !isThere.has(`${String(addressId)} ${String(place)}`),
          )
          const entry = [addressId, rows[free]?.[1] ?? null]
          return [...rows, entry].toSorted(byKey)
        },
      }),
    table: 'evm_transaction_by_address',
  },
  'an entry less in the list of a token': {
    forge: (store) =>
      forgeSegment(store, { transfer_by_token: (rows) => rows.toSpliced(middle(rows), 1) }),
    table: 'transfer_by_token',
  },
  'somebody more who holds a token': {
    forge: (store) =>
      forgeSegment(store, {
        holding: (rows) => {
          const [tokenId = null] = rows[0] ?? []
          const named = new Set(rows.filter((row) => row[0] === tokenId).map((row) => row[1]))
          const other = rows.find((row) => !named.has(row[1] ?? null))
          return [...rows, [tokenId, other?.[1] ?? null, 3]].toSorted(byKey)
        },
      }),
    table: 'holding',
  },
  'an internal transaction': {
    forge: (store) =>
      forgeSegment(store, {
        internal: (rows) =>
          rows.map((row, at) => (at === middle(rows) ? row.with(5, Uint8Array.of(9)) : row)),
      }),
    table: 'internal',
  },
  'the hash of a block': {
    forge: (store) =>
      forgeSegment(store, {
        evm_block: (rows) =>
          rows.map((row, at) => (at === 7 ? row.with(1, new Uint8Array(32).fill(7)) : row)),
      }),
    table: 'evm_block',
  },
  'the input of a block, by something that unpacks to very much': {
    forge: (store) =>
      forgeSegment(store, {
        evm_block: (rows) => {
          const bomb = zstdCompressSync(new Uint8Array(2 ** 26))
          return rows.map((row) => (rows.indexOf(row) === 9 ? row.with(13, bomb) : row))
        },
      }),
    table: 'evm_block',
  },
}

for (const [name, { forge, table }] of Object.entries(inSegments))
  void test(`altered behind a fitting name: ${name}: refused where all is compared`, async (t) => {
    const store = await copyOf(t, 51002, [100])
    await forge(store)
    await refusedAtAll(store, 51002, table)
  })

void test('any column of any table of a segment, altered behind a fitting name: refused', async (t) => {
  const store = await copyOf(t, 51002, [60])
  const honest = [...(await segmentsOf(store)), ...(await segmentsOf(store, 'traces'))]
  const names = (segments: readonly ManifestSegment[]): string =>
    segments.map(({ name }) => name).join()
  let columns = 0
  for (const table of chainTables.filter(({ freezes }) => freezes !== undefined))
    for (const [column, of] of columnNames(table).entries()) {
      const { name, key } = table
      const now = await store.history?.manifest(store)
      assert.ok(now !== undefined)
      await store.transaction((writer) => writeManifest(writer, now, { ...now, segments: honest }))
      let isForged = false
      await forgeSegment(store, {
        [name]: (rows) => {
          const forged = withOther(rows, column).toSorted(byKey)
          const keys = new Set(forged.map((row) => row.slice(0, key.length).join(' ')))
          isForged = keys.size === rows.length && forged !== rows
          return isForged ? forged : rows
        },
      })
      // Another row has that key, or none has a value there.
      const listed = [...(await segmentsOf(store)), ...(await segmentsOf(store, 'traces'))]
      if (!isForged || names(listed) === names(honest)) continue
      await store.transaction(markCopied)
      const { state, reason } = await check(store, 51002, { percent: 100 })
      assert.equal(state, 'stopped', `${name}.${of}`)
      assert.match(
        reason ?? '',
        /^the copied history (?:is not that of the chain|cannot be read): /,
        `${name}.${of}`,
      )
      columns++
    }
  assert.ok(columns > 60, `${columns} columns`)
})

/** Rows of which one in the middle has another value in a column. */
function withOther(rows: readonly Row[], column: number): readonly Row[] {
  const from = middle(rows)
  const at = rows.findIndex((row, place) => place >= from && row[column] !== null)
  const value = rows[at]?.[column]
  if (value === undefined) return rows
  const other =
    typeof value === 'number'
      ? value + 1
      : new Uint8Array(value instanceof Uint8Array && value.length === 32 ? 32 : 2).fill(9)
  return rows.map((row, place) => (place === at ? row.with(column, other) : row))
}

async function refusedAtAll(store: Database, chainId: DemoChainId, table: string): Promise<void> {
  const found = await check(store, chainId, { percent: 100 })
  assert.equal(found.state, 'stopped')
  assert.match(found.reason ?? '', otherRowsOf(table))
  // It stays refused, whatever is compared then.
  const again = await check(store, chainId, { percent: 1 })
  assert.deepEqual([again.state, again.reason], ['stopped', found.reason])
}

function byKey(a: Row, b: Row): number {
  for (const [at, value] of a.entries()) {
    const difference = Number(value) - Number(b[at])
    if (difference !== 0) return difference
  }
  return 0
}
