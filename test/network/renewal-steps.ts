/** Since Helicon: a validator that renews itself. It must run, or its reward is voted down. */

import { toCb58, toNodeId } from '../../src/core/cb58.ts'
import { addDelegator } from './early-steps.ts'
import { ewoq } from './keys.ts'
import { list } from './node-rpc.ts'
import { settled } from './real-network.ts'
import { type Candidate, fromNow, type Scene } from './scene.ts'
import { avax } from './utxo-wallet.ts'

const owner = { locktime: 0n, threshold: 1, addresses: [ewoq.address] }

/** Seconds of a cycle: the least that the flags of the nodes allow, and some. */
export const cycleSeconds = 24

/** Type 40: half of what it earns is staked again at the end of each `period` of seconds. */
export async function addRenewing(
  scene: Scene,
  candidate: Candidate,
  period: number,
): Promise<Uint8Array> {
  const { wallet, say } = scene
  const { nodeId, publicKey, proofOfPossession } = candidate
  const amount = 2_000n * avax
  const txId = await wallet.issueP({ spends: amount }, (base) => ({
    typeId: 40,
    ...base,
    nodeId,
    signer: { typeId: 28, publicKey, proofOfPossession },
    stake: wallet.outputs([{ amount, owners: [ewoq.address] }]),
    validationOwner: owner,
    delegationOwner: owner,
    authority: owner,
    delegationShares: 200_000,
    autoCompoundRewardShares: 500_000,
    period: BigInt(period),
  }))
  await addDelegator(scene, { nodeId, start: 0n, end: fromNow(period - 2), cheap: true })
  say(`${toNodeId(nodeId)} renews itself, with a delegator`)
  return txId
}

/** Type 41: all of what it earns is staked again, or with a period of 0 it ends. */
export async function configureRenewal(
  { wallet, say }: Scene,
  stakingTxId: Uint8Array,
  of: { readonly shares: number; readonly period: number },
): Promise<void> {
  await wallet.issueP({ authorizers: [ewoq] }, (base) => ({
    typeId: 41,
    ...base,
    stakingTxId,
    authorization: { signatureIndices: [0] },
    autoCompoundRewardShares: of.shares,
    period: BigInt(of.period),
  }))
  say(`the renewal is configured: ${of.shares}, ${of.period} s`)
}

/** Waits until it weighs more than `weight`; what it weighs then, or 0 when it is over. */
export async function renewed(
  scene: Scene,
  stakingTxId: Uint8Array,
  weight: bigint,
): Promise<bigint> {
  let found = weight
  await settled('the validator has renewed itself, or ended', async () => {
    const node = scene.network.node(1)
    const reply = await node.call('/ext/bc/P', 'platform.getCurrentValidators')
    const one = list(reply, 'validators').find(({ txID }) => txID === toCb58(stakingTxId))
    found = one === undefined ? 0n : BigInt(String(one['weight']))
    return found !== weight
  })
  scene.say(found === 0n ? 'the validator has ended' : `the validator weighs ${found}`)
  return found
}
