/**
 * Writes profiles in pprof's format, gzip and all, as `go tool pprof` opens them.
 *
 * Source: google/pprof proto/profile.proto.
 */

import { gzipSync } from 'node:zlib'

import {
  type FunctionInput,
  type LocationInput,
  Profile as PprofProfile,
  StringTable,
  type ValueTypeInput,
} from 'pprof-format'

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
  const strings = new StringTable()
  const { frames, functions, locations } = stackTables(strings)
  const kind = ({ type, unit }: ValueKind): ValueTypeInput => ({
    type: strings.dedup(type),
    unit: strings.dedup(unit),
  })
  const { period } = profile
  const made = new PprofProfile({
    stringTable: strings,
    sampleType: profile.kinds.map(kind),
    sample: profile.samples.map(({ stack, values, labels = {} }) => ({
      locationId: stack.map(frames),
      value: values.map(whole),
      label: Object.entries(labels).map(([key, value]) => ({
        key: strings.dedup(key),
        str: strings.dedup(value),
      })),
    })),
    function: functions,
    location: locations,
    timeNanos: BigInt(whole(profile.time)) * 1_000_000n,
    durationNanos: BigInt(whole(profile.durationMs * 1e6)),
    ...(period === undefined ? {} : { periodType: kind(period), period: period.value }),
    comment: profile.comments.map((text) => strings.dedup(text)),
  })
  return gzipSync(made.encode())
}

/** Values of the format are integers; none of ours is negative. */
function whole(value: number): number {
  return Math.max(0, Math.round(value))
}

type StackTables = {
  /** The id of a frame, which is entered where it is new. */
  readonly frames: (frame: Frame) => number
  readonly functions: FunctionInput[]
  readonly locations: LocationInput[]
}

/** Functions and lines, each once; ids count from 1. */
function stackTables(strings: StringTable): StackTables {
  const functions: FunctionInput[] = []
  const locations: LocationInput[] = []
  const functionIds = new Map<string, number>()
  const locationIds = new Map<string, number>()
  const functionOf = ({ name, file }: Frame): number =>
    idOf(functionIds, `${name}\n${file}`, (id) => {
      const text = strings.dedup(name)
      functions.push({ id, name: text, systemName: text, filename: strings.dedup(file) })
    })
  const frames = (frame: Frame): number =>
    idOf(locationIds, `${frame.name}\n${frame.file}\n${frame.line}`, (id) =>
      locations.push({ id, line: [{ functionId: functionOf(frame), line: frame.line }] }),
    )
  return { frames, functions, locations }
}

function idOf(ids: Map<string, number>, key: string, enter: (id: number) => unknown): number {
  const known = ids.get(key)
  if (known !== undefined) return known
  const id = ids.size + 1
  ids.set(key, id)
  enter(id)
  return id
}
