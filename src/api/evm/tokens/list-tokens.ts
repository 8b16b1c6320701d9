/** Tokens and collections of a chain, those with the most transfers or holders first. */

import { struct } from '../../../codec/kit.ts'
import { f64 } from '../../../codec/primitives.ts'
import { EvmContracts } from '../../../shape/operations/evm-contracts.ts'
import { type CountedToken, countedTokens } from '../../../store/query/evm/balances.ts'
import { type AllOf, operation, type Operation } from '../../operation/operation.ts'
import { cursorOf, filteredPage, nextToken, readPage } from '../../operation/paging.ts'
import { contractView } from '../contracts/list-contracts.ts'
import type { EvmContext } from '../evm-context.ts'
import { tokenPricer } from './token-views.ts'

/** Tokens and collections. */
export function listTokens(
  context: EvmContext,
): Pick<AllOf<typeof EvmContracts>, 'listErc20Tokens' | 'listNftCollections'> {
  return {
    listErc20Tokens: list(context, EvmContracts.listErc20Tokens, [20, 20]),
    listNftCollections: list(context, EvmContracts.listNftCollections, [721, 1155]),
  }
}

type Place = { readonly count: number; readonly id: number }

const place = cursorOf<Place>(struct({ count: f64, id: f64 }))

function list<
  C extends typeof EvmContracts.listErc20Tokens | typeof EvmContracts.listNftCollections,
>(context: EvmContext, contract: C, standards: readonly [number, number]): Operation<C['id']> {
  return operation<C>(contract, async ({ path, query }) => {
    const chain = context.chains.find(path.chainId)
    const { sortBy: by = 'transfers' } = query
    const book = context.addressBooks(chain)
    const counted = {
      route: contract.id,
      subject: { chain: chain.facts.key },
      query,
      ...place,
      rows: (after: Place | undefined, limit: number) =>
        countedTokens(chain.store, { by, standards, after, limit }),
      cursorOf: (row: CountedToken): Place => ({ count: row[by], id: row.id }),
    }
    const unsuspected = async (rows: readonly CountedToken[]): Promise<CountedToken[]> => {
      const named = await book.load(rows.map(({ id }) => id))
      return rows.filter(({ id }) => named(id).rich.isSpam !== true)
    }
    const isHidden = query.filterSpamTokens ?? true
    const page = await (isHidden
      ? filteredPage(context.tokens, counted, unsuspected)
      : readPage(context.tokens, counted))
    const named = await book.load(page.rows.map(({ id }) => id))
    const priced = await tokenPricer(
      context.prices,
      chain,
      page.rows.flatMap(({ id }) => (named(id).token?.standard === 20 ? [named(id).erc20] : [])),
    )
    const tokens = page.rows.map(({ id, transfers, holders }) => ({
      ...contractView(named(id)),
      price: priced(named(id).erc20).price,
      transferCount: transfers,
      holderCount: holders,
    }))
    return { body: { ...nextToken(page), tokens } }
  })
}
