/**
 * The WebAssembly module that hashes: Keccak-f[1600] over two states at once, and hex into bytes.
 *
 * Two states, because the 128-bit instructions that runtimes offer everywhere hold a lane of each,
 * and because a block has hundreds of hashes that do not wait for each other. Measured on one core
 * of a Xeon, 1.28 µs a step for two blocks of 136 bytes; the runtime's own takes 0.7 for one, and
 * 0.9 for each call.
 *
 * Source: FIPS 202, sections 3.2 and 3.3; padding 0x01 as Ethereum has it.
 */

import { itemAt } from '../../core/item-at.ts'
import {
  type Code,
  copyMemory,
  fillMemory,
  getLocal,
  i32,
  i64,
  loop,
  moduleBytes,
  sequence,
  setLocal,
  teeLocal,
  v128,
  v128Type,
  type WasmFunction,
  when,
} from './wasm-code.ts'

/** Bytes that one step takes of a message. */
export const rateBytes = 136

/** Where the two states lie, lane by lane; then the last block of each message. */
const stateAt = 0
/** Where `last` may write the last blocks of the two messages. */
export const scratchAt: readonly [number, number] = [400, 544]
/** Memory from here on is the caller's. */
export const firstFree = 1_024

/** 64 KiB each; grows. */
const firstPages = 16

/** Bytes of the module. */
export function keccakModule(): Uint8Array {
  return moduleBytes([step(), last(), digest(), unhex()], firstPages)
}

/**
 * `step(first, second, keepFirst, keepSecond)`: takes a block of each message. `keep` is -1 to go
 * on with a message, 0 to begin one.
 */
function step(): WasmFunction {
  const lane = (index: number): number => 4 + index
  const mask = lane(25)
  const body: number[] = [
    ...sequence(getLocal(2), i64.extend, v128.splat64),
    ...sequence(getLocal(3), i64.extend, v128.replaceHigh64, setLocal(mask)),
  ]
  for (let index = 0; index < 25; index++) {
    const before = [...i32.constant(0), ...v128.load(stateAt + index * 16)]
    body.push(...before, ...getLocal(mask), ...v128.and)
    if (index < rateBytes / 8)
      body.push(
        ...getLocal(1),
        ...sequence(getLocal(0), v128.loadLow(index * 8)),
        ...v128.loadHigh(index * 8),
        ...v128.xor,
      )
    body.push(...setLocal(lane(index)))
  }
  body.push(...permutation(lane(0), mask + 1))
  for (let index = 0; index < 25; index++)
    body.push(...i32.constant(0), ...getLocal(lane(index)), ...v128.store(stateAt + index * 16))
  return { name: 'step', parameters: 4, gives: false, locals: [[26 + 32, v128Type]], body }
}

/** 24 rounds over the lanes in locals from `lanes` on; 32 more locals from `spare` on. */
function permutation(lanes: number, spare: number): Code {
  const column = (x: number): number => spare + (x % 5)
  const turned = (x: number, y: number): number => spare + 5 + (x % 5) + 5 * y
  const [mix, rest] = [spare + 30, spare + 31]
  const a = (x: number, y: number): number => lanes + (x % 5) + 5 * y
  const code: number[] = []
  for (const constant of roundConstants()) {
    for (let x = 0; x < 5; x++) {
      code.push(...getLocal(a(x, 0)))
      for (let y = 1; y < 5; y++) code.push(...getLocal(a(x, y)), ...v128.xor)
      code.push(...setLocal(column(x)))
    }
    for (let x = 0; x < 5; x++) {
      code.push(...getLocal(column(x + 4)), ...rotated(getLocal(column(x + 1)), 1, rest))
      code.push(...v128.xor, ...setLocal(mix))
      for (let y = 0; y < 5; y++) {
        const mixed = [...getLocal(a(x, y)), ...getLocal(mix), ...v128.xor]
        code.push(
          ...rotated(mixed, rotationOf(x, y), rest),
          ...setLocal(turned(y, (2 * x + 3 * y) % 5)),
        )
      }
    }
    for (let y = 0; y < 5; y++)
      for (let x = 0; x < 5; x++) {
        code.push(...getLocal(turned(x, y)), ...getLocal(turned(x + 2, y)))
        code.push(...getLocal(turned(x + 1, y)), ...v128.andNot, ...v128.xor)
        const added = x + y === 0 ? [...v128.constant([...constant, ...constant]), ...v128.xor] : []
        code.push(...added, ...setLocal(a(x, y)))
      }
  }
  return code
}

/** Both 64-bit halves of `value`, turned left by `bits`; `rest` is a local that may be used. */
function rotated(value: Code, bits: number, rest: number): Code {
  if (bits === 0) return value
  return [
    ...sequence(value, teeLocal(rest), i32.constant(bits), v128.shiftLeft64),
    ...sequence(getLocal(rest), i32.constant(64 - bits), v128.shiftRight64),
    ...v128.or,
  ]
}

