/** Staking on the demo: terms that wait, run, were paid or were not, and one that renews itself. */

import { emptyId } from '../../src/codec/primary/ids.ts'
import { toCb58, toNodeId } from '../../src/core/cb58.ts'
import { ewoq, type Key, keyNamed } from '../../test/network/keys.ts'
import { list } from '../../test/network/node-rpc.ts'
import { settled } from '../../test/network/real-network.ts'
import {
  addRenewing,
  configureRenewal,
  cycleSeconds,
  renewed,
} from '../../test/network/renewal-steps.ts'
import {
  type Candidate,
  candidateAt,
  candidateNamed,
  fromNow,
  type Scene,
} from '../../test/network/scene.ts'
import { avax } from '../../test/network/utxo-wallet.ts'
import type { Cast } from './stage.ts'

const daySeconds = 86_400

/** Keys of people who stake; what they earn is theirs. */
export const stakers = ['ana', 'ben', 'chi'].map((name) => keyNamed(`demo staker ${name}`))

type Term = {
  readonly candidate: Candidate
  /** Unix seconds; 0 since Durango. */
  readonly start: bigint
  readonly end: bigint
  readonly amount: bigint
  readonly cheap: boolean
  /** Parts of a million that delegators pay. */
  readonly shares: number
  readonly owner: Key
}

/** A validator of the primary network; its id. */
export function validate({ wallet }: Scene, term: Term): Promise<Uint8Array> {
  const { nodeId, publicKey, proofOfPossession } = term.candidate
  const owner = { locktime: 0n, threshold: 1, addresses: [term.owner.address] }
  return wallet.issueP({ spends: term.amount, cheap: term.cheap }, (base) => ({
    typeId: 25,
    ...base,
    nodeId,
    start: term.start,
    end: term.end,
    weight: term.amount,
    subnetId: emptyId,
    signer: { typeId: 28, publicKey, proofOfPossession },
    stake: wallet.outputs([{ amount: term.amount, owners: [ewoq.address] }]),
    validationOwner: owner,
    delegationOwner: owner,
    delegationShares: term.shares,
  }))
}

/** A delegator whose stake and reward are of `owner`; its id. */
export function delegate(
  { wallet }: Scene,
  of: {
    readonly nodeId: Uint8Array
    readonly start: bigint
    readonly end: bigint
    readonly amount: bigint
    readonly cheap: boolean
    readonly owner: Key
  },
): Promise<Uint8Array> {
  const { nodeId, start, end, amount, cheap, owner } = of
  return wallet.issueP({ spends: amount, cheap }, (base) => ({
    typeId: 26,
    ...base,
    nodeId,
    start,
    end,
    weight: amount,
    subnetId: emptyId,
    stake: wallet.outputs([{ amount, owners: [owner.address] }]),
    rewardsOwner: { locktime: 0n, threshold: 1, addresses: [owner.address] },
  }))
}

/** Waits until the terms that genesis gave two nodes are over and paid. */
export async function pastTermsEnd({ network, say }: Scene): Promise<void> {
  await settled('the terms of the past are paid', async () => {
    const told = await network.node(1).call('/ext/bc/P', 'platform.getCurrentValidators')
    return list(told, 'validators').length === 3
  })
  say('two terms that ended weeks ago are paid')
}

/** Before Durango a term could be announced: these begin in days, and wait. */
export async function announceTerms(scene: Scene, cast: Cast): Promise<void> {
  const { nodeId } = await candidateAt(scene.network, 1)
  const [ana, ben] = stakers
  if (ana === undefined || ben === undefined) throw new Error('no stakers')
  const candidate = candidateNamed('demo newcomer')
  const start = fromNow(9 * daySeconds)
  const cheap = false
  cast.note('pendingNode', toNodeId(candidate.nodeId))
  await Promise.all([
    validate(scene, {
      candidate,
      start,
      end: fromNow(99 * daySeconds),
      amount: 12_500n * avax,
      cheap,
      shares: 40_000,
      owner: ana,
    }),
    delegate(scene, {
      nodeId,
      start: fromNow(3 * daySeconds),
      end: fromNow(33 * daySeconds),
      amount: 4_000n * avax,
      cheap,
      owner: ben,
    }),
  ])
  scene.say('a validator and a delegator wait for their start')
}

/** Node 4 comes back for most of a year, and people delegate to running nodes. */
export async function newTerms(scene: Scene, cast: Cast): Promise<void> {
  const cheap = false
  const [ana, ben, chi] = stakers
  if (ana === undefined || ben === undefined || chi === undefined) throw new Error('no stakers')
  const back = await candidateAt(scene.network, 4)
  await validate(scene, {
    candidate: back,
    start: 0n,
    end: fromNow(280 * daySeconds),
    amount: 90_000n * avax,
    cheap,
    shares: 35_000,
    owner: chi,
  })
  const [first, second] = await Promise.all([
    candidateAt(scene.network, 1),
    candidateAt(scene.network, 2),
  ])
  const long = fromNow(30 * daySeconds)
  await Promise.all([
    delegate(scene, {
      nodeId: back.nodeId,
      start: 0n,
      end: fromNow(200 * daySeconds),
      amount: 25_000n * avax,
      cheap,
      owner: ana,
    }),
    delegate(scene, {
      nodeId: back.nodeId,
      start: 0n,
      end: fromNow(60 * daySeconds),
      amount: 1_500n * avax,
      cheap,
      owner: ben,
    }),
    delegate(scene, {
      nodeId: first.nodeId,
      start: 0n,
      end: long,
      amount: 8_000n * avax,
      cheap,
      owner: ana,
    }),
    delegate(scene, {
      nodeId: second.nodeId,
      start: 0n,
      end: fromNow(28),
      amount: 3_000n * avax,
      cheap,
      owner: ana,
    }),
    delegate(scene, {
      nodeId: back.nodeId,
      start: 0n,
      end: fromNow(32),
      amount: 2_000n * avax,
      cheap,
      owner: ben,
    }),
  ])
  cast.note('validator', toNodeId(back.nodeId))
  cast.note('staker', scene.wallet.address('P', ana.address))
  scene.say('a node is back for another term, with delegators')
}

/** Node 5 renews itself since Helicon: short cycles that are paid, then one that runs for weeks. */
export async function renewing(scene: Scene, cast: Cast): Promise<void> {
  const candidate = await candidateAt(scene.network, 5)
  cast.note('renewingNode', toNodeId(candidate.nodeId))
  const txId = await addRenewing(scene, candidate, cycleSeconds)
  cast.note('renewingTx', toCb58(txId))
  const first = await renewed(scene, txId, 2_000n * avax)
  await configureRenewal(scene, txId, { shares: 1_000_000, period: 20 })
  const second = await renewed(scene, txId, first)
  await configureRenewal(scene, txId, { shares: 700_000, period: 21 * daySeconds })
  await renewed(scene, txId, second)
}
