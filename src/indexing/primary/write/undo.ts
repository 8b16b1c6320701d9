/**
 * Changes that the newest batches of a chain made are noted beside their rows, so that they can be taken back: no
 * later block proves the newest one, and a node may have given another than the network accepted.
 *
 * Numbers of addresses, nodes and assets stay given, and lists that grew long stay ordered: other chains use
 * them, and nobody sees them.
 */

import { deserialize, serialize } from 'node:v8'

import { assert } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { moveCheckpoint, type Checkpoint, getCheckpoint } from '../../../store/checkpoint.ts'
import {
  type Columns,
  columnOf,
  type Reader,
  type Row,
  type MaybePromise,
  statement,
  type Value,
  valueAt,
  type Writer,
} from '../../../store/engine/database.ts'
import { openHolding, orderedList } from '../../../store/schema/primary/ledger.ts'
import { address, asset, node, primaryTables, undo } from '../../../store/schema/primary/tables.ts'
import { type Table, typeOf } from '../../../store/schema/table.ts'
import type { ChainName } from '../batch/ledger-rows.ts'
import { putInOrder } from './ordered-lists.ts'

/** A batch of more heights is not noted: it came in a backfill. The newest block of P comes with up to two more. */
export const mostNotedHeights = 3
/** Newest batches of a chain that can be taken back. */
export const batchesKept = 16

const keptTables = new Set<Table>([address, asset, node, orderedList])

/** Takes back a change of rows: of a table, by its columns. */
export type Change = {
  readonly table: string
  readonly how: 'insert' | 'update' | 'remove'
  readonly columns: Readonly<Record<string, readonly Value[]>>
}

type Undo = { readonly before: Checkpoint; readonly changes: readonly Change[] }

/** Writes as `writer` does, and notes in `changes` how that is taken back, the last change first. */
export function noting(writer: Writer, changes: Change[]): Writer {
  const note = (table: Table, how: Change['how'], names: string[], rows: readonly Row[]): void => {
    if (rows.length > 0) changes.unshift(changeOf(table, how, names, rows))
  }
  const find = async (
    table: Table,
    keys: readonly Row[],
    select: readonly string[],
  ): Promise<(Row | undefined)[]> => {
    const columns = table.key.map((_, at) => keys.map((key) => itemAt(key, at)))
    return writer.lookup({ table, key: table.key, select, bigints: true }, columns)
  }
  /** Notes rows by their keys: those that are there with their values of `names`, others as added. */
  const noteRows = async (
    table: Table,
    columns: Columns,
    names: readonly string[],
  ): Promise<void> => {
    const keys = keysIn(table, columns)
    const found = await find(table, keys, names.length === 0 ? table.key : names)
    const added = keys.filter((_, row) => found[row] === undefined)
    if (!keptTables.has(table)) note(table, 'remove', [...table.key], added)
    if (names.length === 0) return
    const known = keys.flatMap((key, row) => (found[row] ? [[...key, ...found[row]]] : []))
    note(table, 'update', [...table.key, ...names], known)
  }
  return {
    ...writer,
    insert: async (table, columns) => {
      await writer.insert(table, columns)
      if (!keptTables.has(table)) note(table, 'remove', [...table.key], keysIn(table, columns))
    },
    insertNew: async (table, columns) => {
      await noteRows(table, columns, [])
      await writer.insertNew(table, columns)
    },
    upsert: async (table, columns) => {
      await noteRows(table, columns, besidesKey(table, columns))
      await writer.upsert(table, columns)
    },
    update: async (table, columns) => {
      await noteRows(table, columns, besidesKey(table, columns))
      await writer.update(table, columns)
    },
    remove: async (table, columns, known) => {
      const names = Object.keys(table.columns)
      const found = await find(table, keysIn(table, columns), names)
      note(
        table,
        'insert',
        names,
        found.filter((row) => row !== undefined),
      )
      await writer.remove(table, columns, known)
    },
  }
}

function besidesKey({ key }: Table, columns: Columns): string[] {
  return Object.keys(columns).filter((name) => !key.includes(name))
}

/** Keys of the rows of `columns`. */
function keysIn({ key }: Table, columns: Columns): Row[] {
  const parts = key.map((name) => columnOf(columns, name))
  return Array.from({ length: itemAt(parts, 0).length }, (_, row) =>
    parts.map((part) => valueAt(part, row)),
  )
}

function changeOf(
  table: Table,
  how: Change['how'],
  names: readonly string[],
  rows: readonly Row[],
): Change {
  const columns = names.map((name, at) => [
    name,
    rows.map((row) => {
      // A value as engines take it: looked up, every integer is a bigint.
      const value = itemAt(row, at)
      if (typeof value !== 'bigint' || typeOf(table, name).startsWith('amount')) return value
      return Number(value)
    }),
  ])
  return { table: table.name, how, columns: Object.fromEntries(columns) }
}

const forgetOld = statement(
  `delete from undo where chain = ? and height <
   (select height from undo where chain = ? order by height desc limit 1 offset ?)`,
)
const kept = statement('select body from undo where chain = ? and height = ?')

/** Keeps how the batch of `chain` that ends at `height` is taken back. */
export async function keepUndo(
  writer: Writer,
  { chain, height }: { readonly chain: ChainName; readonly height: number },
  of: Undo,
): Promise<void> {
  await writer.upsert(undo, { chain: [chain], height: [height], body: [serialize(of)] })
  await writer.run(forgetOld, [chain, chain, batchesKept - 1])
}

async function newestUndo(
  reader: Reader,
  chain: ChainName,
): Promise<(Undo & { readonly height: number }) | undefined> {
  const now = await getCheckpoint(reader, chain)
  const row = now && (await reader.get(kept, [chain, now.height]))
  if (now === undefined || row === undefined) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `keepUndo`
  return { height: now.height, ...(deserialize(row[0]) as Undo) }
}

/** The height that {@link takeBackBatch} would lead to; `undefined` where it cannot. */
export async function takenBackTo(reader: Reader, chain: ChainName): Promise<number | undefined> {
  return (await newestUndo(reader, chain))?.before.height
}

/**
 * Takes the newest batch of `chain` back. Returns whether it could: batches of a backfill are not noted.
 * What is held in memory must be loaded anew.
 */
export async function takeBackBatch(
  writer: Writer,
  chain: ChainName,
  epoch: number,
): Promise<boolean> {
  const noted = await newestUndo(writer, chain)
  if (noted === undefined) return false
  const { before, changes, height } = noted
  const again: Readonly<
    Record<Change['how'], (table: Table, columns: Columns) => MaybePromise<void>>
  > = writer
  for (const { table: name, how, columns } of changes) {
    const table = primaryTables.find((one) => one.name === name)
    assert(table !== undefined, 'a table that was written is there')
    await again[how](table, columns)
    if (table === openHolding && how === 'insert')
      await orderAgain(writer, columnOf(columns, 'list'))
  }
  await writer.remove(undo, { chain: [chain], height: [height] })
  await moveCheckpoint(writer, chain, { before: height, after: before, epoch })
  return true
}

const isOrdered = statement('select 1 from ordered_list where list = ?')

/** Lists may have been put in order since. */
async function orderAgain(writer: Writer, lists: Columns[string]): Promise<void> {
  const all = new Set(Array.from({ length: lists?.length ?? 0 }, (_, at) => valueAt(lists, at)))
  for (const list of all)
    if ((await writer.get(isOrdered, [list])) !== undefined) await writer.run(putInOrder, [list])
}
