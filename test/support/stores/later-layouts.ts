/** Layouts of a version that comes after this one. */

import type { Migration } from '../../../src/store/migrations/migration.ts'
import { type Layouts, ownLayout, ownLayouts } from '../../../src/store/migrations/migrations.ts'
import { table } from '../../../src/store/schema/table.ts'

/** Had a table that is gone, so that this version cannot read its stores; or only something more. */
export function laterLayouts(change: 'takes' | 'adds'): Layouts {
  const gone = table('gone', { id: 'integer' }, { key: ['id'], layout: 'rows' })
  const later: Migration = {
    layout: ownLayout + 1,
    gives: 'nothing',
    before: change === 'takes' ? [gone] : [],
    makes: [],
  }
  return { ...ownLayouts, migrations: [...ownLayouts.migrations, later] }
}
