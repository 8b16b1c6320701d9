/**
 * Decoded values as rows: addresses lead to their pages, blockchain ids to their chains, members of structs stand one
 * below the other, and amounts of a token have its decimals.
 */

import { h, type JSX } from 'preact'

import type { Decoded } from '../../../shape/evm/log.ts'
import { addressLink } from '../evm/evm-parts.ts'
import { amount, clipped, count, ends, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { facts, type View } from '../kit/parts.ts'
import { chainOfId } from '../kit/world.ts'

/** A value of a call or an event as the API decodes it. */
export type DecodedValue = Decoded['parameters'][number]

// Longer values are no reading matter; the whole bytes stand below.
const longest = 400

// The allowance by which wallets allow everything.
const unlimited = String(2n ** 256n - 1n)

/** Name, type and value of each. */
export function argumentRows(chainId: string, values: readonly DecodedValue[]): readonly View[][] {
  return values.map((each, at) => [
    h('span', null, visible(each.name === '' ? String(at) : each.name)),
    h('code', null, each.type),
    valueView(chainId, each),
  ])
}

/** One value: an address as a link, an amount in whole tokens or coins, all else as it is. */
export function valueView(chainId: string, of: DecodedValue): JSX.Element {
  const { type, value, label, labels = {}, tokens = {}, token } = of
  if (type === 'address')
    return addressLink(chainId, { address: value, label: label ?? labels[value] })
  const unit = token ?? (/^u?int/.test(type) ? tokens[value] : undefined)
  if (unit !== undefined) {
    const units = value === unlimited ? 'unlimited' : amount(value, unit.decimals)
    const symbol = unit.symbol === '' ? ends(unit.address ?? '', 6, 4) : clipped(unit.symbol)
    return h('span', { title: value }, `${units} ${symbol}`)
  }
  const chain = type === 'bytes32' ? chainOfId(value) : undefined
  if (chain?.evmChainId !== undefined)
    return h('a', { href: to('chain', chain.evmChainId), title: value }, visible(chain.name))
  const members = /^\(.*\)$|\]$/.test(type) ? membersOf(type, value) : undefined
  return members === undefined
    ? plain(type, value)
    : facts(
        members.map(
          (one) => [visible(one.name), valueView(chainId, { ...one, labels, tokens })] as const,
        ),
      )
}

// Shorter numbers need no groups of digits.
const leastDigits = 4

/** A long number in groups of digits, all else as it is. */
function plain(type: string, value: string): JSX.Element {
  const isLong = /^u?int\d*$/.test(type) && value.length > leastDigits
  const text = value.length > longest ? ends(value, longest - 20, 16) : value
  return h('span', { class: 'id', title: value }, isLong ? count(value) : visible(text))
}

const mostMembers = 20

/** Members of a struct or list, which the API gives as JSON; `undefined` for many, and a text of another form. */
function membersOf(type: string, text: string): readonly DecodedValue[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
    const types = type.endsWith(')')
      ? typesIn(type)
      : entries.map(() => type.replace(/\[\d*\]$/, ''))
    if (entries.length !== types.length || entries.length === 0) return undefined
    if (entries.length > mostMembers) return undefined
    return entries.map(([name, inner]: [string, unknown], at) => ({
      name,
      type: types[at] ?? '',
      value: typeof inner === 'string' ? inner : JSON.stringify(inner),
    }))
  } catch {
    return undefined
  }
}

/** Types of the members of a tuple type: `(address,(uint256,bytes)[])` has two. */
function typesIn(type: string): readonly string[] {
  const types: string[] = ['']
  let depth = 0
  for (const sign of type.slice(1, -1)) {
    if (sign === ',' && depth === 0) {
      types.push('')
      continue
    }
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0
    types[types.length - 1] += sign
  }
  return types
}
