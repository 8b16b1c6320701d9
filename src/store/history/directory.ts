/**
 * The directory of history: which of the files that stay have rows of an address, of a token, or of the beginning of a
 * hash.
 *
 * A file of it covers neighbouring segments that are not merged any more. It is made of them alone, lies beside them, and
 * may be lost: who cannot read it asks all segments. So nothing but the time of an answer depends on it.
 */

import { type KeyKind, type Statement, statement } from '../engine/database.ts'
import { type HistoryStage, type Table, table } from '../schema/table.ts'
import type { ManifestSegment } from './manifest.ts'
import type { SegmentWriter } from './segment-file.ts'
import { SegmentSchema } from './segment-schema.ts'

/** Segments that have a key, by their first height. */
function placesOf(name: string): Table {
  const shape = { key: ['id', 'height'], layout: 'keyed', freezes: 'whole' } as const
  return table(name, { id: 'integer', height: 'integer' }, shape)
}

const tables: Readonly<Record<KeyKind, Table>> = {
  address: placesOf('place_of_address'),
  token: placesOf('place_of_token'),
  hash: placesOf('place_of_hash'),
}

/** The form of a file of the directory, of any stage. */
export function directorySchema(): SegmentSchema {
  return new SegmentSchema(Object.values(tables))
}

/** Heights of the segments that have a key. Parameters: the key, the first height, and the one behind the last. */
export const placesQuestion: Readonly<Record<KeyKind, Statement>> = {
  address: placesStatement(tables.address),
  token: placesStatement(tables.token),
  hash: placesStatement(tables.hash),
}

function placesStatement({ name }: Table): Statement {
  const text = `select height from ${name} where id = ? and height >= ? and height < ?`
  return statement<string>(text, { over: undefined })
}

/** Where the keys of a segment stand: table and column. */
const sources: Readonly<Record<HistoryStage, readonly (readonly [KeyKind, string, string])[]>> = {
  blocks: [
    ['address', 'evm_transaction_by_address', 'address_id'],
    ['address', 'transfer_by_address', 'address_id'],
    ['address', 'balance', 'address_id'],
    ['token', 'transfer_by_token', 'token_id'],
    ['token', 'holding', 'token_id'],
    ['hash', 'evm_transaction_by_hash', 'hash_prefix'],
    ['hash', 'evm_block', 'hash_prefix'],
  ],
  traces: [['address', 'internal_by_address', 'address_id']],
}

/** Writes the keys of segments of one stage, which are attached as `s0`, `s1` and so on, and begin at `heights`. */
export function writePlaces(
  { connection }: SegmentWriter,
  stage: HistoryStage,
  heights: readonly number[],
): void {
  for (const [kind, { name }] of Object.entries(tables)) {
    const own = sources[stage].filter(([each]) => each === kind)
    if (own.length === 0) continue
    const keys = heights.map((height, at) => {
      const all = own.map(([, from, column]) => `select ${column} as id from s${at}.${from}`)
      return `select distinct id, ${height} from (${all.join(' union all ')})`
    })
    connection.exec(`insert into main.${name} ${keys.join(' union all ')} order by 1, 2`)
  }
}

/** Segments of one stage whose places `directory` has. */
export function covered(
  segments: readonly ManifestSegment[],
  directory: readonly ManifestSegment[],
): readonly ManifestSegment[] {
  return segments.filter((segment) =>
    directory.some(
      ({ stage, from, until }) =>
        segment.stage === stage && segment.from >= from && segment.until <= until,
    ),
  )
}
