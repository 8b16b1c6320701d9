/**
 * QR codes of short texts, such as addresses: version 3 with correction L, so one block of 55 bytes of data and 15 of
 * correction, in 29 × 29 modules. Source: ISO/IEC 18004.
 */

const size = 29
const dataBytes = 55
const checkBytes = 15
/** Bytes that a text may have. */
export const mostBytes = dataBytes - 2

/** Powers of the generator in the field of 256 elements, with 0x11d as the reducing polynomial. */
const powers = Array.from({ length: 255 }, () => 1)
for (let at = 1; at < 255; at++) {
  const doubled = (powers[at - 1] ?? 0) * 2
  powers[at] = doubled > 255 ? doubled ^ 0x11d : doubled
}

function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : (powers[(powers.indexOf(a) + powers.indexOf(b)) % 255] ?? 0)
}

/** Bytes of correction: the rest of the division by the polynomial whose roots are the first 15 powers. */
function checkOf(data: readonly number[]): number[] {
  let divisor = [1]
  for (let root = 0; root < checkBytes; root++) {
    const shifted = [...divisor, 0]
    divisor = shifted.map((one, at) => one ^ product(divisor[at - 1] ?? 0, powers[root] ?? 0))
  }
  const rest = [...data, ...Array.from({ length: checkBytes }, () => 0)]
  for (let at = 0; at < data.length; at++) {
    const factor = rest[at] ?? 0
    for (const [place, one] of divisor.entries())
      rest[at + place] = (rest[at + place] ?? 0) ^ product(one, factor)
  }
  return rest.slice(data.length)
}

/** A text as data: mode 4, its length, its bytes, and what fills up. */
function dataOf(text: string): number[] {
  const bytes = new TextEncoder().encode(text)
  const nibbles = [4, bytes.length >> 4, bytes.length & 15]
  for (const one of bytes) nibbles.push(one >> 4, one & 15)
  nibbles.push(0)
  const data: number[] = []
  for (let at = 0; at < nibbles.length; at += 2)
    data.push(((nibbles[at] ?? 0) << 4) | (nibbles[at + 1] ?? 0))
  for (let fill = 0xec; data.length < dataBytes; fill ^= 0xec ^ 0x11) data.push(fill)
  return data
}

/** Modules of patterns that every code has; `undefined` where data go. */
function frame(): (boolean | undefined)[][] {
  const modules = Array.from({ length: size }, () =>
    Array.from({ length: size }, (): boolean | undefined => undefined),
  )
  const set = (row: number, column: number, dark: boolean): void => {
    const line = modules[row]
    if (line !== undefined && column >= 0 && column < size) line[column] = dark
  }
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ] as const)
    for (let row = -1; row <= 7; row++)
      for (let column = -1; column <= 7; column++) {
        const ring = Math.max(Math.abs(row - 3), Math.abs(column - 3))
        set(top + row, left + column, ring !== 2 && ring !== 4)
      }
  for (let at = 8; at < size - 8; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  for (let row = -2; row <= 2; row++)
    for (let column = -2; column <= 2; column++)
      set(22 + row, 22 + column, Math.max(Math.abs(row), Math.abs(column)) !== 1)
  // Correction L and mask 0, with their own correction.
  const format = 0b111011111000100
  for (let bit = 0; bit < 15; bit++) {
    const dark = ((format >> (14 - bit)) & 1) === 1
    set(8, bit < 6 ? bit : bit === 6 ? 7 : size - 15 + bit, dark)
    set(bit < 7 ? size - 1 - bit : bit < 9 ? 15 - bit : 14 - bit, 8, dark)
  }
  set(size - 8, 8, true)
  return modules
}

/** Rows of modules, `true` for dark ones; `undefined` for a text of more than {@link mostBytes}. */
export function qrOf(text: string): readonly (readonly boolean[])[] | undefined {
  if (new TextEncoder().encode(text).length > mostBytes) return undefined
  const data = dataOf(text)
  const bytes = [...data, ...checkOf(data)]
  const modules = frame()
  let bit = 0
  for (const { row, column } of pathOfData()) {
    const line = modules[row]
    if (line === undefined || line[column] !== undefined) continue
    const isSet = (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
    bit++
    line[column] = isSet !== ((row + column) % 2 === 0)
  }
  return modules.map((line) => line.map((dark) => dark === true))
}

/** Places in the order of data: up and down in pairs of columns, from the right; the line of timing has none. */
function pathOfData(): { readonly row: number; readonly column: number }[] {
  return [28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 5, 3, 1].flatMap((right, pair) =>
    Array.from({ length: 2 * size }, (_, at) => {
      const step = Math.floor(at / 2)
      return { row: pair % 2 === 0 ? size - 1 - step : step, column: right - (at % 2) }
    }),
  )
}
