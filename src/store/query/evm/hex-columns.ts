/**
 * Byte columns read as text.
 *
 * A byte string costs a JavaScript engine far more to hand over than text of twice the length: a
 * page of ten transfers is read in half the time (23 instead of 50 us), and hashes are shown as
 * text anyway.
 */

import { type Statement, statement } from '../../engine/database.ts'

/** Words of one engine that give a byte column as `0x` and lower-case digits; NULL stays NULL. */
export type AsHex = (column: string) => string

const sqliteHex: AsHex = (column) => `'0x' || lower(hex(${column}))`
// `hex(NULL)` is empty in SQLite, so that a column that may be NULL asks first.
const sqliteMaybeHex: AsHex = (column) =>
  `case when ${column} is null then null else ${sqliteHex(column)} end`
const postgresHex: AsHex = (column) => `'0x' || encode(${column}, 'hex')`

/** A statement whose byte columns are written by `hex`, or `maybeHex` where NULL may be. */
export function hexStatement(text: (hex: AsHex, maybeHex: AsHex) => string): Statement {
  return statement(text(sqliteHex, sqliteMaybeHex), { postgres: text(postgresHex, postgresHex) })
}
