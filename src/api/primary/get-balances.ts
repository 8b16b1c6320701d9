/** Document A, operation 6: balances of addresses, now and at moments. */

import { outputContent } from '../../codec/primary/output-content.ts'
import { keyOf } from '../../core/bytes.ts'
import { PrimaryAddresses } from '../../shape/operations/primary-addresses.ts'
import type { Balances, AtomicBalanceAsset, BalanceAsset } from '../../shape/primary/asset.ts'
import type { Reader } from '../../store/engine/database.ts'
import { knownNumbers } from '../../store/query/primary/addresses.ts'
import {
  balancesOfAddresses,
  type Holdings,
} from '../../store/query/primary/balances-of-addresses.ts'
import { renewedPositions } from '../../store/query/primary/rewards.ts'
import type { StoredUtxo } from '../../store/query/primary/utxos.ts'
import { type PrimaryChain, utxoKinds } from '../../store/schema/primary/position.ts'
import { type Operation } from '../operation/operation.ts'
import { momentsOf } from '../operation/paging.ts'
import { chainInfo, addressesIn, type ChainOf } from './inputs.ts'
import { chainOperation } from './network-operation.ts'
import type { PrimaryContext } from './network/networks.ts'
import { assetBook, type AssetBook } from './views/asset.ts'
import { restakedOf } from './views/auto-renew.ts'

/** Balances of addresses, now or at a moment. */
export function getBalances(primary: PrimaryContext): Operation<'getBalancesByAddresses'> {
  return chainOperation(
    primary,
    PrimaryAddresses.getBalancesByAddresses,
    async (chain, { query }) => {
      const { store } = chain
      const { blockTimestamp: moment } = query
      const addresses = addressesIn(query.addresses ?? '', chain, primary.limits.maxAddresses)
      const numbers = await knownNumbers(store, addresses)
      const { holdings, book } = await heldBy(chain, numbers, moment)
      const restaked =
        chain.chain === 'P' && (moment ?? 0) === 0
          ? await restakedRewards(store, numbers, addresses)
          : {}
      const now = moment ?? Math.floor(primary.clock.now() / 1_000)
      const balances = { ...balancesView(chain, holdings, { book, moment: now }), ...restaked }
      return { balances, chainInfo: chainInfo(chain) }
    },
  )
}

/** Holdings of addresses on a chain, now or at a moment, and the names of its assets. */
async function heldBy(
  chain: ChainOf,
  addresses: readonly number[],
  moment: number | undefined,
): Promise<{ readonly holdings: Holdings; readonly book: AssetBook }> {
  const holdings = await balancesOfAddresses(chain.store, {
    addresses,
    chain: chain.chain,
    moment,
  })
  const assets = [...holdings.plain, ...holdings.others].map(({ asset }) => asset)
  return { holdings, book: await assetBook(chain.store, chain, assets) }
}

/**
 * Amounts that running auto-renewed validators restaked for `addresses`, whose numbers are
 * `owners`.
 */
async function restakedRewards(
  store: Reader,
  owners: readonly number[],
  addresses: readonly Uint8Array[],
): Promise<{ readonly restakedRewards: string }> {
  const wanted = new Set(addresses.map(keyOf))
  const positions = await renewedPositions(store, owners)
  return { restakedRewards: String(restakedOf(positions, (one) => wanted.has(keyOf(one)))) }
}

// Sorts what addresses hold into the eight categories of document A.
//
// The order of tests is that of a node's `platform.getBalance`. Outputs without an amount (rights
// to mint, NFTs) are in no balance. The X-Chain has no stakes: what it holds is unlocked or locked.

/** Categories of what stays on its chain. */
const categories = [
  'unlockedUnstaked',
  'unlockedStaked',
  'lockedPlatform',
  'lockedStakeable',
  'lockedStaked',
  'pendingStaked',
] as const

type Category = (typeof categories)[number]

/** Amount and number of UTXOs. */
type Sum = { amount: bigint; count: number }

/** Sums by asset, in order of first sight. */
type Sums = Map<number, Sum>

/** Facts that balances depend on: names of assets, and the moment in Unix seconds. */
type BalanceContext = { readonly book: AssetBook; readonly moment: number }

