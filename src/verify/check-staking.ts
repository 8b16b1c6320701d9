/** Validators with their rewards, validator sets of the past, reward UTXOs, supplies. */

import { keyOf, toBigint } from '../core/bytes.ts'
import { toCb58, toNodeId } from '../core/cb58.ts'
import { ownValue } from '../core/json.ts'
import { nodePaths } from '../source/primary/node-api.ts'
import { listIn, type Reply, replyOf } from '../source/rpc/node-text.ts'
import type { Reader } from '../store/engine/database.ts'
import { listSubnets } from '../store/query/primary/network.ts'
import { rewardsOfStakers } from '../store/query/primary/rewards.ts'
import type { StoredStaker } from '../store/query/primary/stakers.ts'
import { stakersAt } from '../store/query/primary/validators.ts'
import {
  everyL1Change,
  everyStaker,
  everySupply,
  type ListedL1Change,
  settledHeights,
} from '../store/query/primary/whole-state.ts'
import type { Report } from './report.ts'
import { type Attempt, oncePerHeight, type Part, spread, type Subject } from './subject.ts'

/**
 * All of it; `height` is that of the P-Chain when the comparison began.
 *
 * @yields A part per question to the node.
 */
export async function* stakingParts(subject: Subject, height: number): AsyncGenerator<Part> {
  const { store } = subject.network
  const stakersAt = oncePerHeight(() => allStakers(store))
  const subnetIds = await allSubnetIds(subject)
  for (const subnetId of subnetIds)
    yield {
      name: 'current validators',
      chains: ['P'],
      compare: async (attempt) =>
        compareCurrent(subject, { stakers: await stakersAt(attempt.heights), subnetId }, attempt),
    }
  const stakers = await allStakers(store)
  const mayHaveDelegators = stakers.filter(
    ({ status, role, permissioned }) =>
      status === 'active' && role === 'validator' && !permissioned,
  )
  for (const validator of spread(mayHaveDelegators, subject.sample))
    yield {
      name: 'delegators',
      chains: ['P'],
      compare: async (attempt) =>
        compareDelegators(
          subject,
          { stakers: await stakersAt(attempt.heights), validator },
          attempt,
        ),
    }
  yield* setParts(subject, { subnetIds, height })
  yield* rewardParts(subject, stakers)
  yield { name: 'supply', chains: ['P'], compare: (attempt) => compareSupplies(subject, attempt) }
}

async function allStakers(store: Reader): Promise<StoredStaker[]> {
  const stakers: StoredStaker[] = []
  for await (const staker of everyStaker(store)) stakers.push(staker)
  return stakers
}

/**
 * Sets of the past.
 *
 * @yields A part per set.
 */
async function* setParts(
  subject: Subject,
  of: { readonly subnetIds: readonly Uint8Array[]; readonly height: number },
): AsyncGenerator<Part> {
  const { subnetIds, height } = of
  const changes = await everyL1Change(subject.network.store)
  const renewals = await settledHeights(subject.network.store)
  const sets = [
    ...evenSets(subnetIds, height, subject.sample),
    ...changedSets(changes, height, subject.sample),
    ...changedSets(
      renewals.map((at) => ({ subnetId: primarySubnetId, height: at })),
      height,
      subject.sample,
    ),
  ]
  const wanted = new Map(sets.map((set) => [`${keyOf(set.subnetId)} ${set.height}`, set]))
  for (const set of wanted.values())
    yield {
      name: 'validator sets',
      chains: [],
      compare: ({ report }) => compareSetAt(subject, { changes, ...set }, report),
    }
}

const primarySubnetId = new Uint8Array(32)

async function allSubnetIds({ network }: Subject): Promise<Uint8Array[]> {
  const limit = Number.MAX_SAFE_INTEGER
  const subnets = await listSubnets(network.store, { order: 'asc', after: undefined, limit })
  return [primarySubnetId, ...subnets.map(({ subnetId }) => subnetId)]
}

