/**
 * Prices of coins and tokens, from the sources that the operator names.
 *
 * Prices are decimal text: they never pass through a double before the dialect prints them.
 */

import { withPoint } from '../../core/text.ts'
import type { CurrencyCode } from '../../shape/evm/money.ts'
import type { ChainFacts } from './chain-directory.ts'

/** The native coin of a chain, or the 20 bytes of a token contract. */
export type Priced = 'native' | Uint8Array

/** Asks for prices of many things of one chain at once. */
export type PriceQuestion = {
  readonly chain: Pick<ChainFacts, 'evmChainId'>
  readonly of: readonly Priced[]
  readonly currency: CurrencyCode
}

/** A source of prices. Answers are in the order asked, `undefined` where it knows none. */
export type PriceSource = {
  /** False when every answer would be `undefined`; callers then do not ask. */
  readonly offered: boolean
  /** Price of one whole coin or token now. */
  readonly current: (question: PriceQuestion) => Promise<readonly (string | undefined)[]>
  /** Price on the day of `timestamp`, Unix seconds. */
  readonly historical: (
    question: PriceQuestion & { readonly timestamp: number },
  ) => Promise<readonly (string | undefined)[]>
}

/** No prices: every field of money stays absent. */
export const noPrices: PriceSource = {
  offered: false,
  current: async ({ of }) => of.map(() => undefined),
  historical: async ({ of }) => of.map(() => undefined),
}

/**
 * `amount` smallest units at `price` for a whole one, as decimal text, exact to the last digit.
 *
 * `price` is `123` or `123.456`.
 */
export function valueAt(amount: bigint, decimals: number, price: string): string {
  const [whole = '0', fraction = ''] = price.split('.')
  return withPoint(amount * BigInt(whole + fraction), decimals + fraction.length)
}
