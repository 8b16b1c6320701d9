/** Reading a node's JSON, in which nothing is certain. */

import { Fault } from '../core/fault.ts'

/** The object `value` is. Throws `node-answer`. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('node-answer', `an object was expected: ${typeof value}`)
  }
  return Object.fromEntries(Object.entries(value))
}

/** Member `name` of `value`; `undefined` when there is none. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

/** Member `name`, which must be text. Throws `node-answer`. */
export function text(value: unknown, name: string): string {
  const found = field(value, name)
  if (typeof found !== 'string') throw new Fault('node-answer', `text was expected: ${name}`)
  return found
}

/** Member `name`, which must be a list. Throws `node-answer`. */
export function list(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name)
  // A Go nil slice is `null`.
  if (found === null) return []
  if (!Array.isArray(found)) throw new Fault('node-answer', `a list was expected: ${name}`)
  return found
}

/**
 * Member `name`, an unsigned number of 64 bits in decimal text or as a number. Throws
 * `node-answer`.
 */
export function u64Text(value: unknown, name: string): bigint {
  const found = field(value, name)
  const written = typeof found === 'number' && Number.isSafeInteger(found) ? String(found) : found
  if (typeof written !== 'string' || !/^\d{1,20}$/.test(written)) {
    throw new Fault('node-answer', `a number was expected: ${name}`)
  }
  const number = BigInt(written)
  if (number >= 1n << 64n) throw new Fault('node-answer', `more than 64 bits: ${name}`)
  return number
}
