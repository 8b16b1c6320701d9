/**
 * What callers of one deployment have used, in a store of its own: every process that serves adds
 * to it and reads it.
 */

import { table } from '../engine/table.ts'

/**
 * Units used in the newest minute and day, one row per caller. `minute` and `day` are numbers of
 * windows since 1970. `caller` is `key:<id>` or `address:<address>`.
 */
const apiUse = table(
  'api_use',
  {
    caller: 'text',
    minute: 'integer',
    minute_used: 'integer',
    day: 'integer',
    day_used: 'integer',
  },
  { key: ['caller'], layout: 'keyed', indexes: [{ name: 'api_use_by_day', columns: ['day'] }] },
)

/** When a key was last used, Unix seconds. */
export const apiKeyUse = table(
  'api_key_use',
  { id: 'text', used_at: 'integer' },
  { key: ['id'], layout: 'keyed' },
)

/** Name of the store of use, one for all processes. */
export const apiUseStore = 'api-use'

/** All tables of the store of use. */
export const apiUseTables = [apiUse, apiKeyUse] as const
