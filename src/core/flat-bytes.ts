/**
 * Plain data with columns in it as one byte string, for another process of the same version.
 *
 * First the length of the structure (32 bits, little-endian), then the structure as JSON, in which
 * each column is its kind and its bytes, then the columns one after the other. The order of bytes in a
 * column is the machine's, which is little-endian wherever Node runs.
 */

import { Fault } from './fault.ts'
import { isObject } from './json.ts'

const kinds = { Uint8Array, Uint32Array, Float64Array } as const
type Column = Uint8Array | Uint32Array | Float64Array

/** Name of the member that stands for a column. No structure has one of this name. */
const columnMember = '$column'

const lengthBytes = 4

/** Bytes of `value`: objects, lists, strings, numbers, booleans and columns. */
export function toFlatBytes(value: object): Uint8Array {
  const columns: Column[] = []
  const structure = new TextEncoder().encode(JSON.stringify(withoutColumns(value, columns)))
  const begin = lengthBytes + structure.length
  const size = columns.reduce((sum, { byteLength }) => sum + byteLength, begin)
  const bytes = new Uint8Array(size)
  new DataView(bytes.buffer).setUint32(0, structure.length, true)
  bytes.set(structure, lengthBytes)
  let at = begin
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at)
    at += byteLength
  }
  return bytes
}

function withoutColumns(value: unknown, columns: Column[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withoutColumns(item, columns))
  const kind = kindOf(value)
  if (kind === undefined)
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, withoutColumns(member, columns)]),
    )
  columns.push(kind.column)
  return { [columnMember]: [kind.name, kind.column.byteLength] }
}

function kindOf(
  value: object,
): { readonly name: keyof typeof kinds; readonly column: Column } | undefined {
  if (value instanceof Uint8Array) return { name: 'Uint8Array', column: value }
  if (value instanceof Uint32Array) return { name: 'Uint32Array', column: value }
  return value instanceof Float64Array ? { name: 'Float64Array', column: value } : undefined
}

/**
 * The value that {@link toFlatBytes} was given; each column has memory of its own. Throws `bad-bytes` for other
 * bytes.
 */
export function fromFlatBytes(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  // `slice` of a Buffer copies nothing.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const begin = lengthBytes + view.getUint32(0, true)
    const text = new TextDecoder('utf-8', { fatal: true }).decode(
      plain.subarray(lengthBytes, begin),
    )
    let at = begin
    const value: unknown = JSON.parse(text, (_name, member: unknown) => {
      const column = isObject(member) ? member[columnMember] : undefined
      if (!Array.isArray(column)) return member
      const from = at
      at += Number(column[1])
      return columnFrom(column[0], plain.slice(from, at))
    })
    if (isObject(value) && at === bytes.length) return value
  } catch (cause) {
    throw new Fault('bad-bytes', 'structure of flat bytes is broken', { cause })
  }
  throw new Fault('bad-bytes', `flat bytes have another length: ${bytes.length}`)
}

function columnFrom(name: unknown, { buffer }: Uint8Array<ArrayBuffer>): Column {
  if (name === 'Uint8Array' || name === 'Uint32Array' || name === 'Float64Array')
    return new kinds[name](buffer)
  throw new Fault('bad-bytes', `no kind of column: ${String(name)}`)
}
