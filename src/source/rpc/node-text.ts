/**
 * A node's JSON, in which nothing is certain: the only place where its text becomes ids, bytes and
 * numbers (`.oxlintrc.json` keeps the parsers out of the files around it).
 *
 * Length is looked at before form. What is not as it must be is the node's fault, `node-answer`: it
 * is requested again, and elsewhere.
 */

import { fromHex } from '../../core/bytes.ts'
import { parseId, parseNodeId } from '../../core/cb58.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'

/** A JSON object of an answer. */
export type Reply = Readonly<Record<string, unknown>>

/** The object that `value` is. */
export function replyOf(value: unknown, what: string): Reply {
  if (isObject(value) && !Array.isArray(value)) return value
  throw bad(`no object: ${what}`)
}

/** Member `name` of `value`; `undefined` where there is none. */
export function fieldIn(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.getOwnPropertyDescriptor(value, name)?.value
}

/** A member that is text: to be compared or shown, never to be parsed elsewhere. */
export function textIn(value: unknown, name: string): string {
  const found = fieldIn(value, name)
  if (typeof found === 'string') return found
  throw bad(`no text: ${name}`)
}

/** A member that is a list; `null` is Go's empty one. */
export function listIn(value: unknown, name: string): readonly unknown[] {
  const found = fieldIn(value, name)
  if (found === null) return []
  if (Array.isArray(found)) return found
  throw bad(`no list: ${name}`)
}

/** A member that is an integer from 0 to 2^53 - 1: a number, or text in decimal or `0x` digits. */
export function integerIn(value: unknown, name: string): number {
  const found = fieldIn(value, name)
  const isWritten = typeof found === 'string' && /^(?:\d{1,16}|0x[0-9a-f]{1,14})$/i.test(found)
  const number = isWritten ? Number(found) : found
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw bad(`no integer: ${name}`)
}

/** A member that is an unsigned integer of 64 bits, in decimal text or as a number. */
export function u64In(value: unknown, name: string): bigint {
  const found = fieldIn(value, name)
  const written = typeof found === 'number' && Number.isSafeInteger(found) ? String(found) : found
  if (typeof written !== 'string' || !/^\d{1,20}$/.test(written)) throw bad(`no number: ${name}`)
  const number = BigInt(written)
  if (number >= 1n << 64n) throw bad(`more than 64 bits: ${name}`)
  return number
}

/** A member that is hex, with or without `0x`: as many bytes, or as most of them. */
export function bytesIn(value: unknown, name: string, size?: number): Uint8Array {
  const bytes = parsed(name, () => fromHex(textIn(value, name)))
  if (size !== undefined && bytes.length !== size) throw bad(`not ${size} bytes: ${name}`)
  return bytes
}

/** A member that is an id of 32 bytes. */
export function idIn(value: unknown, name: string): Uint8Array {
  return parsed(name, () => parseId(textIn(value, name)))
}

/** A member that is a node id; those of conversions may have another length and be hex. */
export function nodeIdIn(value: unknown, name: string): Uint8Array {
  return parsed(name, () => {
    const text = textIn(value, name)
    return text.startsWith('NodeID-') ? parseNodeId(text) : fromHex(text)
  })
}

/** A quantity of at most 32 bytes: `0x` and 1 to 64 digits. Leading zeros are taken. */
export function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 66 && /^0x[0-9a-f]+$/i.test(value)
}

/** Longest text of a state, 4 MiB in hex: pictures lie in some contracts. */
const longest = 2 * 4 * 2 ** 20 + 2

/** Text of more than 4 MiB in hex. */
export function isTooLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > longest
}

/** At most 4 MiB in hex: `0x` and an even number of digits. */
export function isBytes(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > longest) return false
  return value.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(value)
}

/** Reads an answer with `read`; a fault in it is the node's. */
export function parsed<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const code = faultOf(error)?.code
    if (code !== 'bad-text' && code !== 'bad-bytes') throw error
    throw bad(`badly written: ${what}`, error)
  }
}

function bad(why: string, cause?: unknown): Fault {
  return new Fault('node-answer', `a node's answer cannot be read, ${why}`, { cause })
}
