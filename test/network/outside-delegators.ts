/**
 * Delegations, running and ended, and what validators have of theirs, as a node tells them, for a
 * comparison that shares no line with the product.
 */

import { list, type NodeRpc, text, type JsonObject } from './node-rpc.ts'
import type { Fact, Sides } from './outside-facts.ts'

const network = '/v1/networks/fuji'
const p = '/ext/bc/P'
const primarySubnet = '11111111111111111111111111111111LpoYY'

/** Addresses of the owner that a node tells under `name`, without the letter of the chain. */
function owners(of: JsonObject, name: string): string[] {
  const owner = of[name] as { readonly addresses: readonly string[] }
  return owner.addresses.map(bare).toSorted()
}

function bare(address: unknown): string {
  return String(address).replace(/^P-/, '')
}

/** Facts of one subject, named after our fields. */
function factsOf(kind: string, subject: string, answer: JsonObject): FactList {
  const facts: Fact[] = []
  return {
    facts,
    add: (name, theirs) => {
      const ours = answer[name]
      facts.push({
        kind: `${kind}: ${name}`,
        subject,
        ours: Array.isArray(ours) ? ours.map(bare).toSorted() : String(ours),
        theirs,
      })
    },
  }
}

type FactList = {
  readonly facts: Fact[]
  readonly add: (name: string, theirs: string | readonly string[]) => void
}

/** A delegator's part of its reward: rounded down. `fee` in percent, as nodes write it. */
function net(gross: bigint, fee: string): bigint {
  const millionths = BigInt(Math.round(Number(fee) * 10_000))
  return (gross * (1_000_000n - millionths)) / 1_000_000n
}

/** Every delegation that runs, with every field. */
async function running({ all }: Sides, stakers: readonly JsonObject[]): Promise<Fact[]> {
  const path = `${network}/delegators?delegationStatus=active`
  const ours = new Map((await all(path, 'delegators')).map((one) => [text(one, 'txHash'), one]))
  const theirs = stakers.flatMap((validator) =>
    list(validator, 'delegators').map((delegator) => ({ delegator, validator })),
  )
  const facts: Fact[] = [
    {
      kind: 'delegators: which',
      subject: 'all',
      ours: [...ours.keys()].toSorted(),
      theirs: theirs.map(({ delegator }) => text(delegator, 'txID')).toSorted(),
    },
  ]
  for (const { delegator, validator } of theirs) {
    const subject = text(delegator, 'txID')
    const answer = ours.get(subject) ?? {}
    const of = factsOf('delegators', subject, answer)
    of.add('nodeId', text(validator, 'nodeID'))
    of.add('amountDelegated', text(delegator, 'weight'))
    of.add('startTimestamp', text(delegator, 'startTime'))
    of.add('endTimestamp', text(delegator, 'endTime'))
    of.add('delegationStatus', 'active')
    of.add('rewardAddresses', owners(delegator, 'rewardOwner'))
    const gross = text(delegator, 'potentialReward')
    of.add('estimatedGrossReward', gross)
    of.add('estimatedNetReward', String(net(BigInt(gross), text(validator, 'delegationFee'))))
    facts.push(...of.facts, fee(answer, validator, subject))
  }
  return facts
}

/** The fee as a number: a node writes four decimals. */
function fee(answer: JsonObject, validator: JsonObject, subject: string): Fact {
  return {
    kind: 'delegators: delegationFee',
    subject,
    ours: Number(answer['delegationFee']),
    theirs: Number(text(validator, 'delegationFee')),
  }
}

/** Every delegation that is over, and what the node paid for it. */
async function ended(
  { all, node, transactions }: Sides,
  stakers: readonly JsonObject[],
): Promise<Fact[]> {
  const runs = new Set(
    stakers.flatMap((one) => list(one, 'delegators').map((each) => text(each, 'txID'))),
  )
  const theirs = transactions
    .filter((one) => isDelegation(one['unsignedTx'] as JsonObject) && !runs.has(text(one, 'id')))
    .map((one) => text(one, 'id'))
  const path = `${network}/delegators?delegationStatus=completed`
  const ours = await all(path, 'delegators')
  const facts: Fact[] = [
    {
      kind: 'ended delegators: which',
      subject: 'all',
      ours: ours.map((one) => text(one, 'txHash')).toSorted(),
      theirs: theirs.toSorted(),
    },
  ]
  for (const one of ours) {
    const subject = text(one, 'txHash')
    const paid = await paidFor(node, subject)
    facts.push({
      kind: 'ended delegators: netReward',
      subject,
      ours: text(one, 'netReward'),
      theirs: String(paid),
    })
  }
  return facts
}

/**
 * Returns whether a transaction delegates on the primary network: nobody else names one owner of
 * rewards.
 */
function isDelegation(tx: JsonObject): boolean {
  return tx['rewardsOwner'] !== undefined && tx['shares'] === undefined
}

/** Sum of what a node paid to the owner when the stake of `txID` ended. */
async function paidFor(node: NodeRpc, txID: string): Promise<bigint> {
  const reply = await node.call(p, 'platform.getRewardUTXOs', { txID, encoding: 'hexnc' })
  const utxos = (reply['utxos'] ?? []) as string[]
  return utxos.reduce(
    (total, hex) => total + Buffer.from(hex.slice(2), 'hex').readBigUInt64BE(74),
    0n,
  )
}

/** Rewards of validators: their own, their share of delegators' so far, and the owners. */
async function validators({ all }: Sides, stakers: readonly JsonObject[]): Promise<Fact[]> {
  const path = `${network}/validators?validationStatus=active&subnetId=${primarySubnet}`
  const ours = new Map((await all(path, 'validators')).map((one) => [text(one, 'txHash'), one]))
  return stakers.flatMap((validator) => {
    const subject = text(validator, 'txID')
    const answer = (ours.get(subject)?.['potentialRewards'] ?? {}) as JsonObject
    const of = factsOf('validators', subject, answer)
    of.add('validationRewardAmount', text(validator, 'potentialReward'))
    of.add('delegationRewardAmount', text(validator, 'accruedDelegateeReward'))
    of.add('rewardAddresses', owners(validator, 'validationRewardOwner'))
    return of.facts
  })
}

/** All facts about delegations; `stakers` as nodes tell them one by one, with their delegators. */
export async function delegatorFacts(
  sides: Sides,
  stakers: readonly JsonObject[],
): Promise<Fact[]> {
  return [
    ...(await running(sides, stakers)),
    ...(await ended(sides, stakers)),
    ...(await validators(sides, stakers)),
  ]
}
