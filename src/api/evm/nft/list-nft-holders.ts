/** Holders of the tokens of an NFT contract. Source: official clients, NftHoldersResponse. */

import { struct } from '../../../codec/kit.ts'
import { f64 } from '../../../codec/primitives.ts'
import { defaultHolders } from '../../../shape/evm/holder.ts'
import { Nfts } from '../../../shape/operations/nft.ts'
import type { Database } from '../../../store/engine/database.ts'
import { mayHold } from '../../../store/query/evm/balances.ts'
import { indexedHeight } from '../../../store/query/evm/heights.ts'
import { heldAmount, heldOfItem, ownedCount } from '../../../store/query/nft/held-count.ts'
import { maxItem } from '../../../store/query/nft/nft-place.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { requestedPage, cursorOf } from '../../operation/paging.ts'
import { subjectOf } from '../address-list.ts'
import { balancesHeader } from '../balances/compared-balances.ts'
import type { NftContext } from './nft-context.ts'

/** Addresses looked at for one page, and for the totals of a list. */
const maxLookedAt = 5_000

const chunkSize = 500

/** Sums of a whole list; page tokens carry them, so that only the first page counts. */
type Totals = {
  readonly holders: number
  readonly tokens: number
  /** 1 where only the first addresses were counted. */
  readonly areLeast: number
}

const holderCursor = cursorOf<Totals & { readonly after: number }>(
  struct({ after: f64, holders: f64, tokens: f64, areLeast: f64 }),
)

/**
 * Holders in order of their first sight on the chain.
 *
 * Cost of a page: a range scan of who may hold the contract's tokens, and a count of the tokens of
 * each; the first page counts the totals the same way.
 */
export function listNftHolders(context: NftContext): Operation<'getNftHoldersByContractAddress'> {
  return operation(Nfts.getNftHoldersByContractAddress, async ({ path, query }) => {
    const { chain, id, binding: subject } = await subjectOf(context, path)
    const { store } = chain
    const headers = balancesHeader(undefined, await indexedHeight(store, 'blocks'))
    const page = requestedPage(context.tokens, {
      route: Nfts.getNftHoldersByContractAddress.id,
      subject,
      query,
      usualSize: defaultHolders,
      ...holderCursor,
    })
    const none = { addresses: [], totalHolders: 0, totalTokens: 0 }
    if (id === undefined) return { body: none, headers }
    const { token } = (await context.addressBooks(chain).load([id]))(id)
    const item = query.tokenId === undefined ? undefined : BigInt(query.tokenId)
    if (token === undefined || token.standard === 20 || (item ?? 0n) > maxItem)
      return { body: none, headers }
    const of = { contractId: id, standard: token.standard, item }
    const { after: cursor, limit } = page
    const totals = cursor ?? (await totalsOf(store, of))
    const { rows, goOn } = await holders(store, { ...of, after: cursor?.after ?? 0, limit })
    const named = await context.addressBooks(chain).load(rows.map(({ ownerId }) => ownerId))
    return {
      body: {
        ...page.next(goOn === undefined ? undefined : { ...totals, after: goOn }),
        addresses: rows.map(({ ownerId, held }) => ({
          address: named(ownerId).address,
          label: named(ownerId).rich.label,
          sortKey: held.toString(),
        })),
        nftCollectionName: token.name === undefined ? undefined : [token.name],
        nftSymbol: token.symbol === undefined ? undefined : [token.symbol],
        totalHolders: totals.holders,
        totalTokens: totals.tokens,
        totalsAreLeast: totals.areLeast === 1 ? true : undefined,
      },
      headers,
    }
  })
}

type Contract = {
  readonly contractId: number
  readonly standard: number
  /** Only holders of it. */
  readonly item: bigint | undefined
}

type HeldRow = { readonly ownerId: number; readonly held: bigint }

async function holders(
  store: Database,
  query: Contract & { readonly after: number; readonly limit: number },
): Promise<{ readonly rows: readonly HeldRow[]; readonly goOn?: number }> {
  const { contractId, standard, item, limit } = query
  const rows: HeldRow[] = []
  let { after } = query
  const at = Number.MAX_SAFE_INTEGER
  for (let lookedAt = 0; lookedAt < maxLookedAt; lookedAt += chunkSize) {
    const owners = await mayHold(store, { tokenId: contractId, after, at, limit: chunkSize })
    for (const ownerId of owners) {
      const of = { ownerId, contractId }
      // A contract of the other standard may log single tokens, too.
      const units = standard === 721 || item !== undefined ? 0n : await heldAmount(store, of)
      const held =
        item === undefined
          ? units + (await ownedCount(store, of))
          : await heldOfItem(store, { ...of, item })
      if (held > 0n && rows.length === limit) return { rows, goOn: after }
      if (held > 0n) rows.push({ ownerId, held })
      after = ownerId
    }
    if (owners.length < chunkSize) return { rows }
  }
  return { rows, goOn: after }
}

async function totalsOf(store: Database, of: Contract): Promise<Totals> {
  const { rows, goOn } = await holders(store, { ...of, after: 0, limit: maxLookedAt })
  return {
    holders: rows.length,
    tokens: Number(rows.reduce((sum, { held }) => sum + held, 0n)),
    areLeast: goOn === undefined ? 0 : 1,
  }
}
