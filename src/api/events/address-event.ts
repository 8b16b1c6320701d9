/** Effects of a transaction of the P- or X-Chain on addresses. */

import { toPrimaryAddress } from '../../core/address.ts'
import { keyOf } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import type { Balances } from '../../shape/primary/asset.ts'
import type { Reader } from '../../store/engine/database.ts'
import { watchOf, type Webhook } from '../../store/query/events/webhooks.ts'
import { concernedAddresses, numbersOfAddresses } from '../../store/query/primary/addresses.ts'
import { balancesOfAddresses } from '../../store/query/primary/balances-of-addresses.ts'
import { rewardsOfStakers } from '../../store/query/primary/rewards.ts'
import {
  type StoredTransaction,
  timesOfPlaces,
  transactionsAt,
  transactionsOfAddresses,
} from '../../store/query/primary/transactions.ts'
import { placeOfPos, posRangeOf } from '../../store/schema/primary/position.ts'
import { balancesView } from '../primary/get-balances.ts'
import { chainNameOf, type ChainOf } from '../primary/inputs.ts'
import { transactionViews } from '../primary/transactions/list-transactions.ts'
import { rewardView } from '../primary/validators/rewards.ts'
import { assetBook } from '../primary/views/asset.ts'

type Fields = Readonly<Record<string, unknown>>

type Concerned = {
  readonly of: ChainOf
  readonly webhook: Webhook
  readonly transaction: StoredTransaction
  /** Of the addresses watched, those the transaction concerns, and all by number. */
  readonly addresses: readonly Uint8Array[]
  readonly numbers: readonly number[]
}

/**
 * Events of the transaction at `pos`: `balance_change`, `balance_threshold`, `reward_distribution`,
 * as far as they are wanted. Balances are those before and after the second of its block.
 */
export async function addressEvents(
  of: ChainOf,
  webhook: Webhook,
  pos: number,
): Promise<readonly Fields[]> {
  const { store } = of
  const [transaction] = await transactionsAt(store, [pos])
  const { watched } = watchOf(webhook)
  if (transaction === undefined || watched.kind !== 'addresses') return []
  const all = watched.addresses.map(({ bytes }) => bytes)
  const known = await numbersOfAddresses(store, all)
  const ids = known.filter((number) => number !== undefined)
  const numbers = await concernedAddresses(store, ids, pos)
  const addresses = all.filter((_, at) => numbers.includes(known[at] ?? -1))
  const concerned = { of, webhook, transaction, addresses, numbers }
  const wants = new Set(webhook.body.subEvents)
  const events: Fields[] = []
  if (wants.has('balance_change') || wants.has('balance_threshold')) {
    const before = await balancesWhen(concerned, 'before')
    const after = await balancesWhen(concerned, 'after')
    if (wants.has('balance_change') && JSON.stringify(before) !== JSON.stringify(after))
      events.push(await changeEvent(concerned, after))
    const fallen = thresholdEvent(concerned, before, after)
    if (fallen !== undefined && (await isLastOfSecond(store, concerned, ids))) events.push(fallen)
  }
  if (wants.has('reward_distribution')) events.push(...(await rewardEvents(concerned)))
  return events
}

function common({ of, transaction, addresses }: Concerned, eventType: string): Fields {
  return {
    eventType,
    network: of.network,
    chainId: chainNameOf[of.chain],
    blockNumber: String(placeOfPos(transaction.pos).height),
    blockTimestamp: transaction.timestamp,
    txHash: toCb58(transaction.txId),
    addresses: addresses.map((one) => toPrimaryAddress(of.hrp, one)),
  }
}

async function balancesWhen(
  { of, transaction, numbers }: Concerned,
  when: 'before' | 'after',
): Promise<Balances> {
  const moment = when === 'before' ? transaction.timestamp : transaction.timestamp + 1
  const holdings = await balancesOfAddresses(of.store, {
    addresses: numbers,
    chain: of.chain,
    moment,
    withSpentThen: true,
  })
  const assets = [...holdings.plain, ...holdings.others].map(({ asset }) => asset)
  return balancesView(of, holdings, {
    book: await assetBook(of.store, of, assets),
    moment: moment - 1,
  })
}

async function changeEvent(concerned: Concerned, balances: Balances): Promise<Fields> {
  const { of, transaction: row } = concerned
  const [transaction] = await transactionViews(of, [row])
  return { ...common(concerned, 'balance_change'), transaction, balances }
}

function thresholdEvent(
  concerned: Concerned,
  before: Balances,
  after: Balances,
): Fields | undefined {
  const { balance: filter, subEvents } = concerned.webhook.body
  if (filter === undefined || !subEvents.includes('balance_threshold')) return undefined
  const avax = toCb58(concerned.of.avaxAssetId)
  const previousBalance = sumOf(before, filter.type, avax)
  const balance = sumOf(after, filter.type, avax)
  const threshold = BigInt(filter.threshold)
  if (previousBalance < threshold || balance >= threshold) return undefined
  return {
    ...common(concerned, 'balance_threshold'),
    balanceType: filter.type,
    balanceThreshold: filter.threshold,
    balance: String(balance),
    previousBalance: String(previousBalance),
  }
}

/** The X-Chain's names for what the P-Chain distinguishes. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['unlocked', 'unlockedUnstaked'],
  ['locked', 'lockedPlatform'],
])

/** AVAX of one type, nAVAX. */
function sumOf(balances: Balances, type: string, avax: string): bigint {
  const list: unknown = new Map(Object.entries(balances)).get(otherNames.get(type) ?? type)
  let sum = 0n
  for (const { assetId, amount } of Array.isArray(list) ? list : [])
    if (assetId === avax) sum += BigInt(amount)
  return sum
}

/**
 * Balances are those of seconds: of several transactions in one, the last is the one at which they
 * fell.
 */
async function isLastOfSecond(
  store: Reader,
  { of, transaction }: Concerned,
  addresses: readonly number[],
): Promise<boolean> {
  const { until } = posRangeOf(of.chain)
  const query = { addresses, from: transaction.pos + 1, until, order: 'asc', limit: 1 } as const
  const [next] = await transactionsOfAddresses(store, query)
  if (next === undefined) return true
  return (await timesOfPlaces(store, [next])).get(next) !== transaction.timestamp
}

async function rewardEvents(concerned: Concerned): Promise<Fields[]> {
  const { of, transaction, addresses } = concerned
  const { stakingTxId } = transaction.body
  if (of.chain !== 'P' || stakingTxId === undefined) return []
  const owners = new Set(addresses.map(keyOf))
  const rewards = (await rewardsOfStakers(of.store, [stakingTxId])).filter(
    (reward) =>
      keyOf(reward.rewardTxId) === keyOf(transaction.txId) &&
      reward.addresses.some((one) => owners.has(keyOf(one))),
  )
  const book = await assetBook(
    of.store,
    of,
    rewards.map(({ asset }) => asset),
  )
  return rewards.map((reward) => ({
    ...common(concerned, 'reward_distribution'),
    reward: rewardView(of, reward, book),
  }))
}
