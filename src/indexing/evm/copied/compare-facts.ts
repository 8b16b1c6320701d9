/** Compares facts of a copied history and their lists with the rows that the node's blocks make. */

import { zstdDecompressSync } from 'node:zlib'

import { compareBytes } from '../../../core/bytes.ts'
import { assert } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import {
  type Column,
  type Reader,
  type Row,
  statement,
  type Statement,
  type Value,
} from '../../../store/engine/database.ts'
import { columnNames, stageOf, type Table } from '../../../store/engine/table.ts'
import {
  block,
  event,
  eventByKind,
  internal,
  internalByAddress,
  transfer,
  transferByAddress,
  transferByToken,
  tx,
  txByAddress,
  txByHash,
  txFailed,
} from '../../../store/schema/evm.ts'
import { placesPerBlock } from '../../../store/schema/places.ts'
import { differs } from './difference.ts'

/** Tables whose rows lie in order of history: those of a range are read whole. */
const factTables = [block, tx, txFailed, transfer, event] as const
/** Lists of them, in another order: each row that must be there is looked up. */
const listTables = [txByHash, txByAddress, transferByAddress, transferByToken, eventByKind] as const

/** Tables that blocks fill, and those that traces fill. */
export const blockRowTables: readonly Table[] = [...factTables, ...listTables]
export const traceRowTables: readonly Table[] = [internal, internalByAddress]

const rangeTables = factTables.map(rangeTable)
const tracedRangeTable = rangeTable(internal)

/** Rows that blocks of `range` make. */
export type FactsToCompare = {
  readonly range: HeightRange
  readonly rows: ReadonlyMap<Table, readonly Row[]>
  /** True where rows of traces are among them. */
  readonly isTraced: boolean
}

/** Throws `source-mismatch` for the first row of the copy that is not what the node's blocks make. */
export async function compareFacts(reader: Reader, facts: FactsToCompare): Promise<void> {
  const { range, rows, isTraced } = facts
  for (const each of isTraced ? [...rangeTables, tracedRangeTable] : rangeTables)
    await compareRange(reader, each, { range, told: rows.get(each.table) ?? [] })
  for (const table of isTraced ? [...listTables, internalByAddress] : listTables)
    await compareList(reader, table, rows.get(table) ?? [])
  await compareHashes(reader, rows.get(block) ?? [])
}

const heightsOfHash = statement('select height from block where hash_prefix = ?', {
  over: 'oldest',
})

/** A block must be found by its hash, too. */
async function compareHashes(reader: Reader, told: readonly Row[]): Promise<void> {
  for (const row of told) {
    const [height, hash, prefix] = [itemAt(row, 0), itemAt(row, 1), itemAt(row, 2)]
    const found = await reader.all(heightsOfHash, [prefix])
    if (found.some((each) => each[0] === height)) continue
    const where = { height: Number(height), table: block.name, column: 'hash_prefix' }
    throw differs({ ...where, copied: undefined, told: hash })
  }
}

/** Throws `source-mismatch` where the hash below a range is not the parent of its first block. */
export async function compareParent(
  reader: Reader,
  height: number,
  told: Uint8Array,
): Promise<void> {
  const copied = (await reader.get(hashAt, [height - 1]))?.[0]
  if (copied instanceof Uint8Array && compareBytes(copied, told) === 0) return
  throw differs({ height: height - 1, table: block.name, column: 'hash', copied, told })
}

const hashAt = statement('select hash from block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})

type RangeToCompare = {
  readonly range: HeightRange
  readonly told: readonly Row[]
}

async function compareRange(
  reader: Reader,
  { table, question }: RangeTable,
  { range, told }: RangeToCompare,
): Promise<void> {
  const scale = table.key[0] === 'pos' ? placesPerBlock : 1
  const copied = await reader.all(question, [range.from * scale, range.until * scale])
  const names = columnNames(table)
  for (let at = 0; at < Math.max(copied.length, told.length); at++) {
    const [own, wanted] = [copied[at], told[at]]
    const place = Number((wanted ?? own)?.[0])
    const height = Math.floor(place / scale)
    const where = { height, table: table.name }
    const [key = ''] = names
    if (own === undefined || wanted === undefined)
      throw differs({ ...where, column: key, copied: own?.[0], told: wanted?.[0] })
    for (const [column, name] of names.entries()) {
      const [has, must] = [itemAt(own, column), itemAt(wanted, column)]
      const isSame = name === 'inputs' ? isCompressed(has, must) : isEqual(has, must)
      if (!isSame) throw differs({ ...where, column: name, copied: has, told: must })
    }
  }
}

/** A table whose rows of a range are read whole, in the order of its key. */
type RangeTable = { readonly table: Table; readonly question: Statement }

function rangeTable(table: Table): RangeTable {
  const [key = ''] = table.key
  const names = columnNames(table).join(', ')
  return {
    table,
    question: statement<string>(
      `select ${names} from ${table.name} where ${key} >= ? and ${key} < ? order by ${key}`,
      {
        over: 'oldest',
        within: key === 'pos' ? { pos: [0, 1] } : { height: [0, 1] },
        stage: stageOf(table),
      },
    ),
  }
}

async function compareList(reader: Reader, table: Table, told: readonly Row[]): Promise<void> {
  if (told.length === 0) return
  assert(columnNames(table).join() === table.key.join(), 'a row of a list is its key')
  const column = itemAt(table.key, 0)
  const keys: Column[] = table.key.map((_, at) => told.map((row) => itemAt(row, at)))
  const found = await reader.lookup({ table, key: table.key, select: [column] }, keys)
  const missing = told.find((_, at) => found[at] === undefined)
  if (missing === undefined) return
  const height = Math.floor(Number(missing.at(-1)) / placesPerBlock)
  const value = itemAt(missing, 0)
  throw differs({ height, table: table.name, column, copied: undefined, told: value })
}

/** Returns whether two stored values are equal. */
export function isEqual(one: Value | undefined, other: Value | undefined): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array)
    return compareBytes(one, other) === 0
  return one === other
}

/** Returns whether `kept` is `told`, compressed; it is never unpacked to more than that. */
function isCompressed(kept: Value, told: Value): boolean {
  if (!(kept instanceof Uint8Array) || !(told instanceof Uint8Array)) return false
  if (told.length === 0 || kept.length === 0) return told.length === kept.length
  try {
    const bytes = zstdDecompressSync(kept, { maxOutputLength: told.length })
    return compareBytes(bytes, told) === 0
  } catch (error) {
    // Other bytes than a compressor makes, or more of them.
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
