/** Native balance of an address. */

import type { CurrencyCode, NativeTokenBalance, NetworkToken } from '../../shape/evm/token.ts'
import type { ChainFacts, ServedChain } from '../operation/chain-directory.ts'
import { type PriceSource, valueAt } from '../operation/token-lists.ts'
import { money } from './token-views.ts'

/** Asks the node; it is never derived. Throws `not-served` where none can tell. */
export async function nativeBalance(
  prices: PriceSource,
  chain: ServedChain,
  query: {
    readonly address: Uint8Array
    /** `undefined` for the newest block. */
    readonly height: number | undefined
    readonly currency: CurrencyCode
    readonly signal: AbortSignal
  },
): Promise<NativeTokenBalance> {
  const { facts, state } = chain
  const [balance, [price]] = await Promise.all([
    state.balance(query.address, query.height, query.signal),
    prices.offered
      ? prices.current({ chain: facts, of: ['native'], currency: query.currency })
      : [undefined],
  ])
  const { description: _description, ...coin } = networkToken(facts)
  const view: NativeTokenBalance = {
    ...coin,
    chainId: String(facts.evmChainId),
    balance: balance.toString(),
  }
  if (price !== undefined) {
    view.price = money(price, query.currency)
    view.balanceValue = money(valueAt(balance, facts.decimals, price), query.currency)
  }
  return view
}

/** The native coin of a chain. Its name is the symbol where nobody named it. */
export function networkToken(facts: ChainFacts): NetworkToken {
  return {
    name: facts.symbol === 'AVAX' ? 'Avalanche' : facts.symbol,
    symbol: facts.symbol,
    decimals: facts.decimals,
    logoUri: facts.logoUri,
    description: `Native coin of ${facts.name}`,
  }
}
