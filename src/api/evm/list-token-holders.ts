/** Holders of an ERC-20 token. Source: official clients, EvmChainsLookingGlass. */

import { itemAt } from '../../core/item-at.ts'
import { defaultHolders, Holder, holderPaging } from '../../shape/evm/holder.ts'
import { ChainAddressPath } from '../../shape/evm/path.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type } from '../../shape/type.ts'
import type { Database } from '../../store/engine/database.ts'
import { heightAtTime } from '../../store/query/evm/height-at-time.ts'
import { balancesOfHolders, heldMoreThan, mayHold } from '../../store/query/evm/holders-of-token.ts'
import { indexedHeight } from '../../store/query/evm/indexed-height.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { bindingOf, numberCursor } from '../operation/paging.ts'
import type { EvmParts } from './parts.ts'
import { subjectOf } from './subject.ts'

const seconds = (description: string): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: 0, maximum: 2 ** 40, description: `Unix seconds: ${description}` })

const GetAddressesByBalanceOverTime = {
  id: 'getAddressesByBalanceOverTime',
  method: 'GET',
  path: '/v2/chains/{chainId}/contracts/{address}/balances',
  summary: 'Holders of more than so much of an ERC-20 token, now or at some time of a range',
  tag: 'EVM contracts',
  weight: 500,
  parameters: {
    path: ChainAddressPath,
    query: Type.Object({
      threshold: Type.Optional(
        Type.String({
          default: '0',
          pattern: '^[0-9]{1,78}$',
          description: 'Only who holds more than this, in the smallest unit',
          allowed: 'a whole number, base 10',
        }),
      ),
      startTimestamp: Type.Optional(seconds('held more than the threshold then or later')),
      endTimestamp: Type.Optional(seconds('held more than the threshold then or before')),
      ...holderPaging,
    }),
  },
  response: pageShape({ addresses: Type.Array(Holder) }),
} as const

/** Addresses looked at for one page: rows of a token that most have left make short pages. */
const maxLookedAt = 10_000
// Each of a range is a scan of its balances.
const maxLookedAtInRange = 1_000
// A small page needs few: most addresses that ever held a token still do.
const chunkOf = (limit: number): number => Math.min(500, Math.max(20, limit + 1))

/**
 * Holders in order of their first sight on the chain, with their balance at the end of the range.
 *
 * Cost of a page: a range scan of who may hold the token, and a look-up of the balance of each.
 */
export function listTokenHolders(parts: EvmParts): Operation {
  return operation(GetAddressesByBalanceOverTime, async ({ path, query }) => {
    const { chain, id, binding: subject } = await subjectOf(parts, path)
    const { store } = chain
    const indexed = await indexedHeight(store, 'blocks')
    const header = indexed < 0 ? {} : { indexedHeight: indexed }
    const binding = bindingOf(GetAddressesByBalanceOverTime.id, { ...query, ...subject })
    const opened = parts.tokens.open(query.pageToken, binding)
    if (id === undefined) return { body: { addresses: [] }, ...header }
    const { rows, goOn } = await holders(store, {
      tokenId: id,
      ...(await rangeOf(store, query, indexed)),
      threshold: BigInt(query.threshold ?? '0'),
      after: opened === undefined ? 0 : numberCursor.decode(opened),
      limit: query.pageSize ?? defaultHolders,
    })
    const named = await parts.parties(chain).load(rows.map(({ addressId }) => addressId))
    const addresses = rows.map(({ addressId, balance }) => ({
      address: named(addressId).address,
      sortKey: balance.toString(),
    }))
    const next =
      goOn === undefined
        ? {}
        : { nextPageToken: parts.tokens.seal(numberCursor.encode(goOn), binding) }
    return { body: { ...next, addresses }, ...header }
  })
}

/** Blocks of the range: what was held after `from`, and after each later one up to `at`. */
async function rangeOf(
  store: Database,
  query: { readonly startTimestamp?: number; readonly endTimestamp?: number },
  newest: number,
): Promise<{ readonly from: number | undefined; readonly at: number }> {
  const { startTimestamp, endTimestamp } = query
  const at =
    endTimestamp === undefined
      ? newest
      : await heightAtTime(store, { seconds: endTimestamp, newest })
  if (startTimestamp === undefined) return { from: endTimestamp === undefined ? undefined : -1, at }
  const from = await heightAtTime(store, { seconds: startTimestamp, newest })
  return { from: Math.min(from, at), at }
}

type HolderQuery = {
  readonly tokenId: number
  /** `undefined` where only the present balance counts. */
  readonly from: number | undefined
  readonly at: number
  readonly threshold: bigint
  readonly after: number
  readonly limit: number
}

type HolderPage = {
  readonly rows: readonly { readonly addressId: number; readonly balance: bigint }[]
  /** The address after which the next page begins. */
  readonly goOn?: number
}

async function holders(store: Database, query: HolderQuery): Promise<HolderPage> {
  const { tokenId, from, at, threshold, limit } = query
  const rows: { addressId: number; balance: bigint }[] = []
  let { after } = query
  const chunkSize = chunkOf(limit)
  const most = from === undefined ? maxLookedAt : maxLookedAtInRange
  for (let lookedAt = 0; lookedAt < most; lookedAt += chunkSize) {
    const addressIds = await mayHold(store, { tokenId, after, at, limit: chunkSize })
    const balances = await balancesOfHolders(store, { tokenId, addressIds, at })
    for (const [place, balance] of balances.entries()) {
      const addressId = itemAt(addressIds, place)
      const isWanted =
        from === undefined
          ? balance > threshold
          : await heldMoreThan(store, { addressId, tokenId }, { from, at, threshold })
      if (isWanted && rows.length === limit) return { rows, goOn: after }
      if (isWanted) rows.push({ addressId, balance })
      after = addressId
    }
    if (addressIds.length < chunkSize) return { rows }
  }
  return { rows, goOn: after }
}
