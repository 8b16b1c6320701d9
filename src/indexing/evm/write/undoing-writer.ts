/** A writer that takes away what it is told to add. */

import { assert } from '../../../core/fault.ts'
import type { Columns, Writer } from '../../../store/engine/database.ts'
import type { Table } from '../../../store/engine/table.ts'

/**
 * `writer` with inserts turned into removals by key: what wrote rows takes the same rows away. For
 * code that only inserts.
 */
export function undoing(writer: Writer): Writer {
  const refuse = (): never => {
    throw new Error('only inserts can be undone')
  }
  return {
    all: writer.all,
    get: writer.get,
    lookup: writer.lookup,
    insert: (table, columns) => writer.remove(table, keysOf(table, columns)),
    run: refuse,
    insertNew: refuse,
    upsert: refuse,
    update: refuse,
    remove: refuse,
    clear: refuse,
  }
}

function keysOf(table: Table, columns: Columns): Columns {
  const keys: Record<string, Columns[string]> = {}
  for (const name of table.key) {
    const column = columns[name]
    assert(column !== undefined, 'inserted rows have their keys')
    keys[name] = column
  }
  return keys
}
