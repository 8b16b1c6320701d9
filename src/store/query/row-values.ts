/**
 * Typed values of a row, by place.
 *
 * The engines give values of any kind; a statement knows what each place holds. A value of
 * another kind means that statement and reader disagree, which is our bug.
 */

import { assert } from '../../core/fault.ts'
import type { Row } from '../engine/database.ts'

/** An integer that is never NULL. */
export function integerAt(row: Row, at: number): number {
  const value = row[at]
  assert(typeof value === 'number', 'the statement selects an integer here')
  return value
}

/** An integer or NULL. */
export function maybeIntegerAt(row: Row, at: number): number | undefined {
  const value = row[at]
  if (value === null) return undefined
  assert(typeof value === 'number', 'the statement selects an integer here')
  return value
}

/** Bytes that are never NULL. */
export function bytesAt(row: Row, at: number): Uint8Array {
  const value = row[at]
  assert(value instanceof Uint8Array, 'the statement selects bytes here')
  return value
}

/** Bytes or NULL. */
export function maybeBytesAt(row: Row, at: number): Uint8Array | undefined {
  const value = row[at]
  if (value === null) return undefined
  assert(value instanceof Uint8Array, 'the statement selects bytes here')
  return value
}

/** Text that is never NULL. */
export function textAt(row: Row, at: number): string {
  const value = row[at]
  assert(typeof value === 'string', 'the statement selects text here')
  return value
}

/** Text or NULL. */
export function maybeTextAt(row: Row, at: number): string | undefined {
  const value = row[at]
  if (value === null) return undefined
  assert(typeof value === 'string', 'the statement selects text here')
  return value
}
