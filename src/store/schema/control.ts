/** Tables every store has: what it is, how far it got, who may write it. */

import { rangeSum } from './sums.ts'
import { table } from './table.ts'

/** Facts about the store: chain id, genesis hash, blockchain id, by name. */
export const meta = table(
  'meta',
  { name: 'text', value: 'text' },
  { key: ['name'], layout: 'keyed', sums: {} },
)

/** Name in `meta` of the height from which traces are complete, where that is not the first one. */
export const tracesSinceName = 'tracesSince'

/** Name in `meta` of the segments that hold history; see `store/history/manifest.ts`. */
export const segmentsName = 'segments'

/** Name in `meta` of what hashes do not prove of the stored blocks; see `heights.ts`. */
export const proofsName = 'proofs'

/** Name in `meta` of the moment at which the stored height was last a node's head; see `heights.ts`. */
export const currentAtName = 'currentAt'

/** Name in `meta` of the moment from which logs freeze, Unix milliseconds; see `logs-freeze-from.ts`. */
export const logsFreezeFromName = 'logsFreezeFrom'

/** Name in `meta` of what is known of a copied history; see `store/copied-history.ts`. */
export const copiedName = 'copied'

/**
 * Last height committed by each stage, with that block's hash, written in the same transaction
 * as the rows. `epoch` is the lease under which it was written.
 */
export const checkpoint = table(
  'checkpoint',
  { stage: 'text', height: 'integer', hash: 'bytes?', epoch: 'integer' },
  { key: ['stage'], layout: 'keyed' },
)

/** The writer. `epoch` grows with every new one; a commit under an older epoch fails. */
export const lease = table(
  'lease',
  { id: 'integer', epoch: 'integer', owner: 'text', until_ms: 'integer' },
  { key: ['id'], layout: 'rows' },
)

/**
 * The layout of the store, one row that engines make and read: its number, the oldest one whose version can read it and
 * the oldest whose version can write it, and the version of the product that made it. SQLite has the number in
 * `user_version`, too.
 */
export const storeLayout = table(
  'firn_format',
  { version: 'integer', readable_from: 'integer', writable_from: 'integer', firn: 'text' },
  { key: ['version'], layout: 'rows' },
)

/** In order of creation. */
export const controlTables = [meta, checkpoint, lease, rangeSum] as const
