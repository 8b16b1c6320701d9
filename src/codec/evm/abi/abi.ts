/**
 * ABIs as compilers write them: what events and methods are called, and their values out of bytes.
 *
 * Contracts may log anything, so bytes that do not fit give `undefined` and never a fault.
 * Source: Solidity documentation, Contract ABI Specification.
 */

import { toChecksumAddress } from '../../../core/address.ts'
import { clip } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import { keccak256 } from '../../../core/hash.ts'
import { itemAt } from '../../../core/item-at.ts'
import { isObject } from '../../../core/json.ts'
import { hexWord } from '../hex.ts'

/** A parameter, and how its values lie in bytes. */
export type AbiParameter = {
  readonly name: string
  /** Canonical, `(uint256,address)[]`. */
  readonly type: string
  readonly indexed: boolean
  readonly shape: Shape
}

/** An event, a method, an error that a contract reverts with, or its constructor. */
export type AbiEntry = {
  readonly kind: 'event' | 'function' | 'error' | 'constructor'
  readonly name: string
  /** `Transfer(address,address,uint256)`. */
  readonly signature: string
  /**
   * Hash of the signature, 32 bytes: an event's first topic, with four bytes the selector of a method
   * or an error.
   */
  readonly hash: Uint8Array
  readonly parameters: readonly AbiParameter[]
  /** Values that a method returns. */
  readonly results: readonly AbiParameter[]
}

type WordText = (word: Uint8Array) => string | boolean

/** How a value lies in bytes. */
export type Shape =
  | { readonly kind: 'word'; readonly text: WordText }
  | { readonly kind: 'bytes' | 'text' }
  | { readonly kind: 'list'; readonly item: Shape; readonly count: number | undefined }
  | { readonly kind: 'tuple'; readonly members: readonly AbiParameter[] }

/** Integers in base 10, bytes in hex, addresses in mixed case; tuples by names where all have one. */
export type AbiValue =
  | string
  | boolean
  | readonly AbiValue[]
  | { readonly [name: string]: AbiValue }

/** Values read out of one log or input: a flood of nested empty lists must end. */
const mostValues = 4_096
const deepest = 8
const longestType = 128

/**
 * Entries of a compiler's output: a list of entries, or an object with one under `abi`, or
 * under `output.abi` as in metadata files. Anonymous events and what else there is are left out.
 * Throws `bad-text`.
 */
export function readAbi(json: unknown): AbiEntry[] {
  const output = isObject(json) && isObject(json['output']) ? json['output'] : json
  const list = isObject(output) && !Array.isArray(output) ? output['abi'] : output
  if (!Array.isArray(list))
    throw new Fault('bad-text', 'not an ABI: neither a list nor an object with abi')
  return list.flatMap((entry: unknown) => entryOf(entry) ?? [])
}

/** Signatures of the methods of ABIs by their selectors. Throws `bad-text`. */
export function methodsOf(abis: readonly unknown[]): ReadonlyMap<number, string> {
  const methods = abis.flatMap(readAbi).filter(({ kind }) => kind === 'function')
  return new Map(
    methods.map(({ hash, signature }) => [Buffer.from(hash).readUInt32BE(), signature]),
  )
}

function entryOf(entry: unknown): AbiEntry | undefined {
  if (!isObject(entry)) throw new Fault('bad-text', 'an entry of the ABI is no object')
  const { type, inputs, outputs = [], anonymous } = entry
  const kind = (['event', 'function', 'error', 'constructor'] as const).find((one) => one === type)
  const name = kind === 'constructor' ? kind : entry['name']
  if (kind === undefined || anonymous === true || typeof name !== 'string') return undefined
  if (!Array.isArray(inputs) || !Array.isArray(outputs))
    throw new Fault('bad-text', `no inputs in the ABI: ${clip(name)}`)
  const parameters = inputs.map((one: unknown) => parameterOf(one, 0))
  const signature = `${name}(${parameters.map(({ type: each }) => each).join(',')})`
  const hash = keccak256(new TextEncoder().encode(signature))
  const results = outputs.map((one: unknown) => parameterOf(one, 0))
  return { kind, name, signature, hash, parameters, results }
}

function parameterOf(json: unknown, depth: number): AbiParameter {
  if (!isObject(json) || typeof json['type'] !== 'string' || depth > deepest)
    throw new Fault('bad-text', 'a parameter of the ABI has no type, or lies too deep')
  const { name, indexed, components } = json
  const { base, size, brackets } = partsOf(json['type'])
  const members = Array.isArray(components)
    ? components.map((one: unknown) => parameterOf(one, depth + 1))
    : []
  const single = base === 'tuple' ? tupleOf(members) : simple(base, size)
  let { shape } = single
  for (const [, count = ''] of brackets.matchAll(/\[(\d*)\]/g))
    shape = { kind: 'list', item: shape, count: count === '' ? undefined : Number(count) }
  return {
    name: typeof name === 'string' ? name : '',
    type: single.type + brackets,
    indexed: indexed === true,
    shape,
  }
}

