/**
 * Input of a method out of values as people write them.
 *
 * Source: Solidity documentation, Contract ABI Specification.
 */

import { parseEvmAddress } from '../../../core/address.ts'
import { fromHex, toHex } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { keccak256 } from '../../../core/hash.ts'
import { isObject } from '../../../core/json.ts'
import {
  wordBytes,
  wordOf,
  type AbiEntry,
  type AbiParameter,
  isDynamic,
  type Shape,
  readAbi,
} from './abi.ts'

/**
 * Selector and arguments, `0x` hex. Integers are numbers up to 2^53 or text in base 10 or `0x` hex,
 * bytes and addresses `0x` hex, lists are lists, tuples lists or objects by name. Throws
 * `bad-parameter`, which says what argument does not fit its type.
 */
export function encodeInput({ hash, parameters }: AbiEntry, values: readonly unknown[]): string {
  if (values.length !== parameters.length)
    throw new Fault('bad-parameter', `${parameters.length} arguments are due: ${values.length}`)
  return `0x${toHex(hash.subarray(0, 4))}${joined(parameters, values)}`
}

/** Values one after the other, then what is dynamic in them; hex. */
function joined(parameters: readonly AbiParameter[], values: readonly unknown[]): string {
  const parts = parameters.map((parameter, at) => ({
    isDynamic: isDynamic(parameter.shape),
    hex: encoded(parameter, values[at]),
  }))
  let end = parts.reduce((sum, part) => sum + (part.isDynamic ? wordBytes : part.hex.length / 2), 0)
  let heads = ''
  let tails = ''
  for (const part of parts) {
    heads += part.isDynamic ? wordOf(end.toString(16)) : part.hex
    if (!part.isDynamic) continue
    tails += part.hex
    end += part.hex.length / 2
  }
  return heads + tails
}

function encoded(parameter: AbiParameter, value: unknown): string {
  const { shape } = parameter
  switch (shape.kind) {
    case 'word':
      return wordIn(parameter, value)
    case 'list':
      return list(parameter, shape, value)
    case 'tuple': {
      const { members } = shape
      const parts =
        isObject(value) && !Array.isArray(value) ? members.map(({ name }) => value[name]) : value
      if (!Array.isArray(parts) || parts.length !== members.length) return misfit(parameter, value)
      return joined(members, parts)
    }
    default: {
      if (typeof value !== 'string') return misfit(parameter, value)
      const hex =
        shape.kind === 'text' ? Buffer.from(value).toString('hex') : hexIn(parameter, value)
      return wordOf((hex.length / 2).toString(16)) + paddedRight(hex)
    }
  }
}

/**
 * The topic of an indexed parameter with this value, 32 bytes. Of texts and bytes it is their hash. Throws
 * `bad-parameter` for what does not fit the type, and for lists and tuples.
 */
export function topicOf(parameter: AbiParameter, value: string): Uint8Array {
  switch (parameter.shape.kind) {
    case 'word':
      return fromHex(wordIn(parameter, value))
    case 'text':
      return keccak256(Buffer.from(value))
    case 'bytes':
      return keccak256(fromHex(hexIn(parameter, value)))
    default:
      throw new Fault(
        'bad-parameter',
        `${parameter.name} is a ${parameter.type}, of which the chain keeps the hash alone`,
      )
  }
}

function list(
  parameter: AbiParameter,
  { item, count }: Extract<Shape, { kind: 'list' }>,
  value: unknown,
): string {
  if (!Array.isArray(value) || (count ?? value.length) !== value.length)
    return misfit(parameter, value)
  const type = parameter.type.replace(/\[\d*\]$/, '')
  const items = value.map((_, at) => ({
    name: `${parameter.name}[${at}]`,
    type,
    indexed: false,
    shape: item,
  }))
  const length = count === undefined ? wordOf(value.length.toString(16)) : ''
  return length + joined(items, value)
}

