/** The migrations of stores, in the order of their layouts. */

import { everyTable } from '../schema/stores.ts'
import type { Table } from '../schema/table.ts'
import { nftMetadataBeforeNames } from './before-names.ts'
import { tablesBeforeSlots } from './before-slots.ts'
import { type Migration, newestLayout, tablesAt } from './migration.ts'

/** Tables of the newest layout, and how stores of layouts before get there. */
export type Layouts = {
  readonly tables: readonly Table[]
  readonly migrations: readonly Migration[]
}

const slots: Migration = {
  layout: 5,
  gives: 'slots in which validators were due to propose a block',
  before: tablesBeforeSlots,
  makes: [
    { table: 'passed_slot', beside: 'primary_block' },
    { table: 'proposer_day', beside: 'primary_block' },
  ],
}

const activity: Migration = {
  layout: 6,
  gives: 'the most active senders and the most called contracts of each day',
  before: [],
  makes: [{ table: 'activity_day', beside: 'evm_block' }],
}

const namesAndLogs: Migration = {
  layout: 7,
  gives: 'NFTs that are found by the name in their metadata, and files for the kept logs of chains',
  before: [nftMetadataBeforeNames],
  makes: [],
  freezes: ['log_entry'],
}

/** Of this version. */
export const ownLayouts: Layouts = {
  tables: everyTable,
  migrations: [slots, activity, namesAndLogs],
}

/** Number of the layout that this version writes. */
export const ownLayout = newestLayout(ownLayouts.migrations)

/** The layouts of the version that wrote `layout`: those until then. */
export function layoutsAt(layout: number): Layouts {
  const { tables, migrations } = ownLayouts
  return {
    tables: tablesAt(tables, migrations, layout),
    migrations: migrations.filter((each) => each.layout <= layout),
  }
}
