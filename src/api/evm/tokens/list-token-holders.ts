/** Holders of an ERC-20 token. Source: official clients, EvmChainsLookingGlass. */

import { balanceOfData } from '../../../codec/evm/abi/abi.ts'
import { parseEvmAddress, toChecksumAddress, zeroAddress } from '../../../core/address.ts'
import { fromHex, toBigint, toHex } from '../../../core/bytes.ts'
import { itemAt } from '../../../core/item-at.ts'
import { defaultHolders } from '../../../shape/evm/holder.ts'
import type { RichAddress } from '../../../shape/evm/token.ts'
import { EvmBalances } from '../../../shape/operations/evm-balances.ts'
import type { Database } from '../../../store/engine/database.ts'
import { type TokenRow, tokensOfIds } from '../../../store/query/evm/addresses.ts'
import { balancesOfHolders, heldMoreThan } from '../../../store/query/evm/balances.ts'
import { heightAtTime, indexedHeight } from '../../../store/query/evm/heights.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { requestedPage, numberCursor } from '../../operation/paging.ts'
import { subjectOf } from '../address-list.ts'
import { answerOfNode } from '../answers.ts'
import {
  balancesHeader,
  type Compared,
  type LoggedBalance,
  olderOf,
  type NodeBalances,
} from '../balances/compared-balances.ts'
import type { EvmContext } from '../evm-context.ts'
import type { Named } from '../rich-addresses.ts'

/** Addresses looked at for one page: rows of a token that most have left make short pages. */
const maxLookedAt = 10_000

// Each of a range is a scan of its balances.
const maxLookedAtInRange = 1_000

// A small page needs few: most addresses that ever held a token still do.
const chunkOf = (limit: number): number => Math.min(500, Math.max(20, limit + 1))

/**
 * Holders in order of their first sight on the chain, with their balance at the end of the range; at the
 * end the zero address, where the contract counts what it was sent.
 *
 * Cost of a page: a range scan of who may hold the token, and a look-up of the balance of each.
 */
export function listTokenHolders(context: EvmContext): Operation<'getAddressesByBalanceOverTime'> {
  return operation(EvmBalances.getAddressesByBalanceOverTime, async ({ path, query, signal }) => {
    const { chain, address: contract, id, binding: subject } = await subjectOf(context, path)
    const { store } = chain
    const indexed = await indexedHeight(store, 'blocks')
    const header = indexed < 0 ? {} : { indexedHeight: indexed }
    const { after, limit, next } = requestedPage(context.tokens, {
      route: EvmBalances.getAddressesByBalanceOverTime.id,
      subject,
      query,
      usualSize: defaultHolders,
      ...numberCursor,
    })
    const [token] = id === undefined ? [] : await tokensOfIds(store, [id])
    if (token === undefined) return { body: { addresses: [] }, ...header }
    const range = await rangeOf(store, query, indexed)
    const {
      rows,
      goOn,
      compared: comparedAt,
    } = await holders(context, chain, {
      token,
      contract,
      ...range,
      isNewest: range.from === undefined && range.at === indexed,
      threshold: BigInt(query.threshold ?? '0'),
      after: after ?? 0,
      limit,
      insists: query.compared === true,
      signal,
    })
    const addresses = rows.map(({ balance, ...of }) => ({ ...of, sortKey: balance.toString() }))
    const headers = balancesHeader(comparedAt, range.at)
    return { body: { ...next(goOn), addresses }, ...header, headers }
  })
}

/** Blocks of the range: what was held after `from`, and after each later one up to `at`. */
async function rangeOf(
  store: Database,
  query: {
    readonly startTimestamp?: number | undefined
    readonly endTimestamp?: number | undefined
  },
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
  readonly token: TokenRow
  /** 20 bytes. */
  readonly contract: Uint8Array
  /** `undefined` where only the present balance counts. */
  readonly from: number | undefined
  readonly at: number
  readonly isNewest: boolean
  readonly threshold: bigint
  readonly after: number
  readonly limit: number
  readonly insists: boolean
  readonly signal: AbortSignal
}

type HolderName = Pick<RichAddress, 'address' | 'label'>

type HolderPage = {
  readonly rows: readonly (HolderName & { readonly balance: bigint })[]
  /** The address after which the next page begins. */
  readonly goOn?: number
  readonly compared: Compared
}

async function holders(
  context: EvmContext,
  chain: ServedChain,
  query: HolderQuery,
): Promise<HolderPage> {
  const { token, from, at, threshold, limit } = query
  const { store } = chain
  const rows: (HolderName & { readonly balance: bigint })[] = []
  let { after } = query
  // What was held at some time of a range is what logs say.
  let comparedAt: Compared = query.isNewest ? at : undefined
  const chunkSize = chunkOf(limit)
  const most = from === undefined ? maxLookedAt : maxLookedAtInRange
  for (let lookedAt = 0; lookedAt < most; lookedAt += chunkSize) {
    const page = { tokenId: token.id, after, at, limit: chunkSize }
    const logged = await balancesOfHolders(store, page)
    const found = await balancesOf(context, chain, { ...query, logged })
    comparedAt = olderOf(comparedAt, found.compared)
    for (const [place, balance] of found.balances.entries()) {
      const { addressId } = itemAt(logged, place)
      const pair = { addressId, tokenId: token.id }
      const isWanted =
        from === undefined
          ? balance > threshold
          : await heldMoreThan(store, pair, { from, at, threshold })
      if (isWanted && rows.length === limit) return { rows, goOn: after, compared: comparedAt }
      const { address, label } = found.named(addressId).rich
      if (isWanted) rows.push({ address, label, balance })
      after = addressId
    }
    if (logged.length === chunkSize) continue
    const burnt = query.isNewest ? await balanceOfZero(context, chain, query) : 0n
    if (burnt <= threshold) return { rows, compared: comparedAt }
    if (rows.length === limit) return { rows, goOn: after, compared: comparedAt }
    rows.push({ address: toChecksumAddress(zeroAddress), balance: burnt })
    return { rows, compared: comparedAt }
  }
  return { rows, goOn: after, compared: comparedAt }
}

/**
 * Balance of the zero address by the contract: logs cannot tell whether a token that was sent there is gone,
 * or still part of the supply. 0 where no node answers.
 */
async function balanceOfZero(
  { clock }: EvmContext,
  chain: ServedChain,
  { contract, at, signal }: HolderQuery,
): Promise<bigint> {
  const data = fromHex(balanceOfData(toHex(zeroAddress)))
  const answer = await answerOfNode(clock, signal, (until) =>
    chain.state.call(contract, data, at, until),
  )
  return answer?.length === 32 ? toBigint(answer) : 0n
}

/** Balances of addresses in their order: those of the newest block compared with the node. */
async function balancesOf(
  context: EvmContext,
  chain: ServedChain,
  query: HolderQuery & { readonly logged: Awaited<ReturnType<typeof balancesOfHolders>> },
): Promise<NodeBalances & { readonly named: Named }> {
  const { logged, token, contract, at: height, isNewest } = query
  const named = await context.addressBooks(chain).load(logged.map(({ addressId }) => addressId))
  if (!isNewest) {
    const balances = logged.map(({ value = nothing, negative }) =>
      negative === 0 ? toBigint(value) : 0n,
    )
    return { balances, compared: undefined, named }
  }
  const balances = logged.map(({ addressId, value = nothing, negative }): LoggedBalance => {
    const holder = parseEvmAddress(named(addressId).address)
    return { token, contract, holder, value, negative }
  })
  return { ...(await context.balances(chain)(balances, { ...query, height })), named }
}

const nothing = new Uint8Array()
