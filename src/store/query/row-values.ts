/**
 * Typed values of a row, by place.
 *
 * The engines give values of any kind; a statement knows what each place holds. A value of
 * another kind means that statement and reader disagree, which is our bug.
 */

import type { Row } from '../engine/database.ts'
import { bytesValue, integerValue, textValue } from './stored-row.ts'

/** An integer that is never NULL. */
export function integerAt(row: Row, at: number): number {
  return integerValue(row[at])
}

/** An integer or NULL. */
export function maybeIntegerAt(row: Row, at: number): number | undefined {
  return row[at] === null ? undefined : integerValue(row[at])
}

/** Bytes that are never NULL. */
export function bytesAt(row: Row, at: number): Uint8Array {
  return bytesValue(row[at])
}

/** Bytes or NULL. */
export function maybeBytesAt(row: Row, at: number): Uint8Array | undefined {
  return row[at] === null ? undefined : bytesValue(row[at])
}

/** Text that is never NULL. */
export function textAt(row: Row, at: number): string {
  return textValue(row[at])
}
