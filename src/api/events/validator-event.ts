/** Events of validators, delegators and L1 validators at a place of the P-Chain. */

import { keyOf, to0x } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { assert } from '../../core/fault.ts'
import {
  accruedAt,
  type L1Event,
  type L1Life,
  l1Lives,
  remainingAt,
} from '../../store/query/events/l1-balances.ts'
import { concerns, stakesAt } from '../../store/query/events/validator-places.ts'
import type { Watched } from '../../store/query/events/watch.ts'
import { watchOf, type Webhook } from '../../store/query/events/webhooks.ts'
import { timeOfBlock } from '../../store/query/primary/blocks.ts'
import { rewardsOfStakers } from '../../store/query/primary/rewards.ts'
import { stakersByTx } from '../../store/query/primary/stakers.ts'
import { type StoredTransaction, transactionsAt } from '../../store/query/primary/transactions.ts'
import {
  blockOfPos,
  chainNumbers,
  firstPosOf,
  placeOfPos,
  posAfter,
} from '../../store/schema/primary/position.ts'
import { chainNameOf, type ChainOf } from '../primary/inputs.ts'
import { transactionViews } from '../primary/transactions/list-transactions.ts'
import { rewardView } from '../primary/validators/rewards.ts'
import { assetBook } from '../primary/views/asset.ts'

type Fields = Readonly<Record<string, unknown>>
type WatchedValidators = Exclude<Watched, { readonly kind: 'addresses' }>

type Happening = {
  readonly of: ChainOf
  readonly webhook: Webhook
  readonly watched: WatchedValidators
  readonly pos: number
  readonly height: number
  /** Unix seconds. */
  readonly time: number
  /** Absent where no transaction led to it. */
  readonly transaction: StoredTransaction | undefined
}

/** Events at `pos`, as far as the webhook wants them, in the order stakes, rewards, L1 validators. */
export async function validatorEvents(
  of: ChainOf,
  webhook: Webhook,
  pos: number,
): Promise<readonly Fields[]> {
  const { watched } = watchOf(webhook)
  if (watched.kind === 'addresses') return []
  const { height } = placeOfPos(pos)
  const [transaction] = await transactionsAt(of.store, [pos])
  const time = await timeOfBlock(of.store, 'P', height)
  assert(time !== undefined, 'the place is in a stored block')
  const at: Happening = { of, webhook, watched, pos, height, time, transaction }
  const wants = new Set(webhook.body.subEvents)
  const all = [
    ...(transaction === undefined ? [] : await stakeEvents(at, transaction)),
    ...(transaction === undefined ? [] : await rewardEvents(at, transaction)),
    ...(await l1Events(at)),
  ]
  return all.filter(({ eventType }) => typeof eventType === 'string' && wants.has(eventType))
}

function common({ of, height, time, transaction, watched }: Happening, eventType: string): Fields {
  return {
    eventType,
    network: of.network,
    chainId: chainNameOf.P,
    blockNumber: String(height),
    blockTimestamp: time,
    keys: [watched.kind === 'node' ? toNodeId(watched.key) : toCb58(watched.key)],
    ...(transaction === undefined ? {} : { txHash: toCb58(transaction.txId) }),
  }
}

async function stakeEvents(at: Happening, row: StoredTransaction): Promise<Fields[]> {
  const stakes = (await stakesAt(at.of.store, at.pos)).filter((stake) =>
    concerns(at.watched, stake),
  )
  const [stake] = stakes
  if (stake === undefined) return []
  const [transaction] = await transactionViews(at.of, [row])
  const eventType = stake.role === 'validator' ? 'validator_stake' : 'delegator_stake'
  return [{ ...common(at, eventType), nodeId: toNodeId(stake.nodeId), transaction }]
}

async function rewardEvents(at: Happening, row: StoredTransaction): Promise<Fields[]> {
  const { stakingTxId } = row.body
  if (stakingTxId === undefined) return []
  const { store } = at.of
  const [staker] = await stakersByTx(store, [stakingTxId])
  if (staker === undefined || !concerns(at.watched, staker)) return []
  const rewards = (await rewardsOfStakers(store, [stakingTxId])).filter(
    ({ rewardTxId }) => keyOf(rewardTxId) === keyOf(row.txId),
  )
  const book = await assetBook(
    store,
    at.of,
    rewards.map(({ asset }) => asset),
  )
  return rewards.map((reward) => ({
    ...common(at, 'reward_distribution'),
    reward: rewardView(at.of, reward, book),
  }))
}

async function l1Events(at: Happening): Promise<Fields[]> {
  const { of, watched, pos, height } = at
  const isFirst = pos === firstPosOf(blockOfPos(pos))
  const isLast = pos === posAfter(chainNumbers.P, height)
  const events: Fields[] = []
  for (const life of await l1Lives(of.store, watched)) {
    for (const [number, event] of life.events.entries()) {
      const isHere = event.pos === pos || (isFirst && event.pos === -1 && event.height === height)
      const eventType = isHere ? eventOf(event, life.events[number - 1]) : undefined
      if (eventType === 'validator_stake') events.push(await joinedEvent(at, life, event))
      else if (eventType !== undefined) events.push(l1Event(at, eventType, life, event))
    }
    if (isLast) events.push(...(await thresholdEvents(at, life)))
  }
  return events
}

/** Name of a change of an L1 validation. */
function eventOf(event: L1Event, before: L1Event | undefined): string | undefined {
  if (before === undefined) return 'validator_stake'
  if (event.weight === 0n) return 'l1_validator_removed'
  if (before.active && !event.active) return 'l1_validator_disabled'
  return event.balanceChange > 0n ? 'l1_validator_balance_increased' : undefined
}

async function joinedEvent(at: Happening, life: L1Life, event: L1Event): Promise<Fields> {
  const views = at.transaction === undefined ? [] : await transactionViews(at.of, [at.transaction])
  const [transaction] = views
  return { ...l1Event(at, 'validator_stake', life, event), transaction }
}

function l1Event(at: Happening, eventType: string, life: L1Life, event: L1Event): Fields {
  return {
    ...common(at, eventType),
    validationId: toCb58(life.validationId),
    validationIdHex: to0x(life.validationId),
    nodeId: toNodeId(life.nodeId),
    subnetId: toCb58(life.subnetId),
    weight: String(event.weight),
    remainingBalance: String(event.remainingBalance),
  }
}

async function thresholdEvents(at: Happening, life: L1Life): Promise<Fields[]> {
  const { of, height, watched } = at
  const threshold = watched.l1Threshold
  if (threshold === undefined || height === 0) return []
  const left = remainingAt(life, height, await accruedAt(of.store, height))
  const before = remainingAt(life, height - 1, await accruedAt(of.store, height - 1))
  const event = life.events.findLast((one) => one.height <= height)
  if (left === undefined || before === undefined || event === undefined) return []
  if (left >= threshold || before < threshold) return []
  return [
    {
      ...l1Event(at, 'l1_validator_balance_threshold', life, { ...event, remainingBalance: left }),
      threshold: String(threshold),
      previousBalance: String(before),
    },
  ]
}
