/** Records with named fields over packed values: the layout of the `body` columns. */

import { functionOfText } from '../../../core/columns.ts'
import { Fault } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import {
  type PackArena,
  type Packable,
  unpack,
  unpackFirst,
  writeAbsent,
  writeBigint,
  writeBytes,
  writeCount,
  writeList,
  writeNumber,
  writeText,
} from './packed.ts'

/** Packing of a field's value. */
export type Field<T> = {
  // A method, so that a field of some value is also a `Field<unknown>`.
  write(arena: PackArena, value: T): void
  /** Values that are not written: none, `undefined`, or a list without values. */
  readonly absent: 'never' | 'undefined' | 'empty'
  readonly unpack: (value: Packable) => T
}

// Most bodies are shorter; a longer one is moved once or twice.
const roomAtFirst = 256

type Fields = Readonly<Record<string, Field<unknown>>>
type ValueOf<F> = F extends Field<infer T> ? T : never

/** The record of a layout. */
export type RecordOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** A layout: bytes to record and back. */
export type Layout<T> = Field<T> & {
  readonly toBytes: (record: T) => Uint8Array
  /** Packs a record as the next bytes of an arena. */
  readonly append: (arena: PackArena, record: T) => void
  readonly fromBytes: (bytes: Uint8Array) => T
  /** The record that a longer one begins with: its other fields are not unpacked. */
  readonly fromStart: (bytes: Uint8Array) => T
}

/**
 * Writes how many fields follow, and these fields: absent ones at the end take no room. One
 * function for each layout: see `core/columns.ts`.
 */
function writerOf(
  names: readonly string[],
  kinds: readonly Field<unknown>[],
): (arena: PackArena, record: unknown) => void {
  const always = kinds.findLastIndex(({ absent }) => absent === 'never') + 1
  const isThere = (at: number): string =>
    kinds[at]?.absent === 'empty' ? `field${at}.length !== 0` : `field${at} !== undefined`
  const taken = names.map((name, at) => `const field${at} = record[${JSON.stringify(name)}]`)
  const lengths = names.map((_, at) => (at < always ? '' : `${isThere(at)} ? ${at + 1} :`))
  const written = names.map((_, at) => {
    const write = `kind${at}.write(arena, field${at})`
    return at < always ? write : `if (length > ${at}) ${write}; else return`
  })
  return functionOfText(
    { kinds, writeCount },
    `const [${names.map((_, at) => `kind${at}`).join()}] = kinds
    return (arena, record) => {
      ${taken.join('\n')}
      const length = ${lengths.toReversed().join(' ')} ${always}
      writeCount(arena, length)
      ${written.join('\n')}
    }`,
  )
}

/** Fields in this order. New ones go to the end and must take `undefined`. */
export function layout<const F extends Fields>(fields: F): Layout<RecordOf<F>> {
  const names: readonly string[] = Object.keys(fields)
  const kinds = Object.values(fields)
  const writeFields = writerOf(names, kinds)
  const fromList = (values: readonly Packable[]): RecordOf<F> => {
    const record: Record<string, unknown> = {}
    for (const [at, name] of names.entries()) record[name] = itemAt(kinds, at).unpack(values[at])
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every key has just been set
    return record as RecordOf<F>
  }
  return {
    absent: 'never',
    write: (arena, record) => {
      writeList(arena)
      writeFields(arena, record)
    },
    unpack: (value) => fromList(listOf(value)),
    toBytes: (record) => {
      const arena = { bytes: new Uint8Array(roomAtFirst), used: 0 }
      writeFields(arena, record)
      const written = arena.bytes.subarray(0, arena.used)
      return arena.used > roomAtFirst ? written.slice() : written
    },
    append: writeFields,
    fromBytes: (bytes) => fromList(unpack(bytes)),
    fromStart: (bytes) => fromList(unpackFirst(bytes, names.length)),
  }
}

/** An integer from 0 to 2^53. */
export const count: Field<number> = {
  absent: 'never',
  write: writeNumber,
  unpack: (value) => (typeof value === 'number' ? value : fail('number', value)),
}

/** An integer of any size and sign. */
export const big: Field<bigint> = {
  absent: 'never',
  write: writeBigint,
  unpack: (value) => (typeof value === 'bigint' ? value : fail('bigint', value)),
}

/** Bytes. */
export const bytes: Field<Uint8Array> = {
  absent: 'never',
  write: writeBytes,
  unpack: (value) => (value instanceof Uint8Array ? value : fail('bytes', value)),
}

/** Text. */
export const text: Field<string> = {
  absent: 'never',
  write: writeText,
  unpack: (value) => (typeof value === 'string' ? value : fail('text', value)),
}

/** Yes or no. */
export const flag: Field<boolean> = {
  absent: 'never',
  write: (arena, value) => writeNumber(arena, value ? 1 : 0),
  unpack: (value) => value === 1,
}

/** A value that may be missing. */
export function maybe<T>(field: Field<T>): Field<T | undefined> {
  return {
    write: (arena, value) => (value === undefined ? writeAbsent(arena) : field.write(arena, value)),
    absent: 'undefined',
    unpack: (value) => (value === undefined ? undefined : field.unpack(value)),
  }
}

/** Any number of values. An empty list takes no room at the end of a record. */
export function list<T>(field: Field<T>): Field<readonly T[]> {
  return {
    write: (arena, values) => {
      if (values.length === 0) {
        writeAbsent(arena)
        return
      }
      writeList(arena)
      writeCount(arena, values.length)
      for (let at = 0; at < values.length; at++) {
        const value = values[at]
        if (value !== undefined) field.write(arena, value)
      }
    },
    absent: 'empty',
    unpack: (value) => (value === undefined ? [] : listOf(value).map(field.unpack)),
  }
}

function listOf(value: Packable): readonly Packable[] {
  return typeof value === 'object' && !(value instanceof Uint8Array) ? value : fail('list', value)
}

function fail(wanted: string, value: Packable): never {
  throw new Fault('store-failed', `a stored record has no ${wanted} where it must: ${typeof value}`)
}
