/**
 * Arguments of a call by the signature of its method: `transfer(address,uint256)`.
 *
 * Source: Solidity's contract ABI specification. Tuples are shown as their bytes: their names and
 * parts are not in the signature's text alone for every kind of selector list.
 */

/** An argument: its type as the signature has it, its value as people read it. */
export type Argument = { readonly type: string; readonly value: string }

const word = 64

// Longer lists are no reading matter; the whole input stands below.
const mostItems = 50

/** The arguments of `input`; `undefined` where they do not fit the signature. */
export function argumentsOf(signature: string, input: string): readonly Argument[] | undefined {
  const [, list] = /^\w+\(([\w[\],]*)\)$/.exec(signature) ?? []
  if (list === undefined || !/^0x([0-9a-f]{2})*$/i.test(input)) return undefined
  const types = list === '' ? [] : list.split(',')
  const data = input.slice(10)
  const values = types.map((type, at) => valueOf(type, data, at * word))
  return values.every((value) => value !== undefined)
    ? types.map((type, at) => ({ type, value: values[at] ?? '' }))
    : undefined
}

/** The value whose head is at `at`; heads of dynamic types point into `data`. */
function valueOf(type: string, data: string, at: number): string | undefined {
  const [, item = '', size = ''] = /^(.+)\[(\d*)\]$/.exec(type) ?? []
  // Lists of known length or of dynamic items are seldom, and need layouts of their own.
  if (size !== '' || isDynamic(item)) return undefined
  if (!isDynamic(type)) return plain(type, data.slice(at, at + word))
  const start = numberAt(data, at)
  const length = start === undefined ? undefined : numberAt(data, start * 2)
  if (start === undefined || length === undefined) return undefined
  const body = start * 2 + word
  if (item !== '') return listOf(item, data.slice(body), length)
  const bytes = data.slice(body, body + length * 2)
  if (bytes.length !== length * 2) return undefined
  return type === 'string' ? textOf(bytes) : `0x${bytes}`
}

function isDynamic(type: string): boolean {
  return type === 'bytes' || type === 'string' || type.endsWith(']')
}

function listOf(item: string, data: string, length: number): string | undefined {
  if (data.length < length * word) return undefined
  const values = Array.from({ length: Math.min(length, mostItems) }, (_, at) =>
    plain(item, data.slice(at * word, (at + 1) * word)),
  )
  if (values.includes(undefined)) return undefined
  return `[${values.join(', ')}${length > mostItems ? ', …' : ''}]`
}

function plain(type: string, hex: string): string | undefined {
  if (hex.length !== word) return undefined
  const value = BigInt(`0x${hex}`)
  if (type === 'address') return value < 1n << 160n ? `0x${hex.slice(24)}` : undefined
  if (type === 'bool') return value < 2n ? String(value === 1n) : undefined
  const [, bits] = /^uint(\d+)$/.exec(type) ?? []
  if (bits !== undefined) return value < 1n << BigInt(bits) ? String(value) : undefined
  if (/^int\d+$/.test(type)) return String(BigInt.asIntN(256, value))
  const [, bytes] = /^bytes(\d+)$/.exec(type) ?? []
  return bytes === undefined ? undefined : `0x${hex.slice(0, Number(bytes) * 2)}`
}

function numberAt(data: string, at: number): number | undefined {
  const hex = data.slice(at, at + word)
  if (hex.length !== word) return undefined
  const value = BigInt(`0x${hex}`)
  return value <= BigInt(data.length) ? Number(value) : undefined
}

function textOf(hex: string): string {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  return new TextDecoder().decode(bytes)
}
