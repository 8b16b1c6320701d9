/**
 * Usage of the callers of one deployment, in a store of its own, to which every serving process adds
 * and from which it reads.
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

/**
 * Answers to keys, counted: one row per key, hour since 1970, operation, status, chain and duration.
 * `chain` is as the path named it, empty without one. `bucket`: the duration was 2^(bucket / 2) ms to
 * 2^((bucket + 1) / 2) ms. `units` are the compute units of all of them.
 */
const apiCallHour = table(
  'api_call_hour',
  {
    key_id: 'text',
    hour: 'integer',
    path: 'text',
    status: 'integer',
    chain: 'text',
    bucket: 'integer',
    requests: 'integer',
    units: 'integer',
  },
  {
    key: ['key_id', 'hour', 'path', 'status', 'chain', 'bucket'],
    layout: 'keyed',
    indexes: [{ name: 'api_call_hour_by_hour', columns: ['hour'] }],
  },
)

/** The newest answers to each key. `at_ms` is when they were given; `body` is JSON of the rest. */
export const apiCall = table(
  'api_call',
  {
    key_id: 'text',
    at_ms: 'integer',
    id: 'text',
    status: 'integer',
    chain: 'text',
    path: 'text',
    body: 'text',
  },
  { key: ['key_id', 'at_ms', 'id'], layout: 'keyed' },
)

/** Name of the store of use, one for all processes. */
export const apiUseStore = 'api-use'

/** All tables of the store of use. */
export const apiUseTables = [apiUse, apiKeyUse, apiCallHour, apiCall] as const