function tupleOf(members: readonly AbiParameter[]): Simple {
  return {
    type: `(${members.map(({ type }) => type).join(',')})`,
    shape: { kind: 'tuple', members },
  }
}

/** Parts of the name of a type. Throws `bad-text` for sizes that no type has, and lists too deep. */
function partsOf(type: string): { base: string; size: string; brackets: string } {
  const found = type.length <= longestType ? /^([a-z]+)(\d*)((?:\[\d{0,9}\])*)$/.exec(type) : null
  const [, base = '', size = '', brackets = ''] = found ?? []
  const number = Number(size)
  const isBits = number >= 8 && number <= 256 && number % 8 === 0
  const isBytes = number >= 1 && number <= wordBytes
  const isSized = base === 'bytes' ? isBytes : /^u?int$/.test(base) && isBits
  if (base === '' || (size !== '' && !(isSized && String(number) === size)))
    throw new Fault('bad-text', `no type of an ABI: ${clip(type)}`)
  return { base, size, brackets }
}

type Simple = { readonly type: string; readonly shape: Shape }

function simple(base: string, size: string): Simple {
  const word = (text: WordText, type = base + size): Simple => ({
    type,
    shape: { kind: 'word', text },
  })
  switch (base) {
    case 'uint':
      return word((bytes) => String(unsigned(bytes)), size === '' ? 'uint256' : base + size)
    case 'int':
      return word(
        (bytes) => String(BigInt.asIntN(256, unsigned(bytes))),
        size === '' ? 'int256' : base + size,
      )
    case 'address':
      return word((bytes) => toChecksumAddress(bytes.subarray(12)))
    case 'bool':
      return word((bytes) => unsigned(bytes) !== 0n)
    case 'function':
      return word((bytes) => hexOf(bytes.subarray(0, 24)))
    case 'bytes':
      if (size !== '') return word((bytes) => hexOf(bytes.subarray(0, Number(size))))
      return { type: 'bytes', shape: { kind: 'bytes' } }
    case 'string':
      return { type: 'string', shape: { kind: 'text' } }
    default:
      throw new Fault('bad-text', `no type of an ABI: ${base}${size}`)
  }
}

