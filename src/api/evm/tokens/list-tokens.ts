/** Tokens and collections of a chain, those with the most transfers or holders first. */

import { struct } from '../../../codec/kit.ts'
import { f64 } from '../../../codec/primitives.ts'
import { ContractMetadata } from '../../../shape/evm/contract.ts'
import { ChainPath, pageSize, pageToken } from '../../../shape/evm/parameters.ts'
import { pageShape } from '../../../shape/page-shape.ts'
import { Type, type Schema } from '../../../shape/type.ts'
import { type CountedToken, countedTokens, mostCounted } from '../../../store/query/evm/balances.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { cursorOf, filteredPage, nextToken, readPage } from '../../operation/paging.ts'
import { contractView } from '../contracts/list-contracts.ts'
import type { EvmContext } from '../evm-context.ts'

const count = (of: string, most: number): Schema<number> =>
  Type.Integer({
    description: `${of}, when the token was last looked at: at most a day ago, mostly seconds; ${most.toLocaleString('en-US')} stands for so many or more`,
  })

const shared = {
  tag: 'EVM contracts',
  parameters: {
    path: ChainPath,
    query: Type.Object({
      sortBy: Type.Optional(
        Type.Enum(['transfers', 'holders'], {
          default: 'transfers',
          description: 'Of what those with the most come first',
        }),
      ),
      filterSpamTokens: Type.Optional(
        Type.Boolean({ default: true, description: 'Leave tokens out that look like spam' }),
      ),
      pageToken,
      pageSize,
    }),
  },
  response: pageShape({
    tokens: Type.Array(
      Type.Object({
        ...ContractMetadata.properties,
        transferCount: count('Transfers', mostCounted.transfers),
        holderCount: count('Addresses that ever had some', mostCounted.holders),
      }),
    ),
  }),
} as const

const ListErc20Tokens = {
  ...shared,
  id: 'listErc20Tokens',
  path: '/v1/chains/{chainId}/tokens',
  summary: 'ERC-20 tokens of a chain, those with the most transfers or holders first',
} as const

const ListNftCollections = {
  ...shared,
  id: 'listNftCollections',
  path: '/v1/chains/{chainId}/nfts/collections',
  summary:
    'ERC-721 and ERC-1155 collections of a chain, those with the most transfers or holders first',
} as const

/** Tokens and collections. */
export function listTokens(context: EvmContext): Operation[] {
  return [list(context, ListErc20Tokens, [20, 20]), list(context, ListNftCollections, [721, 1155])]
}

type Place = { readonly count: number; readonly id: number }
const place = cursorOf<Place>(struct({ count: f64, id: f64 }))

function list(
  context: EvmContext,
  shape: typeof ListErc20Tokens | typeof ListNftCollections,
  standards: readonly [number, number],
): Operation {
  return operation(shape, async ({ path, query }) => {
    const chain = context.chains.find(path.chainId)
    const { sortBy: by = 'transfers' } = query
    const book = context.addressBooks(chain)
    const counted = {
      route: shape.id,
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
    const tokens = page.rows.map(({ id, transfers, holders }) => ({
      ...contractView(named(id)),
      transferCount: transfers,
      holderCount: holders,
    }))
    return { body: { ...nextToken(page), tokens } }
  })
}
