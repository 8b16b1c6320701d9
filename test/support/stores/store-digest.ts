/** Everything in a store, as one hash per table: two stores with equal digests hold equal rows. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'

import { type Reader, type Row, statement } from '../../../src/store/engine/database.ts'
import { amountCells, amountOf } from '../../../src/store/history/over-segments.ts'
import { columnNames, stageOf, type Table } from '../../../src/store/schema/table.ts'

/** Columns that are in the sums of a table: the others can tell by themselves when they are wrong. */
function summedColumns(table: Table): string[] {
  return columnNames(table).filter((name) => table.sums?.without?.includes(name) !== true)
}

/** Tables that streams beside the blocks fill, with names and metadata: they differ by when these looked. */
export const filledBeside: ReadonlySet<string> = new Set([
  'token',
  'token_word',
  'nft_token',
  'nft_metadata',
])

/** SHA-256 of the rows of each table in order of its key, by name of the table. */
export async function storeDigest(
  store: Reader,
  tables: readonly Table[],
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const table of tables) {
    const hash = createHash('sha256')
    const rows = await rowsOf(store, table)
    for (const row of rows)
      for (const value of row)
        hash.update(
          value instanceof Uint8Array
            ? `x${Buffer.from(value).toString('hex')};`
            : `${typeof value} ${String(value)};`,
        )
    digests[table.name] = `${rows.length} rows ${hash.digest('hex').slice(0, 16)}`
  }
  return digests
}

/** All rows of a table in order of its key: those of segments, whose amounts count anew, and then others. */
async function rowsOf(store: Reader, table: Table): Promise<readonly Row[]> {
  const question = statement<string>(
    `select ${summedColumns(table).join(', ')} from ${table.name} order by ${table.key.join(', ')}`,
    { bigints: true, over: 'tables' },
  )
  const history = store.history
  const stage = stageOf(table)
  if (history === undefined || stage === undefined) return store.all(question)
  const { segments, text } = await history.manifest(store)
  const parts: Row[][] = []
  for (const segment of segments)
    if (segment.stage === stage) parts.push((await history.file(segment)).all(question))
  parts.push(await store.all(question))
  // Rows that became history meanwhile were in neither.
  if ((await history.manifest(store)).text !== text) return rowsOf(store, table)
  const rows = new Map<string, Row>()
  const totals = new Map<string, bigint>()
  const value = columnNames(table).indexOf('value')
  for (const part of parts) {
    const before = new Map(totals)
    const begun = new Set<string>()
    for (const row of part) {
      const key = row.slice(0, table.key.length).join(' ')
      if (table.freezes !== 'running') {
        if (table.freezes === 'whole')
          assert.ok(!rows.has(key), `${table.name}: ${key} is there once`)
        if (!rows.has(key)) rows.set(key, row)
        continue
      }
      const pair = row.slice(0, 2).join(' ')
      const own = amountOf(row[value], row[value + 1])
      const known = before.get(pair)
      const isFirst = !begun.has(pair)
      begun.add(pair)
      // It changes nothing.
      if (isFirst && own === 0n && known !== undefined) continue
      const total = (known ?? 0n) + own
      totals.set(pair, total)
      const [size, negative] = amountCells(total)
      rows.set(key, row.with(value, size).with(value + 1, BigInt(negative)))
    }
  }
  return [...rows.values()].toSorted((one, other) => {
    for (let at = 0; at < table.key.length; at++) {
      const difference = Number(one[at]) - Number(other[at])
      if (difference !== 0) return difference
    }
    return 0
  })
}