function unsigned(bytes: Uint8Array): bigint {
  return BigInt(hexOf(bytes))
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`
}

/**
 * Values of an event, in the order of its parameters; those of an indexed parameter that is longer
 * than a word are its hash. `undefined` where topics and data are not those of the event.
 */
export function eventValues(
  { parameters }: AbiEntry,
  topics: readonly Uint8Array[],
  data: Uint8Array,
): AbiValue[] | undefined {
  const inTopics = parameters.filter(({ indexed }) => indexed)
  if (inTopics.length !== topics.length - 1) return undefined
  const fromData = values(
    parameters.filter(({ indexed }) => !indexed),
    data,
  )
  if (fromData === undefined) return undefined
  let topic = 1
  let plain = 0
  return parameters.map(({ indexed, shape }) => {
    if (!indexed) return itemAt(fromData, plain++)
    const word = itemAt(topics, topic++)
    return shape.kind === 'word' ? shape.text(word) : hexOf(word)
  })
}

/**
 * Values of a method's input or an error's data behind the selector, or of a constructor's arguments;
 * `undefined` where the bytes are not these.
 */
export function inputValues({ parameters }: AbiEntry, data: Uint8Array): AbiValue[] | undefined {
  return values(parameters, data)
}

/** Values of what a method returned; `undefined` where the bytes are not these. */
export function resultValues({ results }: AbiEntry, data: Uint8Array): AbiValue[] | undefined {
  return values(results, data)
}

function values(parameters: readonly AbiParameter[], data: Uint8Array): AbiValue[] | undefined {
  const shapes = parameters.map(({ shape }) => shape)
  return tuple(shapes, { data, left: mostValues }, 0)
}

type Bytes = { readonly data: Uint8Array; left: number }

/** Returns whether a value lies behind the others, where its word says. */
export function isDynamic(shape: Shape): boolean {
  switch (shape.kind) {
    case 'word':
      return false
    case 'list':
      return shape.count === undefined || isDynamic(shape.item)
    case 'tuple':
      return shape.members.some((member) => isDynamic(member.shape))
    default:
      return true
  }
}

/** Bytes that a static value takes. */
function sizeOf(shape: Shape): number {
  if (shape.kind === 'list') return (shape.count ?? 0) * sizeOf(shape.item)
  if (shape.kind !== 'tuple') return wordBytes
  return shape.members.reduce((sum, member) => sum + sizeOf(member.shape), 0)
}

/** Values one after the other from `base` on; a dynamic one is where its word says. */
function tuple(shapes: readonly Shape[], bytes: Bytes, base: number): AbiValue[] | undefined {
  const found: AbiValue[] = []
  let head = base
  for (const shape of shapes) {
    const moved = isDynamic(shape) ? length(bytes, head) : undefined
    if (moved === undefined && isDynamic(shape)) return undefined
    const value = valueAt(shape, bytes, moved === undefined ? head : base + moved)
    if (value === undefined) return undefined
    found.push(value)
    head += moved === undefined ? sizeOf(shape) : wordBytes
  }
  return found
}

function valueAt(shape: Shape, bytes: Bytes, at: number): AbiValue | undefined {
  if (--bytes.left < 0) return undefined
  switch (shape.kind) {
    case 'word': {
      const word = sliceOf(bytes, at, wordBytes)
      return word === undefined ? undefined : shape.text(word)
    }
    case 'list': {
      const count = shape.count ?? length(bytes, at)
      if (count === undefined || count > bytes.left) return undefined
      const shapes = Array.from({ length: count }, () => shape.item)
      return tuple(shapes, bytes, shape.count === undefined ? at + wordBytes : at)
    }
    case 'tuple':
      return named(shape.members, bytes, at)
    default: {
      const size = length(bytes, at)
      const content = size === undefined ? undefined : sliceOf(bytes, at + wordBytes, size)
      if (content === undefined) return undefined
      return shape.kind === 'bytes' ? hexOf(content) : new TextDecoder().decode(content)
    }
  }
}

function named(members: readonly AbiParameter[], bytes: Bytes, at: number): AbiValue | undefined {
  const shapes = members.map(({ shape }) => shape)
  const found = tuple(shapes, bytes, at)
  if (found === undefined || members.some(({ name }) => name === '')) return found
  return Object.fromEntries(members.map(({ name }, place) => [name, found[place] ?? '']))
}

function sliceOf({ data }: Bytes, from: number, size: number): Uint8Array | undefined {
  return from + size > data.length ? undefined : data.subarray(from, from + size)
}

/** A word that says where or how long something is; `undefined` where it is beyond the bytes. */
function length({ data }: Bytes, at: number): number | undefined {
  const value = smallWord(data, at)
  return value === undefined || value > data.length ? undefined : value
}

/** Bytes of a word. */
export const wordBytes = 32

/** A value, hex digits without prefix, as the hex of a word. */
export function wordOf(hex: string): string {
  return hex.padStart(2 * wordBytes, '0')
}

/** Selector of `balanceOf(address)`, `0x` hex. Source: ERC-20. */
export const balanceOfSelector = '0x70a08231'

/** Data of a call of `balanceOf(address)`, `0x` hex; `holder` is forty digits. */
export function balanceOfData(holder: string): string {
  return `${balanceOfSelector}${wordOf(holder)}`
}

/** The word at `at` as a number; `undefined` beyond the bytes, or for 2^32 and more. */
export function smallWord(bytes: Uint8Array, at: number): number | undefined {
  if (at + wordBytes > bytes.length) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, wordBytes)
  for (let high = 0; high < wordBytes - 4; high += 4)
    if (view.getUint32(high) !== 0) return undefined
  return view.getUint32(wordBytes - 4)
}

/** The same of a word as the 64 digits of `text` from `at`. Throws `node-answer` where one is none. */
export function smallWordOf(text: string, at: number): number | undefined {
  if (at + 2 * wordBytes > text.length) return undefined
  const low = at + 2 * (wordBytes - 4)
  for (let high = at; high < low; high += 8) if (hexWord(text, high) !== 0) return undefined
  return hexWord(text, low)
}

/**
 * Content of an answer that is one `string`. An answer that was `cut` gives as much as is there;
 * `undefined` where offset or length point outside.
 */
export function stringIn(bytes: Uint8Array, cut = false): Uint8Array | undefined {
  const offset = smallWord(bytes, 0)
  const length = offset === undefined ? undefined : smallWord(bytes, offset)
  if (offset === undefined || length === undefined) return undefined
  const start = offset + wordBytes
  return cut || start + length <= bytes.length ? bytes.subarray(start, start + length) : undefined
}
