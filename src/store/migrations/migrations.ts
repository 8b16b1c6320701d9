/** The migrations of stores, in the order of their layouts. */

import { everyTable } from '../schema/stores.ts'
import type { Table } from '../schema/table.ts'
import { type Migration, newestLayout } from './migration.ts'

/** Tables of the newest layout, and how stores of layouts before get there. */
export type Layouts = {
  readonly tables: readonly Table[]
  readonly migrations: readonly Migration[]
}

/** Of this version. */
export const ownLayouts: Layouts = { tables: everyTable, migrations: [] }

/** Number of the layout that this version writes. */
export const ownLayout = newestLayout(ownLayouts.migrations)
