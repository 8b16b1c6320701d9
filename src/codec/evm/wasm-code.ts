/**
 * Bytes of a WebAssembly module, written by hand: as much of its binary format as hashing needs.
 *
 * Source: WebAssembly core specification 2.0, section 5 (binary format), with bulk memory and SIMD.
 */

/** Instructions, or any other piece of a module. */
export type Code = readonly number[]

/** Pieces one after the other. */
export function sequence(...pieces: readonly Code[]): Code {
  return pieces.flat()
}

/** A function: its exported name, how many i32 parameters it has, and whether it gives an i32. */
export type WasmFunction = {
  readonly name: string
  readonly parameters: number
  readonly gives: boolean
  /** Locals after the parameters: how many of which type. */
  readonly locals: readonly (readonly [count: number, type: number])[]
  readonly body: Code
}

/** Types of locals. */
const i32Type = 0x7f
export const v128Type = 0x7b

/** Unsigned LEB128. */
export function unsigned(value: number): Code {
  const bytes: number[] = []
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  return [...bytes, rest]
}

/** Signed LEB128 of 32 bits. */
function signed(value: number): Code {
  const bytes: number[] = []
  let rest = value
  while (rest < -64 || rest > 63) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>= 7
  }
  return [...bytes, rest & 0x7f]
}

/** Reads, writes, and writes and keeps a local. */
export const getLocal = (local: number): Code => [0x20, ...unsigned(local)]
export const setLocal = (local: number): Code => [0x21, ...unsigned(local)]
export const teeLocal = (local: number): Code => [0x22, ...unsigned(local)]

export const i32 = {
  constant: (value: number): Code => [0x41, ...signed(value)],
  add: [0x6a],
  subtract: [0x6b],
  or: [0x72],
  shiftRight: [0x76],
  greater: [0x4a],
  atMost: [0x4c],
  loadByte: (offset: number): Code => [0x2d, 0, ...unsigned(offset)],
  storeByte: (offset: number): Code => [0x3a, 0, ...unsigned(offset)],
} as const

export const i64 = {
  extend: [0xac],
  load: (offset: number): Code => [0x29, 0, ...unsigned(offset)],
  store: (offset: number): Code => [0x37, 0, ...unsigned(offset)],
} as const

/** Instructions over 128 bits, by their number. */
const simd = (number: number, ...more: number[]): Code => [0xfd, ...unsigned(number), ...more]

export const v128 = {
  load: (offset: number): Code => simd(0, 0, ...unsigned(offset)),
  store: (offset: number): Code => simd(11, 0, ...unsigned(offset)),
  /** Sixteen bytes. */
  constant: (bytes: Code): Code => simd(12, ...bytes),
  and: simd(78),
  andNot: simd(79),
  or: simd(80),
  xor: simd(81),
  select: simd(82),
  loadLow: (offset: number): Code => simd(93, 0, ...unsigned(offset)),
  loadHigh: (offset: number): Code => simd(87, 0, ...unsigned(offset), 1),
  storeLow: (offset: number): Code => simd(91, 0, ...unsigned(offset), 0),
  lessBytes: simd(38),
  allBytes: simd(99),
  narrow: simd(102),
  subtractBytes: simd(113),
  shiftLeft16: simd(139),
  shiftRight16: simd(141),
  splat64: simd(18),
  replaceHigh64: simd(30, 1),
  shiftLeft64: simd(203),
  shiftRight64: simd(205),
} as const

/** Fills or copies memory: three i32 on the stack. */
export const fillMemory: Code = [0xfc, 11, 0]
export const copyMemory: Code = [0xfc, 10, 0, 0]

/** Runs `body` as long as what it leaves on the stack is not 0. */
export const loop = (body: Code): Code => [0x03, 0x40, ...body, 0x0d, 0, 0x0b]

/** Runs `body` when what is on the stack is not 0. */
export const when = (body: Code): Code => [0x04, 0x40, ...body, 0x0b]

/** Every module begins so; version 1. */
const magic: Code = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

/** A module with one memory of `pages`, exported as `memory`, and its functions. */
export function moduleBytes(functions: readonly WasmFunction[], pages: number): Uint8Array {
  const types = functions.map(({ parameters, gives }) => [
    0x60,
    ...list(Array.from({ length: parameters }, () => [i32Type])),
    ...list(gives ? [[i32Type]] : []),
  ])
  const exported = functions.map(({ name }, at) => [...text(name), 0, ...unsigned(at)])
  const bodies = functions.map(({ locals, body }) => {
    const all = [...list(locals.map(([count, type]) => [...unsigned(count), type])), ...body, 0x0b]
    return [...unsigned(all.length), ...all]
  })
  return Uint8Array.from([
    ...magic,
    ...section(1, list(types)),
    ...section(3, list(functions.map((_, at) => unsigned(at)))),
    ...section(5, list([[0x00, ...unsigned(pages)]])),
    ...section(7, list([[...text('memory'), 2, 0], ...exported])),
    ...section(10, list(bodies)),
  ])
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content]
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()]
}

function text(name: string): Code {
  const bytes = new TextEncoder().encode(name)
  return [...unsigned(bytes.length), ...bytes]
}
