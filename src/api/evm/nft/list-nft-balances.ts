/** NFTs of an address: ERC-721, ERC-1155, or both. */

import { itemAt } from '../../../core/item-at.ts'
import type { Erc1155TokenBalance, Erc721TokenBalance } from '../../../shape/evm/nft-token.ts'
import { Nfts } from '../../../shape/operations/nft.ts'
import { indexedHeight } from '../../../store/query/evm/heights.ts'
import type { AmountRow } from '../../../store/query/nft/amounts-of-owner.ts'
import type { NftPlace } from '../../../store/query/nft/nft-place.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { type Input, operation, type Operation } from '../../operation/operation.ts'
import { requestedPage } from '../../operation/paging.ts'
import { type Subject, subjectOf } from '../address-list.ts'
import { balancesHeader } from '../balances/compared-balances.ts'
import { balanceHeight, nativeBalance } from '../balances/native-balance.ts'
import {
  contractFilter,
  heldErc1155,
  heldErc721,
  decodeNftCursor,
  encodeNftCursor,
} from './held-nfts.ts'
import type { NftContext } from './nft-context.ts'
import { erc1155Tokens, erc721Tokens } from './nft-views.ts'

/** ERC-721 tokens an address owns. */
export function listErc721Balances(context: NftContext): Operation<'listErc721Balances'> {
  return operation(Nfts.listErc721Balances, async ({ path, query, signal }) => {
    const list = await openList(context, { route: Nfts.listErc721Balances.id, path, query })
    const [page, nativeTokenBalance] = await Promise.all([
      list.read(['erc721']),
      coins(context, list, undefined, signal),
    ])
    const erc721TokenBalances = await erc721Balances(context, list.chain, page.erc721)
    return {
      body: { ...page.next, nativeTokenBalance, erc721TokenBalances },
      headers: list.headers,
    }
  })
}

/** ERC-1155 amounts of an address, now or after a block. */
export function listErc1155Balances(context: NftContext): Operation<'listErc1155Balances'> {
  return operation(Nfts.listErc1155Balances, async ({ path, query, signal }) => {
    const list = await openList(context, { route: Nfts.listErc1155Balances.id, path, query })
    const [page, nativeTokenBalance] = await Promise.all([
      list.read(['erc1155']),
      coins(context, list, list.height, signal),
    ])
    const erc1155TokenBalances = await erc1155Balances(context, list.chain, page.erc1155)
    return {
      body: { ...page.next, nativeTokenBalance, erc1155TokenBalances },
      headers: list.headers,
    }
  })
}

/** Both: all ERC-721 tokens, then the ERC-1155 ones. */
export function listCollectibleBalances(context: NftContext): Operation<'listCollectibleBalances'> {
  return operation(Nfts.listCollectibleBalances, async ({ path, query }) => {
    const list = await openList(context, { route: Nfts.listCollectibleBalances.id, path, query })
    const page = await list.read(['erc721', 'erc1155'])
    const [owned, held] = await Promise.all([
      erc721Balances(context, list.chain, page.erc721),
      erc1155Balances(context, list.chain, page.erc1155),
    ])
    const collectibleBalances = [...owned, ...held]
    return { body: { ...page.next, collectibleBalances }, headers: list.headers }
  })
}

/** A page: rows of either kind, and the token of the next in the form a body takes. */
type NftPage = {
  readonly erc721: readonly NftPlace[]
  readonly erc1155: readonly AmountRow[]
  readonly next: { nextPageToken?: string }
}

type OpenList = Subject & {
  readonly height: number | undefined
  /** NFTs are what logs say. */
  readonly headers: Readonly<Record<string, string>>
  readonly read: (kinds: readonly ('erc721' | 'erc1155')[]) => Promise<NftPage>
}

async function openList(
  context: NftContext,
  request: {
    readonly route: string
    readonly path: { readonly chainId: string; readonly address: string }
    readonly query: Input<typeof Nfts.listErc1155Balances>['query']
  },
): Promise<OpenList> {
  const { route, path, query } = request
  const subject = await subjectOf(context, path)
  const { chain } = subject
  const height = await balanceHeight(chain, query.blockNumber)
  const until = height ?? (await indexedHeight(chain.store, 'blocks'))
  const {
    after: cursor,
    limit,
    next: nextFrom,
  } = requestedPage(context.tokens, {
    route,
    subject: subject.binding,
    query,
    encode: encodeNftCursor,
    decode: decodeNftCursor,
  })
  const contracts = await contractFilter(chain, query.contractAddress)
  const read: OpenList['read'] = async (kinds) => {
    const base = { ownerId: subject.id, contracts }
    const hasOwned = kinds.includes('erc721') && cursor?.standard !== 1155
    const owned = hasOwned
      ? await heldErc721(chain, { ...base, after: cursor, limit: limit + 1 })
      : []
    const erc721 = owned.slice(0, limit)
    const lastOwned = erc721.at(-1)
    if (!kinds.includes('erc1155') || owned.length > limit) {
      const isLast = owned.length <= limit || lastOwned === undefined
      return { erc721, erc1155: [], next: isLast ? {} : nextFrom({ ...lastOwned, standard: 721 }) }
    }
    const after = cursor?.standard === 1155 ? cursor : undefined
    const room = limit - erc721.length
    const atHeight = height ?? Number.MAX_SAFE_INTEGER
    const held = await heldErc1155(chain, { ...base, after, limit: room + 1, height: atHeight })
    const erc1155 = held.rows.slice(0, room)
    const lastHeld = erc1155.at(-1) ?? after
    const more = held.rows.length > room ? lastHeld : held.last
    if (more !== undefined) return { erc721, erc1155, next: nextFrom({ ...more, standard: 1155 }) }
    // The page is full of ERC-721 tokens: the next begins with the first of ERC-1155.
    const isOver = held.rows.length <= room || lastOwned === undefined
    return { erc721, erc1155, next: isOver ? {} : nextFrom({ ...lastOwned, standard: 721 }) }
  }
  return { ...subject, height, headers: balancesHeader(undefined, until), read }
}

function coins(
  { prices }: NftContext,
  { chain, address }: OpenList,
  height: number | undefined,
  signal: AbortSignal,
): ReturnType<typeof nativeBalance> {
  return nativeBalance(prices, chain, { address, height, currency: 'usd', signal })
}

async function erc721Balances(
  context: NftContext,
  chain: ServedChain,
  places: readonly NftPlace[],
): Promise<Erc721TokenBalance[]> {
  const tokens = await erc721Tokens(context, chain, places)
  const chainId = String(chain.facts.evmChainId)
  return tokens.map((token) => ({ ...token, chainId }))
}

async function erc1155Balances(
  context: NftContext,
  chain: ServedChain,
  rows: readonly AmountRow[],
): Promise<Erc1155TokenBalance[]> {
  const tokens = await erc1155Tokens(context, chain, rows)
  const chainId = String(chain.facts.evmChainId)
  return tokens.map((token, at) => ({
    ...token,
    chainId,
    balance: itemAt(rows, at).amount.toString(),
  }))
}