/** Balances in the lists of `of.chain`. */
export function balancesView(of: ChainOf, holdings: Holdings, context: BalanceContext): Balances {
  const own = new Map<Category, Sums>(categories.map((category) => [category, new Map()]))
  const crossing = {
    unlocked: new Map<PrimaryChain, Sums>(),
    locked: new Map<PrimaryChain, Sums>(),
  }
  for (const { asset, amount, count } of holdings.plain) {
    add(own.get('unlockedUnstaked'), asset, amount, count)
  }
  for (const utxo of holdings.others) {
    if ((utxo.kind & utxoKinds.withoutAmount) !== 0) continue
    const { amount, locktime, stakeableLocktime } = outputContent(utxo.output)
    const locks = {
      platform: locktime > BigInt(context.moment),
      stakeable: stakeableLocktime > BigInt(context.moment),
    }
    if (utxo.createdOn === utxo.consumableOn) {
      add(own.get(categoryOf(utxo, locks, context.moment)), utxo.asset, amount, 1)
    } else {
      const sums = locks.platform ? crossing.locked : crossing.unlocked
      const other = utxo.createdOn === of.chain ? utxo.consumableOn : utxo.createdOn
      const sum = sums.get(other) ?? new Map<number, Sum>()
      sums.set(other, sum)
      add(sum, utxo.asset, amount, 1)
    }
  }
  const atomic = {
    atomicMemoryUnlocked: atomicView(of, crossing.unlocked, 'unlocked', context.book),
    atomicMemoryLocked: atomicView(of, crossing.locked, 'locked', context.book),
  }
  if (of.chain === 'C') return atomic
  const list = (category: Category): BalanceAsset[] => assetsView(own.get(category), context.book)
  return {
    unlockedUnstaked: list('unlockedUnstaked'),
    unlockedStaked: list('unlockedStaked'),
    lockedPlatform: list('lockedPlatform'),
    lockedStakeable: list('lockedStakeable'),
    lockedStaked: list('lockedStaked'),
    pendingStaked: list('pendingStaked'),
    ...atomic,
  }
}

function categoryOf(
  utxo: StoredUtxo,
  locks: { readonly platform: boolean; readonly stakeable: boolean },
  moment: number,
): Category {
  const isStake = (utxo.kind & utxoKinds.staked) !== 0
  const back = utxo.returnedAt !== undefined && utxo.returnedAt <= moment
  if (isStake && !back) {
    if (utxo.stakeStart !== undefined && utxo.stakeStart > moment) return 'pendingStaked'
    return locks.platform || locks.stakeable ? 'lockedStaked' : 'unlockedStaked'
  }
  if (locks.platform) return 'lockedPlatform'
  return locks.stakeable ? 'lockedStakeable' : 'unlockedUnstaked'
}

function add(sums: Sums | undefined, asset: number, amount: bigint, count: number): void {
  const sum = sums?.get(asset)
  if (sum === undefined) sums?.set(asset, { amount, count })
  else {
    sum.amount += amount
    sum.count += count
  }
}

function assetsView(sums: Sums | undefined, book: AssetBook): BalanceAsset[] {
  return [...(sums ?? [])].map(([asset, { amount, count }]) => ({
    ...book.view(asset, amount),
    utxoCount: count,
  }))
}

function atomicView(
  of: ChainOf,
  chains: ReadonlyMap<PrimaryChain, Sums>,
  status: string,
  book: AssetBook,
): AtomicBalanceAsset[] {
  return [...chains].flatMap(([chain, sums]) =>
    assetsView(sums, book).map((asset) => ({
      ...asset,
      sharedWithChainId: of.blockchainIds[chain],
      status,
    })),
  )
}

/**
 * Balances at each moment, as `getBalancesByAddresses` gives them with `blockTimestamp`. A point
 * costs as much as one such call.
 */
export function listBalanceSeries(primary: PrimaryContext): Operation<'listBalanceSeries'> {
  const contract = PrimaryAddresses.listBalanceSeries
  return chainOperation(primary, contract, async (chain, { query, signal }) => {
    const addresses = addressesIn(query.addresses, chain, primary.limits.maxAddresses)
    const numbers = await knownNumbers(chain.store, addresses)
    const series = []
    for (const moment of momentsOf(query, Math.floor(primary.clock.now() / 1_000))) {
      signal.throwIfAborted()
      const { holdings, book } = await heldBy(chain, numbers, moment)
      series.push({ timestamp: moment, balances: balancesView(chain, holdings, { book, moment }) })
    }
    return { series, chainInfo: chainInfo(chain) }
  })
}
