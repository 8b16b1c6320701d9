/** Progress of a migration into this place; the store is removed when it is finished. */

import { table } from '../engine/table.ts'

/**
 * A store that is being copied. `source` is what the store it comes from said of itself when its
 * copy began; `phase` is `copying`, `whole` once both were compared, or `moving` once all are whole
 * and get their names.
 */
export const migratedStore = table(
  'migrated_store',
  { name: 'text', source: 'text', phase: 'text' },
  { key: ['name'], layout: 'keyed' },
)

/** Name of the store of notes. */
export const migrationStore = 'migration'

/** Its tables. */
export const migrationTables = [migratedStore] as const

/** Ending of the name of a store that is not whole yet. */
export const copyEnding = '-migrating'