/** Validators of a subnet that stake, L1 validations left to their own check. */
async function compareCurrent(
  { node, signal }: Subject,
  of: { readonly stakers: readonly StoredStaker[]; readonly subnetId: Uint8Array },
  { report }: Attempt,
): Promise<void> {
  const { stakers, subnetId } = of
  const reply = await node.call(
    nodePaths.P,
    'platform.getCurrentValidators',
    { subnetID: toCb58(subnetId) },
    signal,
  )
  const theirs = new Map<string, Reply>()
  for (const item of listIn(reply, 'validators')) {
    const validator = replyOf(item, 'item')
    if (typeof validator['txID'] === 'string' && validator['validationID'] === undefined)
      theirs.set(validator['txID'], validator)
  }
  const ours = new Map(
    stakers
      .filter(
        ({ role, status, subnetId: of }) =>
          role === 'validator' && status === 'active' && keyOf(of) === keyOf(subnetId),
      )
      .map((staker) => [toCb58(staker.txId), staker]),
  )
  report.compareSets('current validators', toCb58(subnetId), ours.keys(), theirs.keys())
  for (const [txId, staker] of ours) {
    const validator = theirs.get(txId)
    if (validator !== undefined) compareValidator(report, staker, validator)
  }
}

function compareValidator(report: Report, ours: StoredStaker, theirs: Reply): void {
  const subject = toCb58(ours.txId)
  const compare = (name: string, our: unknown): void => {
    const their = ownValue(theirs, name)
    if (their !== undefined) report.compare(`validators: ${name}`, subject, our, their)
  }
  compare('nodeID', toNodeId(ours.nodeId))
  compare('weight', ours.weight)
  compare('startTime', ours.startTime)
  compare('endTime', ours.endTime)
  if (ours.permissioned) return
  compare('potentialReward', ours.potentialReward)
  compare('accruedDelegateeReward', ours.delegateeReward)
  compare('delegatorCount', ours.delegatorCount)
  compare('delegatorWeight', ours.delegatedWeight)
  if (ours.delegationShares !== undefined)
    compare('delegationFee', (ours.delegationShares / 10_000).toFixed(4))
}

/** Delegators are listed when a single node is queried. */
async function compareDelegators(
  { node, signal }: Subject,
  of: { readonly stakers: readonly StoredStaker[]; readonly validator: StoredStaker },
  { report }: Attempt,
): Promise<void> {
  const { stakers, validator } = of
  const nodeId = toNodeId(validator.nodeId)
  const reply = await node.call(
    nodePaths.P,
    'platform.getCurrentValidators',
    { subnetID: toCb58(validator.subnetId), nodeIDs: [nodeId] },
    signal,
  )
  const theirs = listIn(reply, 'validators').flatMap((item) => {
    const { txID, delegators } = replyOf(item, 'item')
    // The node may validate anew by now.
    if (txID !== toCb58(validator.txId) || !Array.isArray(delegators)) return []
    return delegators.map((one) => delegatorText(replyOf(one, 'item')))
  })
  const ours = stakers
    .filter(
      ({ role, status, validatorTxId }) =>
        role === 'delegator' &&
        status === 'active' &&
        validatorTxId !== undefined &&
        keyOf(validatorTxId) === keyOf(validator.txId),
    )
    .map((one) => `${toCb58(one.txId)} ${one.weight} ${one.endTime} ${one.potentialReward}`)
  report.compareSets('delegators', nodeId, ours, theirs)
}

function delegatorText(of: Reply): string {
  return `${of['txID']} ${of['weight']} ${of['endTime']} ${of['potentialReward']}`
}

/** Names a set of validators. */
type SetName = { readonly subnetId: Uint8Array; readonly height: number }

/** Sets of all subnets, at heights spread evenly. */
function evenSets(subnetIds: readonly Uint8Array[], height: number, sample: number): SetName[] {
  const every = Array.from({ length: height + 1 }, (_, at) => at)
  return spread(every, sample).flatMap((at) =>
    subnetIds.map((subnetId) => ({ subnetId, height: at })),
  )
}

/** Sets where weights change, and just before: even heights hit hardly one of these. */
function changedSets(changes: readonly SetName[], height: number, sample: number): SetName[] {
  return spread(changes, sample)
    .flatMap(({ subnetId, height: at }) => [
      { subnetId, height: at - 1 },
      { subnetId, height: at },
    ])
    .filter(({ height: at }) => at <= height)
}

type SetAt = SetName & { readonly changes: readonly ListedL1Change[] }

