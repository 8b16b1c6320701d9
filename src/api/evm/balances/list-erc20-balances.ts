/** ERC-20 balances of an address. */

import type { Erc20TokenBalance, CurrencyCode } from '../../../shape/evm/token.ts'
import { EvmBalances } from '../../../shape/operations/evm-balances.ts'
import { tokensOfIds } from '../../../store/query/evm/addresses.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { requestedPage, numberCursor } from '../../operation/paging.ts'
import { valueAt } from '../../prices/token-lists.ts'
import { subjectOf } from '../address-list.ts'
import type { EvmContext } from '../evm-context.ts'
import type { RichAddressBook } from '../rich-addresses.ts'
import { looksLikeSpam } from '../tokens/spam.ts'
import { money, tokenPricer } from '../tokens/token-views.ts'
import { balancesHeader } from './compared-balances.ts'
import { type Holding, heldTokens, spareCandidates } from './held-tokens.ts'
import { balanceMoment, nativeBalance } from './native-balance.ts'

/** Document B, endpoint 5. */
export function listErc20Balances(context: EvmContext): Operation<'listErc20Balances'> {
  return operation(EvmBalances.listErc20Balances, async ({ path, query, signal }) => {
    const { chain, address, id, binding: subject } = await subjectOf(context, path)
    const moment = await balanceMoment(chain, query, signal)
    const { after, limit, next } = requestedPage(context.tokens, {
      route: EvmBalances.listErc20Balances.id,
      subject,
      query,
      ...numberCursor,
    })
    const currency = query.currency ?? 'usd'
    const filtered = query.filterSpamTokens ?? true
    const [holdings, nativeTokenBalance] = await Promise.all([
      heldTokens(context, chain, {
        address,
        addressId: id ?? 0,
        moment,
        after: after ?? 0,
        limit,
        only: await wantedTokens(chain, context.addressBooks(chain), query.contractAddresses),
        keep: ({ token, note }) =>
          !filtered || (token !== undefined && !looksLikeSpam(token, note, chain.facts)),
      }),
      nativeBalance(context.prices, chain, {
        address,
        height: query.blockNumber === undefined ? undefined : moment.height,
        currency,
        signal,
      }),
    ])
    const erc20TokenBalances = await balanceViews(context, chain, holdings.rows, currency)
    return {
      body: { ...next(holdings.last), nativeTokenBalance, erc20TokenBalances },
      headers: balancesHeader(holdings.compared, moment.height),
    }
  })
}

/** Numbers of the contracts a caller names, ascending; those the chain never showed are left out. */
async function wantedTokens(
  { store }: ServedChain,
  book: RichAddressBook,
  contracts: readonly string[] | undefined,
): Promise<readonly number[] | undefined> {
  if (contracts === undefined) return undefined
  const ids = new Set<number>()
  for (const contract of contracts) {
    const { id } = await book.find(contract)
    if (id !== undefined) ids.add(id)
  }
  const known = [...ids].sort((a, b) => a - b)
  if (known.length <= spareCandidates) return known
  const tokens = await tokensOfIds(store, known)
  return known.filter((_, at) => tokens[at] !== undefined)
}

async function balanceViews(
  { prices }: EvmContext,
  chain: ServedChain,
  holdings: readonly Holding[],
  currency: CurrencyCode,
): Promise<Erc20TokenBalance[]> {
  const priced = await tokenPricer(
    prices,
    chain,
    holdings.map(({ entry }) => entry.erc20),
    currency,
  )
  const chainId = String(chain.facts.evmChainId)
  return holdings.map(({ entry, balance }) => {
    const token = priced(entry.erc20)
    const view: Erc20TokenBalance = {
      ...token,
      chainId,
      balance: balance.toString(),
      tokenReputation: entry.note?.reputation ?? null,
    }
    if (token.price !== undefined && token.decimals !== null) {
      const value = valueAt(balance, token.decimals, token.price.value)
      view.balanceValue = money(value, currency)
    }
    return view
  })
}
