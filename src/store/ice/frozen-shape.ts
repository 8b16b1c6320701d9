/**
 * Layout of tables in segments. It follows from their declarations: whoever adds a table of history
 * declares it once.
 */

import { assert } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { columnNames, type Table, typeOf } from '../engine/table.ts'
import { rowsPerGroup } from './packed-rows.ts'
import type { ColumnForm } from './row-columns.ts'

/** A table in a segment. Its rows lie in order of their first `keyLength` columns. */
export type FrozenShape = {
  readonly name: string
  readonly columns: readonly string[]
  readonly forms: readonly ColumnForm[]
  readonly keyLength: number
  /** Rows of a group; the last one of a table may have fewer. */
  readonly groupRows: number
  /**
   * Of an index: the table whose rows it leads to, by the columns of its own key after the first.
   */
  readonly leadsTo?: string
  /** As its table does, where that is not `whole`. */
  readonly freezes?: 'running' | 'firsts'
}

/** Column that says where in history a row is. */
export function placeColumn(table: Table): string {
  const names = table.freezes === 'firsts' ? columnNames(table) : table.key
  return itemAt(names, names.length - 1)
}

/**
 * Returns whether the first column of a table is the id of an address, or of a token, which is its
 * contract's: such columns are named so. A segment has a filter of them.
 */
export function leadsWithId({ columns, forms }: Pick<FrozenShape, 'columns' | 'forms'>): boolean {
  return forms[0] === 'integer' && itemAt(columns, 0).endsWith('_id')
}

/** Shapes of a table that freezes: its own, and one for each of its indexes. */
export function shapesOf(table: Table): FrozenShape[] {
  const columns = columnNames(table)
  assert(
    table.key.every((name, at) => columns[at] === name),
    `the columns of ${table.name} begin with its key`,
  )
  const own = {
    columns,
    forms: formsOf(table, columns),
    keyLength: table.key.length,
    groupRows: table.groupRows ?? rowsPerGroup,
    ...(table.freezes === undefined || table.freezes === 'whole' ? {} : { freezes: table.freezes }),
  }
  const indexes = table.indexes.map(({ name, columns: indexed, where }) => {
    assert(where === undefined, `index ${name} has all rows of ${table.name}`)
    const all = [...indexed, ...table.key]
    return {
      name,
      columns: all,
      forms: formsOf(table, all),
      keyLength: all.length,
      groupRows: rowsPerGroup,
      leadsTo: table.name,
    }
  })
  return [{ name: table.name, ...own }, ...indexes]
}

function formsOf(table: Table, columns: readonly string[]): ColumnForm[] {
  return columns.map((name) => {
    if (name === 'pos') return 'place'
    const type = typeOf(table, name)
    if (type === 'bytes' || type === 'bytes?') return 'bytes'
    assert(type === 'integer' || type === 'integer?', `a segment can hold ${table.name}.${name}`)
    return 'integer'
  })
}