function wordIn(parameter: AbiParameter, value: unknown): string {
  const [, base = '', size = ''] = /^([a-z]+)(\d*)/.exec(parameter.type) ?? []
  switch (base) {
    case 'uint':
    case 'int':
      return integer(parameter, value, base === 'int', BigInt(size))
    case 'bool': {
      const is = String(value)
      return is === 'true' ? wordOf('1') : is === 'false' ? wordOf('0') : misfit(parameter, value)
    }
    case 'address':
      return wordOf(toHex(addressIn(parameter, value)))
    default: {
      const hex = typeof value === 'string' ? hexIn(parameter, value) : misfit(parameter, value)
      const bytes = base === 'function' ? 24 : Number(size)
      return hex.length === 2 * bytes ? paddedRight(hex) : misfit(parameter, value)
    }
  }
}

function integer(parameter: AbiParameter, value: unknown, signed: boolean, bits: bigint): string {
  const text = Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string' || !/^(-?\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text))
    return misfit(parameter, value)
  const number = BigInt(text)
  const [least, past] = signed ? [-(1n << (bits - 1n)), 1n << (bits - 1n)] : [0n, 1n << bits]
  if (number < least || number >= past) return misfit(parameter, value)
  return wordOf(BigInt.asUintN(256, number).toString(16))
}

function addressIn(parameter: AbiParameter, value: unknown): Uint8Array {
  try {
    return parseEvmAddress(String(value))
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return misfit(parameter, value)
  }
}

function hexIn(parameter: AbiParameter, value: string): string {
  return /^0x([0-9a-f]{2})*$/i.test(value) ? value.slice(2).toLowerCase() : misfit(parameter, value)
}

function paddedRight(hex: string): string {
  return hex.padEnd(Math.ceil(hex.length / (2 * wordBytes)) * 2 * wordBytes, '0')
}

const longest = 80

function misfit({ name, type }: AbiParameter, value: unknown): never {
  const given = value === undefined ? 'nothing' : JSON.stringify(value).slice(0, longest)
  throw new Fault('bad-parameter', `${name === '' ? 'an argument' : name} is no ${type}: ${given}`)
}

type Json = {
  readonly type: string
  readonly name: string
  readonly indexed: boolean
  readonly components?: readonly Json[]
}

/** A method or an event as compilers write it. Throws `bad-text` for a text that is none. */
export function itemOfText(kind: 'event' | 'function', text: string): object {
  const [, name, list = '', view, results = ''] =
    /^([\w$]+)\((.*?)\)( view)?(?: returns \((.*)\))?$/.exec(text) ?? []
  if (name === undefined) throw new Fault('bad-text', `no method: ${text.slice(0, 80)}`)
  const item = { type: kind, name, inputs: parameters(list) }
  if (kind === 'event') return item
  const stateMutability = view === undefined ? 'nonpayable' : 'view'
  return { ...item, outputs: parameters(results), stateMutability }
}

/** `undefined` for a text that is none. */
export function entryOfText(kind: 'event' | 'function', text: string): AbiEntry | undefined {
  try {
    return readAbi([itemOfText(kind, text)])[0]
  } catch (error) {
    if (faultOf(error)?.code === 'bad-text') return undefined
    throw error
  }
}

function parameters(list: string): Json[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at <= list.length; at++) {
    const sign = list[at]
    if (sign === '(') depth++
    else if (sign === ')') depth--
    else if ((sign === ',' && depth === 0) || sign === undefined) {
      parts.push(list.slice(from, at).trim())
      from = at + 1
    }
  }
  return list.trim() === '' ? [] : parts.map(parameter)
}

function parameter(text: string): Json {
  const [, members, type, indexed, name = ''] =
    /^(?:\((.*)\))?([\w[\]]*)( indexed)?(?: ([\w$]+))?$/.exec(text) ?? []
  if (type === undefined) throw new Fault('bad-text', `no parameter: ${text.slice(0, 80)}`)
  const about = { name, indexed: indexed !== undefined }
  return members === undefined
    ? { ...about, type }
    : { ...about, type: `tuple${type}`, components: parameters(members) }
}
