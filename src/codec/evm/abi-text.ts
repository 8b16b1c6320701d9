/** Methods and events from text: `transfer(address to, uint256 value)`, names as they are given. */

import { Fault, faultOf } from '../../core/fault.ts'
import { type AbiEntry, readAbi } from './abi.ts'

type Json = {
  readonly type: string
  readonly name: string
  readonly indexed: boolean
  readonly components?: readonly Json[]
}

/** `undefined` for a text that is none. */
export function entryOfText(kind: 'event' | 'function', text: string): AbiEntry | undefined {
  const [, name = '', list] = /^([\w$]+)\((.*)\)$/.exec(text) ?? []
  if (list === undefined) return undefined
  try {
    return readAbi([{ type: kind, name, inputs: parameters(list) }])[0]
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
