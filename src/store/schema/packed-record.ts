/** Records with named fields over packed values: the layout of the `body` columns. */

import { Fault } from '../../core/fault.ts'
import { pack, type Packable, unpack } from './packed.ts'

/** How a field's value is packed. */
export type Field<T> = {
  // A method, so that a field of some value is also a `Field<unknown>`.
  pack(value: T): Packable
  readonly unpack: (value: Packable) => T
}

type Fields = Readonly<Record<string, Field<unknown>>>
type ValueOf<F> = F extends Field<infer T> ? T : never

/** The record of a layout. */
export type RecordOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** A layout: bytes to record and back. */
export type Layout<T> = Field<T> & {
  readonly toBytes: (record: T) => Uint8Array
  readonly fromBytes: (bytes: Uint8Array) => T
}

/** Fields in this order. New ones go to the end and must take `undefined`. */
export function layout<const F extends Fields>(fields: F): Layout<RecordOf<F>> {
  const entries = Object.entries(fields)
  const toList = (record: RecordOf<F>): Packable[] =>
    entries.map(([name, field]) => field.pack(record[name]))
  const fromList = (values: readonly Packable[]): RecordOf<F> => {
    const record: Record<string, unknown> = {}
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at]
      if (entry !== undefined) record[entry[0]] = entry[1].unpack(values[at])
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every key has just been set
    return record as RecordOf<F>
  }
  return {
    pack: toList,
    unpack: (value) => fromList(listOf(value)),
    toBytes: (record) => pack(toList(record)),
    fromBytes: (bytes) => fromList(unpack(bytes)),
  }
}

/** An integer from 0 to 2^53. */
export const count: Field<number> = {
  pack: (value) => value,
  unpack: (value) => (typeof value === 'number' ? value : fail('number', value)),
}

/** An integer of any size and sign. */
export const big: Field<bigint> = {
  pack: (value) => value,
  unpack: (value) => (typeof value === 'bigint' ? value : fail('bigint', value)),
}

/** Bytes. */
export const bytes: Field<Uint8Array> = {
  pack: (value) => value,
  unpack: (value) => (value instanceof Uint8Array ? value : fail('bytes', value)),
}

/** Text. */
export const text: Field<string> = {
  pack: (value) => value,
  unpack: (value) => (typeof value === 'string' ? value : fail('text', value)),
}

/** Yes or no. */
export const flag: Field<boolean> = {
  pack: (value) => (value ? 1 : 0),
  unpack: (value) => value === 1,
}

/** A value that may be missing. */
export function maybe<T>(field: Field<T>): Field<T | undefined> {
  return {
    pack: (value) => (value === undefined ? undefined : field.pack(value)),
    unpack: (value) => (value === undefined ? undefined : field.unpack(value)),
  }
}

/** Any number of values. An empty list takes no room at the end of a record. */
export function list<T>(field: Field<T>): Field<readonly T[]> {
  return {
    pack: (values) => (values.length === 0 ? undefined : values.map((value) => field.pack(value))),
    unpack: (value) => (value === undefined ? [] : listOf(value).map(field.unpack)),
  }
}

function listOf(value: Packable): readonly Packable[] {
  return typeof value === 'object' && !(value instanceof Uint8Array) ? value : fail('list', value)
}

function fail(wanted: string, value: Packable): never {
  throw new Fault('store-failed', `a stored record has no ${wanted} where it must: ${typeof value}`)
}
