/** Layouts of a version that comes after this one. */

import type { Migration } from '../../../src/store/migrations/migration.ts'
import { type Layouts, ownLayout, ownLayouts } from '../../../src/store/migrations/migrations.ts'
import { checkpoint } from '../../../src/store/schema/control.ts'
import { block, cutMessages } from '../../../src/store/schema/evm.ts'
import { chainTables } from '../../../src/store/schema/stores.ts'
import { heightsPerSum } from '../../../src/store/schema/sums.ts'
import { sumsBy, table, type Table } from '../../../src/store/schema/table.ts'

const fuller: Table = { ...checkpoint, columns: { ...checkpoint.columns, extra: 'integer?' } }
const come = table('come', { id: 'integer' }, { key: ['id'], layout: 'rows' })

/**
 * `takes`: checkpoints have lost a column, so that this version cannot read a new store of that one; `adds`: stores
 * that have checkpoints have a table more.
 */
export function laterLayouts(change: 'takes' | 'adds'): Layouts {
  const later: Migration = {
    layout: ownLayout + 1,
    gives: 'nothing',
    before: change === 'takes' ? [fuller] : [],
    makes: change === 'takes' ? [] : [{ table: come.name, beside: checkpoint.name }],
  }
  return {
    tables: [...ownLayouts.tables, come],
    migrations: [...ownLayouts.migrations, later],
  }
}

const byHeight = sumsBy('height', heightsPerSum)

/** Blocks with a column more. */
export const laterBlock: Table = {
  ...block,
  columns: { ...block.columns, miner: 'bytes?' },
  sums: { ...byHeight, later: ['miner'] },
}
/** A new table. */
export const note = table(
  'note',
  { height: 'integer' },
  { key: ['height'], layout: 'rows', sums: byHeight },
)
const changed = (tables: readonly Table[]): readonly Table[] => [
  ...tables
    .filter(({ name: each }) => each !== cutMessages.name)
    .map((each) => (each === block ? laterBlock : each)),
  note,
]
/** Of a chain in {@link laterChain}. */
export const laterTables = changed(chainTables)
/** Blocks have a column more and a table beside them, and one table is gone. */
export const laterChain: Layouts = {
  tables: changed(ownLayouts.tables),
  migrations: [
    ...ownLayouts.migrations,
    {
      layout: ownLayout + 1,
      gives: 'who mined a block',
      before: [block, cutMessages],
      makes: [{ table: note.name, beside: block.name }],
    },
  ],
}
