/** Prices put on tokens, and NFTs with what is known of them. */

import { parseEvmAddress } from '../../core/address.ts'
import type { Erc20Token, CurrencyCode, Money } from '../../shape/evm/token.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import type { PriceSource } from '../operation/token-lists.ts'

/** A price as the API shows it. */
export function money(value: string, currencyCode: CurrencyCode): Money {
  return { currencyCode, value }
}

/** Puts a price on ERC-20 tokens. The result of {@link tokenPricer}. */
export type Pricer = (token: Erc20Token) => Erc20Token

/** Leaves tokens as they are. */
export const unpriced: Pricer = (token) => token

/** Asks for the prices of all `tokens` at once; those unknown stay without. */
export async function tokenPricer(
  prices: PriceSource,
  chain: ServedChain,
  tokens: readonly Erc20Token[],
  currency: CurrencyCode = 'usd',
): Promise<Pricer> {
  if (!prices.offered || tokens.length === 0) return unpriced
  const distinct = [...new Set(tokens.map((token) => token.address))]
  const found = await prices.current({
    chain: chain.facts,
    of: distinct.map(parseEvmAddress),
    currency,
  })
  const known = new Map<string, string>()
  for (const [at, address] of distinct.entries()) {
    const price = found[at]
    if (price !== undefined) known.set(address, price)
  }
  return (token) => {
    const price = known.get(token.address)
    return price === undefined ? token : { ...token, price: money(price, currency) }
  }
}
