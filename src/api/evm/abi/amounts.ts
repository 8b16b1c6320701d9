/**
 * Which decoded numbers are amounts, and of what: an argument that is called as ERC-20 calls an amount is one of the
 * token that was called or logged it, else of the only token among the addresses beside it; a number of exactly as many
 * as the transaction moved is one of that. A vault that is a token itself is paid in another: in what ERC-20 has not,
 * the token moved goes before its own.
 */

import type { Decoded, Unit } from '../../../shape/evm/log.ts'
import type { RichAddress } from '../../../shape/evm/token.ts'

type Value = Decoded['parameters'][number]

/** Tokens and coins that a transaction moved, by how many in base 10; `undefined` for as many of several tokens. */
export type Moved = ReadonlyMap<string, Unit | undefined>

/** A token as a unit, without a symbol where it looks like spam; `undefined` where its decimals are not known. */
export function unitOf({
  address,
  symbol = '',
  decimals,
  isSpam,
}: Partial<RichAddress>): Unit | undefined {
  if (decimals === undefined) return undefined
  return { address, symbol: isSpam === true ? '' : symbol, decimals }
}

// What ERC-20 and its neighbours call an amount of the token, and methods that return one.
const amountName = /^(?:_?value|_?amount|rawAmount|wad)$/i
const amountMethod = /^(?:totalSupply|balanceOf|allowance)$/
// What ERC-20 and its neighbours say of the token itself and of no other.
const ownMethod =
  /^(?:transfer|transferFrom|approve|approval|permit|increaseAllowance|decreaseAllowance)$/i

// Numbers of lists and tuples as JSON has them here, with the name of a member before them.
const numbers = /(?:"(\w+)":)?"(\d+)"/g

/** Units that may be those of numbers in a call, an event or what a call returned. */
export type Units = {
  readonly method: string
  /** The token that was called or logged it. */
  readonly own: Unit | undefined
  /** The only token among the addresses in it. */
  readonly beside: Unit | undefined
  readonly moved: Moved
}

/** A value with the unit of which it is an amount, a list or tuple with those of numbers in it. */
export function withUnit(value: Value, of: Units): Value {
  const { type, name, value: text } = value
  if (/^u?int\d*$/.test(type)) {
    const isAmount = amountName.test(name)
    const moved = movedOf(text.replace('-', ''), of)
    const own = isAmount || amountMethod.test(of.method) ? of.own : undefined
    // Coins give way: a wrapped coin is paid in them, and they are as many.
    const paid = moved?.address === undefined || ownMethod.test(of.method) ? undefined : moved
    const beside = isAmount ? of.beside : undefined
    const token = own === undefined ? (moved ?? beside) : (paid ?? own)
    return token === undefined ? value : { ...value, token }
  }
  const found = type.includes('int') ? [...text.matchAll(numbers)] : []
  const others = new Set(
    found.flatMap(([, member = '', digits]) => (amountName.test(member) ? [] : [digits])),
  )
  const known = found.flatMap(([, , digits = '']) => {
    const unit = movedOf(digits, of) ?? (others.has(digits) ? undefined : of.beside)
    return unit === undefined ? [] : [[digits, unit] as const]
  })
  return known.length === 0 ? value : { ...value, tokens: Object.fromEntries(known) }
}

// A number of fewer digits is as likely something else.
const leastDigits = 4

function movedOf(digits: string, { moved }: Units): Unit | undefined {
  return digits.length < leastDigits ? undefined : moved.get(digits)
}

/** The unit of the only token of several, each as often as it may be. */
export function onlyUnit(tokens: readonly Partial<RichAddress>[]): Unit | undefined {
  const [first] = tokens
  return first && tokens.every(({ address }) => address === first.address)
    ? unitOf(first)
    : undefined
}