/** Weights of a subnet's validators with the block of a height. */
async function compareSetAt(
  { node, signal, network }: Subject,
  at: SetAt,
  report: Report,
): Promise<void> {
  const reply = await node.call(
    nodePaths.P,
    'platform.getValidatorsAt',
    { height: at.height, subnetID: toCb58(at.subnetId) },
    signal,
  )
  const theirs = Object.entries(replyOf(reply['validators'] ?? reply, 'item')).map(
    ([nodeId, value]) =>
      setText(nodeId, typeof value === 'object' ? replyOf(value, 'item')['weight'] : value),
  )
  const limit = Number.MAX_SAFE_INTEGER - 1
  const stakers = (await stakersAt(network.store, { ...at, limit })) ?? []
  const ours = [...weightsAt(stakers, at)].map(([nodeId, weight]) => setText(nodeId, weight))
  report.compareSets('validator sets', `${toCb58(at.subnetId)} at ${at.height}`, ours, theirs)
}

function setText(nodeId: string, weight: unknown): string {
  return `${nodeId} ${String(weight)}`
}

/** L1 validations without balance count under nobody's id, all together. */
const nobody = new Uint8Array(20)

function weightsAt(
  stakers: readonly StoredStaker[],
  { changes, subnetId, height }: SetAt,
): Map<string, bigint> {
  const weights = new Map<string, bigint>()
  const add = (nodeId: Uint8Array, weight: bigint): void => {
    if (weight === 0n) return
    const text = toNodeId(nodeId)
    weights.set(text, (weights.get(text) ?? 0n) + weight)
  }
  for (const { nodeId, weight } of stakers) add(nodeId, weight)
  const newest = new Map<number, ListedL1Change>()
  for (const change of changes) {
    if (keyOf(change.subnetId) === keyOf(subnetId) && change.height <= height)
      newest.set(change.l1Id, change)
  }
  for (const { nodeId, weight, active } of newest.values()) add(active ? nodeId : nobody, weight)
  return weights
}

/**
 * Of periods and cycles that are over: what they paid never changes.
 *
 * @yields A part per period.
 */
function* rewardParts(subject: Subject, stakers: readonly StoredStaker[]): Generator<Part> {
  const paid = stakers.filter(
    ({ status, permissioned, autoRenewal }) =>
      !permissioned && (status === 'completed' || autoRenewal !== undefined),
  )
  for (const staker of spread(paid, subject.sample * 4))
    yield {
      name: 'reward UTXOs',
      chains: [],
      compare: ({ report }) => compareRewards(subject, staker, report),
    }
}

/**
 * UTXOs of rewards are named for the staking transaction, those of renewed cycles for their own.
 */
async function compareRewards(
  { node, network, signal }: Subject,
  { txId, autoRenewal }: StoredStaker,
  report: Report,
): Promise<void> {
  const rewards = await rewardsOfStakers(network.store, [txId])
  const named = autoRenewal === undefined ? [txId] : rewards.map((reward) => reward.txId)
  for (const [key, wanted] of new Map(named.map((id) => [keyOf(id), id]))) {
    const reply = await node.call(
      nodePaths.P,
      'platform.getRewardUTXOs',
      { txID: toCb58(wanted), encoding: 'hexnc' },
      signal,
    )
    const theirs = listIn(reply, 'utxos').map((utxo) => placeText(String(utxo)))
    const ours = rewards
      .filter((reward) => keyOf(reward.txId) === key)
      .map(({ outputIndex, amount }) => `${outputIndex} ${amount}`)
    report.compareSets('reward UTXOs', toCb58(wanted), ours, theirs)
  }
}

/** Index and amount of a UTXO: version 2, transaction 32, index 4, asset 32, type 4, amount 8. */
function placeText(hex: string): string {
  const bytes = Buffer.from(hex.slice(2), 'hex')
  return `${bytes.readUInt32BE(34)} ${bytes.readBigUInt64BE(74)}`
}

async function compareSupplies(
  { node, network, signal }: Subject,
  { report }: Attempt,
): Promise<void> {
  for (const { subnetId, supply } of await everySupply(network.store)) {
    const reply = await node.call(
      nodePaths.P,
      'platform.getCurrentSupply',
      { subnetID: toCb58(subnetId) },
      signal,
    )
    report.compare('supply', toCb58(subnetId), toBigint(supply), reply['supply'])
  }
}
