/**
 * Before Durango and before Etna: stakers that wait for their start, subnets, odd outputs.
 *
 * Today's node no longer takes the transactions of before Banff (types 12, 14 and 24) into its
 * mempool, whatever the time: "unsupported transaction type".
 */

import { emptyId } from '../../src/codec/primary/ids.ts'
import { ewoq } from './keys.ts'
import { type Candidate, candidateAt, candidateNamed, fromNow, type Scene } from './scene.ts'
import { avax } from './utxo-wallet.ts'

const owner = { locktime: 0n, threshold: 1, addresses: [ewoq.address] }
const authorization = { signatureIndices: [0] }
const authorizers = [ewoq]
const cheap = false

/** Delegations for so long still run whenever something is compared. */
export const longSeconds = 36_000

/** Splits what genesis gave, so that transactions need not wait for the change of others. */
export async function splitFunds({ wallet, say }: Scene): Promise<void> {
  const payments = Array.from({ length: 20 }, () => ({
    amount: 20_000n * avax,
    owners: [ewoq.address],
  }))
  await wallet.export('X', 'P', payments, cheap)
  await wallet.import('P', 'X', ewoq, cheap)
  const smaller = payments.map((one) => ({ ...one, amount: 1_000n * avax }))
  await Promise.all([
    wallet.issueX({ payments: smaller }, (base) => ({ typeId: 0, ...base })),
    wallet.issueP({ payments: smaller, cheap }, (base) => ({
      typeId: 16,
      ...base,
      owner,
    })),
  ])
  say('funds are split')
}

/** Adds a validator of the primary network; its id. */
export async function addValidator(
  { wallet }: Scene,
  of: {
    readonly candidate: Candidate
    readonly start: bigint
    readonly end: bigint
    readonly cheap: boolean
  },
): Promise<Uint8Array> {
  const { candidate, start, end } = of
  const { nodeId, publicKey, proofOfPossession } = candidate
  const amount = 2_000n * avax
  return wallet.issueP({ spends: amount, cheap: of.cheap }, (base) => ({
    typeId: 25,
    ...base,
    nodeId,
    start,
    end,
    weight: amount,
    subnetId: emptyId,
    signer: { typeId: 28, publicKey, proofOfPossession },
    stake: wallet.outputs([{ amount, owners: [ewoq.address] }]),
    validationOwner: owner,
    delegationOwner: owner,
    delegationShares: 20_000,
  }))
}

/** Adds a delegator whose stake belongs to two; its id. */
export async function addDelegator(
  { wallet, friend }: Scene,
  of: {
    readonly nodeId: Uint8Array
    readonly start: bigint
    readonly end: bigint
    readonly cheap: boolean
  },
): Promise<Uint8Array> {
  const amount = 30n * avax
  return wallet.issueP({ spends: amount, cheap: of.cheap }, (base) => ({
    typeId: 26,
    ...base,
    nodeId: of.nodeId,
    start: of.start,
    end: of.end,
    weight: amount,
    subnetId: emptyId,
    stake: wallet.outputs([{ amount, owners: [ewoq.address, friend.address] }]),
    rewardsOwner: { ...owner, addresses: [friend.address] },
  }))
}

/** Types 13, 16, 23, 25 and 26 as they are before Durango; gives a subnet. */
export async function beforeDurango(scene: Scene): Promise<Uint8Array> {
  const { wallet, network, say } = scene
  const { nodeId } = await candidateAt(network, 2)
  const [subnetId] = await Promise.all([
    wallet.issueP({ cheap }, (base) => ({ typeId: 16, ...base, owner })),
    addValidator(scene, {
      candidate: candidateNamed('stranger'),
      start: fromNow(8),
      end: fromNow(40),
      cheap,
    }),
    addDelegator(scene, { nodeId, start: fromNow(7), end: fromNow(35), cheap }),
    addDelegator(scene, { nodeId, start: fromNow(8), end: fromNow(longSeconds), cheap }),
  ])
  say('a subnet is made, a validator and two delegators wait for their start')
  await wallet.issueP({ authorizers, cheap }, (base) => ({
    typeId: 13,
    ...base,
    nodeId,
    start: fromNow(5),
    end: fromNow(200),
    weight: 50n,
    subnetId,
    authorization,
  }))
  await wallet.issueP({ authorizers, cheap }, (base) => ({
    typeId: 23,
    ...base,
    nodeId,
    subnetId,
    authorization,
  }))
  say('a validator of the subnet was added and taken away')
  return subnetId
}

/** Types 13, 25, 26, 33 and 34 as they are between Durango and Etna. */
export async function betweenDurangoAndEtna(scene: Scene, subnetId: Uint8Array): Promise<void> {
  const { wallet, network, say, friend } = scene
  const { nodeId } = await candidateAt(network, 3)
  const later = fromNow(30)
  await Promise.all([
    addValidator(scene, {
      candidate: candidateNamed('never runs'),
      start: 0n,
      end: fromNow(25),
      cheap,
    }),
    addDelegator(scene, { nodeId, start: 0n, end: later, cheap }),
    addDelegator(scene, { nodeId, start: 0n, end: fromNow(longSeconds), cheap }),
    wallet.issueP({ cheap, payments: oddPayments(scene) }, (base) => ({ typeId: 34, ...base })),
    wallet.issueP({ authorizers, cheap }, (base) => ({
      typeId: 13,
      ...base,
      nodeId,
      start: 0n,
      end: later,
      weight: 7n,
      subnetId,
      authorization,
    })),
  ])
  await wallet.issueP({ authorizers, cheap }, (base) => ({
    typeId: 33,
    ...base,
    subnetId,
    authorization,
    newOwner: { ...owner, addresses: [friend.address] },
  }))
  say('staked at once, a subnet given away, paid in odd ways')
}

/** Outputs of several owners, with locks, and with a lock that only staking opens. */
function oddPayments({ friend }: Scene): Parameters<Scene['wallet']['outputs']>[0] {
  const both = [ewoq.address, friend.address]
  return [
    { amount: 3n * avax, owners: both },
    { amount: 4n * avax, owners: both, threshold: 2 },
    { amount: 5n * avax, owners: [friend.address], locktime: fromNow(3_600) },
    { amount: 6n * avax, owners: [friend.address], stakeableLocktime: fromNow(3_600) },
  ]
}
