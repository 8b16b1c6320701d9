/** Methods and events from text: `balanceOf(address account) view returns (uint256)`, names as they are given. */

import { Fault, faultOf } from '../../core/fault.ts'
import { type AbiEntry, readAbi } from './abi.ts'

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
