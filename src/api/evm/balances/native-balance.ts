/** Native balance of an address. */

import { parseEvmAddress } from '../../../core/address.ts'
import { Fault } from '../../../core/fault.ts'
import type { CurrencyCode, NativeTokenBalance, NetworkToken } from '../../../shape/evm/token.ts'
import { EvmBalances } from '../../../shape/operations/evm-balances.ts'
import { indexedHeight } from '../../../store/query/evm/heights.ts'
import type { ChainFacts, ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { type PriceSource, valueAt } from '../../prices/token-lists.ts'
import type { EvmContext } from '../evm-context.ts'
import { money } from '../tokens/token-views.ts'
import type { BalanceMoment } from './compared-balances.ts'

/** Read from the node, never derived. Throws `not-served` where none can give it. */
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

/** Native balance of an address, as the node reports it. */
export function getNativeBalance({ chains, prices }: EvmContext): Operation<'getNativeBalance'> {
  return operation(EvmBalances.getNativeBalance, async ({ path, query, signal }) => {
    const chain = chains.find(path.chainId)
    const height = await balanceHeight(chain, query.blockNumber)
    const nativeTokenBalance = await nativeBalance(prices, chain, {
      address: parseEvmAddress(path.address),
      height,
      currency: query.currency ?? 'usd',
      signal,
    })
    return { body: { nativeTokenBalance } }
  })
}

/**
 * Reads parameter `blockNumber`; `undefined` is the newest block. Throws `not-found` for a block that
 * is not indexed yet.
 */
export async function balanceHeight(
  chain: ServedChain,
  blockNumber: string | undefined,
): Promise<number | undefined> {
  if (blockNumber === undefined) return undefined
  return (await balanceMoment(chain, { blockNumber }, new AbortController().signal)).height
}

/** The same of ERC-20 balances; `compared` says that the caller insists on those of the node. */
export async function balanceMoment(
  chain: ServedChain,
  of: { readonly blockNumber?: string | undefined; readonly compared?: boolean | undefined },
  signal: AbortSignal,
): Promise<BalanceMoment> {
  const indexed = await indexedHeight(chain.store, 'blocks')
  const height = of.blockNumber === undefined ? indexed : Number(of.blockNumber)
  if (height > indexed)
    throw new Fault('not-found', `block is not known here, the newest is ${indexed}: ${height}`)
  return { height, isNewest: height === indexed, insists: of.compared === true, signal }
}
