/**
 * Which decoded numbers are amounts, and of what: an argument that is called as ERC-20 calls an amount is one of the
 * token that was called or logged it; a number of exactly as many as the transaction moved is one of that.
 */

import type { Decoded, Unit } from '../../../shape/evm/log.ts'
import type { RichAddress } from '../../../shape/evm/token.ts'

type Value = Decoded['parameters'][number]

/** Tokens and coins that a transaction moved, by how many in base 10. */
export type Moved = ReadonlyMap<string, Unit>

/** A token as a unit; `undefined` where its decimals are not known. */
export function unitOf({ address, symbol = '', decimals }: Partial<RichAddress>): Unit | undefined {
  return decimals === undefined ? undefined : { address, symbol, decimals }
}

// What ERC-20 and its neighbours call an amount of the token, and methods that return one.
const amountName = /^(?:_?value|_?amount|rawAmount|wad)$/i
const amountMethod = /^(?:totalSupply|balanceOf|allowance)$/

// A number of fewer digits is as likely something else.
const leastDigits = 4
const longNumbers = new RegExp(`(?<=")\\d{${leastDigits},}(?=")`, 'g')

/** A value with the unit of which it is an amount, a list or tuple with those of numbers in it. */
export function withUnit(
  value: Value,
  of: { readonly method: string; readonly own: Unit | undefined; readonly moved: Moved },
): Value {
  const { type, name, value: text } = value
  if (/^u?int\d*$/.test(type)) {
    const isOwn = amountName.test(name) || amountMethod.test(of.method)
    const digits = text.replace('-', '')
    const found = digits.length < leastDigits ? undefined : of.moved.get(digits)
    const token = (isOwn ? of.own : undefined) ?? found
    return token === undefined ? value : { ...value, token }
  }
  const known = (type.includes('int') ? (text.match(longNumbers) ?? []) : []).flatMap((digits) => {
    const unit = of.moved.get(digits)
    return unit === undefined ? [] : [[digits, unit] as const]
  })
  return known.length === 0 ? value : { ...value, tokens: Object.fromEntries(known) }
}
