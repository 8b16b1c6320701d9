/**
 * Decoded values as rows: addresses lead to their pages, blockchain ids to their chains, members of structs stand one
 * below the other, and amounts of a token have its decimals.
 */

import { h, type JSX } from 'preact'

import { addressLink, type ShownAddress } from '../evm/evm-parts.ts'
import { amount, count, ends, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { facts, type View } from '../kit/parts.ts'
import { chainOfId } from '../kit/world.ts'

/** A value of a call or an event as the API decodes it. */
export type DecodedValue = {
  readonly name: string
  readonly type: string
  readonly value: string
  /** The name of an address. */
  readonly label?: string | undefined
  /** The same of addresses in a list or tuple, by them. */
  readonly labels?: Readonly<Record<string, string>> | undefined
}

// Longer values are no reading matter; the whole bytes stand below.
const longest = 400

// What ERC-20 and its neighbours call an amount of the token.
const amountName = /^(?:_?value|_?amount|rawAmount|wad)$/i

// The allowance by which wallets allow everything.
const unlimited = String(2n ** 256n - 1n)

/** Tokens that a transaction moved, each with how many: an argument of so many is an amount of it. */
export type Moved = readonly { readonly token: ShownAddress; readonly value: string }[]

/** Name, type and value of each; `of` is the contract that was called or logged. */
export function argumentRows(
  chainId: string,
  values: readonly DecodedValue[],
  of: ShownAddress,
  moved: Moved = [],
): readonly View[][] {
  return values.map((each, at) => [
    h('span', null, visible(each.name === '' ? String(at) : each.name)),
    h('code', null, each.type),
    valueView(chainId, each, of, moved),
  ])
}

// A number of fewer digits is as likely something else.
const leastDigits = 4

/** One value: an address as a link, an amount of an ERC-20 in whole tokens, all else as it is. */
export function valueView(
  chainId: string,
  { name, type, value, label, labels = {} }: DecodedValue,
  of: ShownAddress,
  moved: Moved = [],
): JSX.Element {
  if (type === 'address')
    return addressLink(chainId, { address: value, label: label ?? labels[value] })
  const token = type === 'uint256' ? tokenOf(name, value, { of, moved }) : undefined
  if (typeof token?.decimals === 'number') {
    const units = value === unlimited ? 'unlimited' : amount(value, token.decimals)
    return h('span', { title: value }, `${units} ${visible(token.symbol ?? '')}`)
  }
  const chain = type === 'bytes32' ? chainOfId(value) : undefined
  if (chain?.evmChainId !== undefined)
    return h('a', { href: to('chain', chain.evmChainId), title: value }, visible(chain.name))
  const members = type.startsWith('(') && type.endsWith(')') ? membersOf(type, value) : undefined
  return members === undefined
    ? plain(type, value)
    : facts(
        members.map(
          (one) => [visible(one.name), valueView(chainId, { ...one, labels }, of, moved)] as const,
        ),
      )
}

/** A long number in groups of digits, all else as it is. */
function plain(type: string, value: string): JSX.Element {
  const isLong = /^u?int\d*$/.test(type) && value.length > leastDigits
  const text = value.length > longest ? ends(value, longest - 20, 16) : value
  return h('span', { class: 'id', title: value }, isLong ? count(value) : visible(text))
}

/** The token of which a number is an amount: the contract's own by the name, or one that was moved by so many. */
function tokenOf(
  name: string,
  value: string,
  { of, moved }: { readonly of: ShownAddress; readonly moved: Moved },
): ShownAddress | undefined {
  if (typeof of.decimals === 'number' && amountName.test(name)) return of
  return value.length < leastDigits ? undefined : moved.find((one) => one.value === value)?.token
}

/** Members of a struct, which the API gives as JSON; `undefined` for a text of another form. */
function membersOf(type: string, text: string): readonly DecodedValue[] | undefined {
  const types = typesIn(type)
  try {
    const value: unknown = JSON.parse(text)
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
    if (entries.length !== types.length || entries.length === 0) return undefined
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