/** FIPS 202, section 3.2.2. */
function rotationOf(x: number, y: number): number {
  let [atX, atY] = [1, 0]
  for (let t = 0; t < 24; t++) {
    if (atX === x && atY === y) return (((t + 1) * (t + 2)) / 2) % 64
    ;[atX, atY] = [atY, (2 * atX + 3 * atY) % 5]
  }
  return 0
}

/** FIPS 202, section 3.2.5: 24 constants of eight bytes, the lowest first. */
function roundConstants(): Code[] {
  let register = 1
  return Array.from({ length: 24 }, () => {
    const bytes = [0, 0, 0, 0, 0, 0, 0, 0]
    for (let j = 0; j < 7; j++) {
      const bit = 2 ** j - 1
      if ((register & 1) === 1) bytes[bit >>> 3] = itemAt(bytes, bit >>> 3) | (1 << (bit & 7))
      register = (register << 1) ^ ((register >>> 7) * 0x171)
    }
    return bytes
  })
}

/** `last(scratch, from, size)`: copies the end of a message and pads it. */
function last(): WasmFunction {
  const end = [...getLocal(0), ...i32.loadByte(rateBytes - 1), ...i32.constant(0x80), ...i32.or]
  const body = [
    ...sequence(getLocal(0), i32.constant(0), i32.constant(rateBytes), fillMemory),
    ...sequence(getLocal(0), getLocal(1), getLocal(2), copyMemory),
    ...sequence(getLocal(0), getLocal(2), i32.add, i32.constant(1), i32.storeByte(0)),
    ...sequence(getLocal(0), end, i32.storeByte(rateBytes - 1)),
  ]
  return { name: 'last', parameters: 3, gives: false, locals: [], body }
}

/** `digest(half, to)`: the hash of the first (0) or second (8) message, 32 bytes. */
function digest(): WasmFunction {
  const body = [0, 1, 2, 3].flatMap((lane) => [
    ...getLocal(1),
    ...sequence(getLocal(0), i64.load(stateAt + lane * 16)),
    ...i64.store(lane * 8),
  ])
  return { name: 'digest', parameters: 2, gives: false, locals: [], body }
}

/**
 * `unhex(from, until, to)`: the bytes that digits say, an even number of at least 32; gives 1 when
 * all of them are digits. `to` may lie before `from`, where digits are overwritten as they are
 * read.
 */
function unhex(): WasmFunction {
  const [from, until, to, valid, text, lower, digit, letter] = [0, 1, 2, 3, 4, 5, 6, 7]
  const each = (byte: number): Code => v128.constant(Array.from({ length: 16 }, () => byte))
  const sixteen = [
    ...sequence(getLocal(from), v128.load(0), each(0x30), v128.subtractBytes, setLocal(text)),
    ...sequence(getLocal(from), v128.load(0), each(0x20), v128.or),
    ...sequence(each(0x61), v128.subtractBytes, setLocal(lower)),
    ...sequence(getLocal(text), each(10), v128.lessBytes, setLocal(digit)),
    ...sequence(getLocal(lower), each(6), v128.lessBytes, setLocal(letter)),
    ...sequence(getLocal(valid), getLocal(digit), getLocal(letter), v128.or, v128.and),
    ...setLocal(valid),
    // A letter stands for its place in the alphabet and ten: minus 0xf6 is plus ten.
    ...sequence(getLocal(text), getLocal(lower), each(0xf6), v128.subtractBytes),
    ...sequence(getLocal(digit), v128.select, setLocal(text)),
    // The first digit of two lies in the lower byte of 16 bits.
    ...getLocal(to),
    ...sequence(getLocal(text), i32.constant(4), v128.shiftLeft16),
    ...sequence(getLocal(text), i32.constant(8), v128.shiftRight16, v128.or),
    ...v128.constant(Array.from({ length: 16 }, (_, at) => (at % 2 === 0 ? 0xff : 0))),
    ...sequence(v128.and, each(0), v128.narrow, v128.storeLow(0)),
  ]
  const ahead = [
    ...sequence(getLocal(from), i32.constant(16), i32.add, teeLocal(from)),
    ...sequence(getLocal(to), i32.constant(8), i32.add, setLocal(to)),
    ...sequence(i32.constant(16), i32.add, getLocal(until), i32.atMost),
  ]
  // The rest is read together with digits before it.
  const rest = [
    ...getLocal(to),
    ...sequence(getLocal(from), i32.constant(16), i32.add, getLocal(until), i32.subtract),
    ...sequence(i32.constant(1), i32.shiftRight, i32.subtract, setLocal(to)),
    ...sequence(getLocal(until), i32.constant(16), i32.subtract, setLocal(from)),
    ...sixteen,
  ]
  const body = [
    ...sequence(each(0xff), setLocal(valid)),
    ...loop([...sixteen, ...ahead]),
    ...sequence(getLocal(until), getLocal(from), i32.greater),
    ...when(rest),
    ...sequence(getLocal(valid), v128.allBytes),
  ]
  return { name: 'unhex', parameters: 3, gives: true, locals: [[5, v128Type]], body }
}
