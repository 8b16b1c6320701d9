/**
 * The tables that a segment of one stage must have: those of the layout that wrote it, whose number it carries.
 *
 * A file of an older layout is read through views that have the columns which came since, as NULL: nothing is written
 * anew for a migration. What a merge writes has the newest layout.
 */

import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { statement } from '../engine/database.ts'
import { sqliteDdl } from '../engine/ddl.ts'
import { firstLayout, newestLayout, tablesAt } from '../migrations/migration.ts'
import { type Layouts, ownLayouts } from '../migrations/migrations.ts'
import { everyTable } from '../schema/stores.ts'
import { columnNames, type HistoryStage, stageOf, type Table } from '../schema/table.ts'
import { SqliteConnection } from '../sqlite/connection.ts'

/** Sets the number of the layout of a file, and reads it. */
export const layoutPragma = 'user_version'

/** The form of segments with `tables`, in each layout. */
export class SegmentSchema {
  readonly tables: readonly Table[]
  readonly #layouts: Layouts
  /** The layout in which segments are written. */
  readonly newest: number
  readonly #texts = new Map<number, string>()

  constructor(tables: readonly Table[], layouts: Layouts = ownLayouts) {
    this.tables = tables
    this.#layouts = layouts
    this.newest = newestLayout(layouts.migrations)
  }

  /**
   * Lets statements of this version read the file of a connection, which nothing was read from before; returns its
   * layout. Throws `store-failed` where it has other tables than its layout says.
   */
  fit(connection: SqliteConnection, path: string): number {
    // Before 1.0 files had no number.
    const layout = connection.pragma(layoutPragma) || firstLayout
    // A newer one is read as long as its tables have the columns of ours: the store says whether they mean the same.
    if (
      layout < firstLayout ||
      !(layout > this.newest ? this.#isWider(connection) : this.#isOf(layout, connection))
    )
      throw new Fault('store-failed', `segment has other tables than those of Firn: ${path}`)
    if (layout < this.newest)
      for (const table of this.tables)
        if (this.#lacks(table, layout))
          connection.exec(
            `create temp view ${table.name} as select ${this.columns(table, layout)} from main.${table.name}`,
          )
    return layout
  }

  /** The columns of a table as a statement selects them from a file of `layout`. */
  columns(table: Table, layout: number): string {
    const then = new Set(
      this.#at(layout).flatMap((each) => (each.name === table.name ? columnNames(each) : [])),
    )
    return columnNames(table)
      .map((name) => (layout > this.newest || then.has(name) ? name : `null as ${name}`))
      .join(', ')
  }

  #lacks(table: Table, layout: number): boolean {
    return this.columns(table, layout) !== columnNames(table).join(', ')
  }

  #isOf(layout: number, connection: SqliteConnection): boolean {
    const text = this.#texts.get(layout) ?? schemaOf(this.#at(layout))
    this.#texts.set(layout, text)
    return schemaIn(connection) === text
  }

  #isWider(connection: SqliteConnection): boolean {
    const hasOthers = connection.all(othersQuestion).length > 0
    const present = connection.all(columnsQuestion).map(String)
    return (
      !hasOthers &&
      this.tables.every(({ name, columns }) =>
        Object.keys(columns).every((column) => present.includes(`${name},${column}`)),
      )
    )
  }

  /** The tables of `layout`. */
  #at(layout: number): readonly Table[] {
    const { tables, migrations } = this.#layouts
    if (layout === this.newest) return this.tables
    const [stage] = this.tables.map(stageOf)
    return tablesAt(tables, migrations, layout).filter((table) => stageOf(table) === stage)
  }
}

/** Of the segments of every EVM chain, as this version writes them. */
export function ownSchema(stage: HistoryStage): SegmentSchema {
  return new SegmentSchema(everyTable.filter((table) => stageOf(table) === stage))
}

const schemaQuestion = statement(
  'select type, name, tbl_name, sql from sqlite_schema order by name',
)
/** Whatever would run with our rights. */
const othersQuestion = statement("select 1 from sqlite_schema where type not in ('table', 'index')")
const columnsQuestion = statement(
  "select t.name, c.name from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table'",
)

/** Text of the schema of a file of `tables`. */
function schemaOf(tables: readonly Table[]): string {
  using empty = new SqliteConnection({
    path: ':memory:',
    name: 'of no segment',
    readOnly: false,
    cachePages: 16,
    busyTimeoutMs: 0,
  })
  for (const table of tables) empty.exec(itemAt(sqliteDdl(table), 0))
  for (const table of tables) for (const index of sqliteDdl(table).slice(1)) empty.exec(index)
  return schemaIn(empty)
}

function schemaIn(connection: SqliteConnection): string {
  return JSON.stringify(connection.all(schemaQuestion))
}
