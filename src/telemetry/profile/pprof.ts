/**
 * Writes profiles in pprof's format, gzip and all, as `go tool pprof` opens them.
 *
 * Source: google/pprof proto/profile.proto; the numbers below are its field numbers.
 */

import { gzipSync } from 'node:zlib'

/** A function at a line of a file. */
export type Frame = { readonly name: string; readonly file: string; readonly line: number }

/** Values measured on one stack, innermost frame first, in the order of the sample types. */
export type ProfileSample = {
  readonly stack: readonly Frame[]
  readonly values: readonly number[]
  readonly labels?: Readonly<Record<string, string>>
}

/** A kind of value and its unit: `cpu` in `nanoseconds`. */
export type ValueKind = { readonly type: string; readonly unit: string }

/** Everything a profile file holds. */
export type Profile = {
  readonly kinds: readonly ValueKind[]
  readonly samples: readonly ProfileSample[]
  readonly period?: ValueKind & { readonly value: number }
  /** Milliseconds since 1970. */
  readonly time: number
  readonly durationMs: number
  readonly comments: readonly string[]
}

/** The profile as a file. */
export function encodePprof(profile: Profile): Uint8Array {
  const strings = table('')
  const functions = new Map<string, number>()
  const locations = new Map<string, number>()
  const out: number[] = []

  const kind = ({ type, unit }: ValueKind): number[] => [
    ...integer(1, strings.idOf(type)),
    ...integer(2, strings.idOf(unit)),
  ]

  function functionId({ name, file }: Frame): number {
    const key = `${name}\n${file}`
    const known = functions.get(key)
    if (known !== undefined) return known
    const id = functions.size + 1
    functions.set(key, id)
    const text = [integer(2, strings.idOf(name)), integer(3, strings.idOf(name))]
    append(out, message(5, [...integer(1, id), ...text.flat(), ...integer(4, strings.idOf(file))]))
    return id
  }

  function locationId(frame: Frame): number {
    const key = `${frame.name}\n${frame.file}\n${frame.line}`
    const known = locations.get(key)
    if (known !== undefined) return known
    const id = locations.size + 1
    locations.set(key, id)
    const line = [...integer(1, functionId(frame)), ...integer(2, frame.line)]
    append(out, message(4, [...integer(1, id), ...message(4, line)]))
    return id
  }

  for (const each of profile.kinds) append(out, message(1, kind(each)))
  for (const { stack, values, labels = {} } of profile.samples) {
    const sample = [...packed(1, stack.map(locationId)), ...packed(2, values)]
    for (const [key, value] of Object.entries(labels)) {
      const label = [...integer(1, strings.idOf(key)), ...integer(2, strings.idOf(value))]
      sample.push(...message(3, label))
    }
    append(out, message(2, sample))
  }
  append(out, integer(9, BigInt(Math.round(profile.time)) * 1_000_000n))
  append(out, integer(10, BigInt(Math.round(profile.durationMs * 1e6))))
  if (profile.period !== undefined) {
    append(out, message(11, kind(profile.period)))
    append(out, integer(12, profile.period.value))
  }
  append(out, packed(13, profile.comments.map(strings.idOf)))
  for (const text of strings.all()) append(out, bytes(6, new TextEncoder().encode(text)))
  return gzipSync(Uint8Array.from(out))
}

type Strings = { readonly idOf: (text: string) => number; readonly all: () => Iterable<string> }

function table(first: string): Strings {
  const ids = new Map([[first, 0]])
  return {
    idOf: (text) => {
      const known = ids.get(text)
      if (known !== undefined) return known
      const id = ids.size
      ids.set(text, id)
      return id
    },
    all: () => ids.keys(),
  }
}

/** Field with a varint; zero is left out, as the format's default. */
function integer(field: number, value: number | bigint): number[] {
  if (value === 0 || value === 0n) return []
  return [...varint(field * 8), ...varint(value)]
}

function message(field: number, content: readonly number[]): number[] {
  return bytes(field, content)
}

function bytes(field: number, content: ArrayLike<number>): number[] {
  return [...varint(field * 8 + 2), ...varint(content.length), ...Array.from(content)]
}

function packed(field: number, values: readonly number[]): number[] {
  return values.length === 0 ? [] : bytes(field, values.flatMap(varint))
}

/** Seven bits a byte, lowest first. Values are never negative. */
function varint(value: number | bigint): number[] {
  let rest = typeof value === 'bigint' ? value : BigInt(Math.max(0, Math.round(value)))
  const groups: number[] = []
  while (rest > 0x7fn) {
    groups.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  groups.push(Number(rest))
  return groups
}

function append(out: number[], more: readonly number[]): void {
  for (const byte of more) out.push(byte)
}
