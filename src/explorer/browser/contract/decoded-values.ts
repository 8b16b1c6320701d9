/** Decoded values as rows: addresses lead to their pages, amounts of a token have its decimals. */

import { h, type JSX } from 'preact'

import { addressLink, type ShownAddress } from '../evm/evm-parts.ts'
import { amount, ends, visible } from '../kit/format.ts'
import type { View } from '../kit/parts.ts'

/** A value of a call or an event as the API decodes it. */
export type DecodedValue = {
  readonly name: string
  readonly type: string
  readonly value: string
  /** The operator's name of an address. */
  readonly label?: string | undefined
}

// Longer values are no reading matter; the whole bytes stand below.
const longest = 400

// What ERC-20 and its neighbours call an amount of the token.
const amountName = /^(?:_?value|_?amount|rawAmount|wad)$/i

// The allowance by which wallets allow everything.
const unlimited = String(2n ** 256n - 1n)

/** Name, type and value of each; `of` is the contract that was called or logged. */
export function argumentRows(
  chainId: string,
  values: readonly DecodedValue[],
  of: ShownAddress,
): readonly View[][] {
  return values.map((each, at) => [
    h('span', null, visible(each.name === '' ? String(at) : each.name)),
    h('code', null, each.type),
    valueView(chainId, each, of),
  ])
}

/** One value: an address as a link, an amount of an ERC-20 in whole tokens, all else as it is. */
export function valueView(
  chainId: string,
  { name, type, value, label }: DecodedValue,
  { decimals, symbol }: ShownAddress,
): JSX.Element {
  if (type === 'address') return addressLink(chainId, { address: value, label })
  if (type === 'uint256' && typeof decimals === 'number' && amountName.test(name)) {
    const units = value === unlimited ? 'unlimited' : amount(value, decimals)
    return h('span', { title: value }, `${units} ${visible(symbol ?? '')}`)
  }
  return h(
    'span',
    { class: 'id', title: value },
    visible(value.length > longest ? ends(value, longest - 20, 16) : value),
  )
}
