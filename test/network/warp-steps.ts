/** Signatures of Firn, delivered: to the P-Chain in its epochs, and to the L1. */

import assert from 'node:assert/strict'

import { decodeBitSet, decodeSigned } from '../../src/codec/warp/message.ts'
import { toCb58 } from '../../src/core/cb58.ts'
import { receives } from './evm-steps.ts'
import type { FollowingFirn, Signed } from './firn.ts'
import { keyNamed } from './keys.ts'
import {
  askRegistration,
  askWeight,
  disable,
  type L1,
  register,
  setWeight,
  starved,
  topUp,
} from './l1-steps.ts'
import { NodeRefusal, text } from './node-rpc.ts'
import { settled } from './real-network.ts'
import { type Candidate, candidateAt, candidateNamed, type Scene } from './scene.ts'
import { avax } from './utxo-wallet.ts'

/** A scene with the Firns that sign. */
export type Signing = Scene & {
  readonly firns: readonly [FollowingFirn, FollowingFirn, FollowingFirn]
}

/** The signed message. Fails with what the refusal says. */
function signedBy({ message, text: said }: Signed): Uint8Array {
  assert.ok(message !== undefined, said)
  return message
}

function signerCount(signed: Uint8Array): number {
  return decodeBitSet(decodeSigned(signed).signature.signers).length
}

async function heightOf({ network }: Scene): Promise<number> {
  return Number(text(await network.node(1).call('/ext/bc/P', 'platform.getHeight'), 'height'))
}

/** The height with which a chain verifies messages now. */
async function epochOf({ network }: Scene, chain: string): Promise<string> {
  const epoch = await network.node(1).call(`${chain}/proposervm`, 'proposervm.getCurrentEpoch')
  return text(epoch, 'pChainHeight')
}

async function epochHeight(scene: Scene): Promise<number> {
  return Number(await epochOf(scene, '/ext/bc/P'))
}

function l1Epoch(scene: Scene, l1: L1): Promise<string> {
  return epochOf(scene, l1.path.replace(/\/rpc$/, ''))
}

/** Waits until an L1 verifies with the validators of `height`; its blocks move its epochs. */
async function l1EpochReaches(scene: Scene, l1: L1, height: number): Promise<void> {
  await settled(`an epoch of the L1 at ${height}`, async () => {
    if (Number(await l1Epoch(scene, l1)) >= height) return true
    await l1.evm.send({ to: keyNamed('first').evm, value: 1n })
    return false
  })
}

/** Waits until the P-Chain verifies with the validators of `height`; its blocks move its epochs. */
async function epochReaches(scene: Scene, height: number): Promise<void> {
  await settled(`an epoch of the P-Chain at ${height}`, async () => {
    if ((await epochHeight(scene)) >= height) return true
    await scene.wallet.issueP({}, (base) => ({ typeId: 34, ...base }))
    return false
  })
  scene.say(`the P-Chain verifies with validators of ${height} or later`)
}

/**
 * Returns whether the P-Chain takes what `deliver` brings; a refusal must be one of the signature.
 */
async function takes(deliver: () => Promise<unknown>): Promise<boolean> {
  try {
    await deliver()
    return true
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error
    assert.match(error.message, /signature|warp|weight/i)
    return false
  }
}

/**
 * The L1 has five validators of equal weight. One away: four sign at 67 %, and the P-Chain takes
 * it. Two away: 67 % are refused with what was reached, 60 % are signed. Gives the validation.
 */
export async function signWithNodesAway(scene: Signing, l1: L1): Promise<Uint8Array> {
  const { network, firns, say } = scene
  const [sqlite] = firns
  const candidate = candidateNamed('late')
  const registration = await askRegistration(l1, candidate, 20n)
  const other = await askRegistration(l1, candidateNamed('never registered'), 1n)
  await epochReaches(scene, await heightOf(scene))
  await network.stop(5)
  const signed = signedBy(await sqlite.sign({ message: registration.log }))
  assert.equal(signerCount(signed), 4, 'signers with one node away')
  await network.stop(4)
  const refused = await sqlite.sign({ message: other.log })
  assert.equal(refused.status, 400, refused.text)
  assert.match(refused.text, /67\*500 > 100\*300; weight reached 300, needed 335 of 500/)
  const sixty = signedBy(await sqlite.sign({ message: other.log, quorumPercentage: 60 }))
  assert.equal(signerCount(sixty), 3, 'signers with two nodes away')
  say('one away: signed at 67; two away: refused at 67 with 60 % named, signed at 60')
  // A nAVAX a second is the lowest fee of networks like this one: it soon starves.
  await register(scene, { signed, candidate, balance: 20n })
  say('the P-Chain took what four of five had signed')
  await Promise.all([4, 5].map((node) => network.restart(node)))
  await Promise.all([4, 5].map((node) => network.ready(node)))
  return registration.validationId
}

/** A name whose key comes before those of all nodes, so that everybody's number moves. */
async function firstByKey(scene: Scene): Promise<Candidate> {
  const nodes = await Promise.all([1, 2, 3, 4, 5].map((node) => candidateAt(scene.network, node)))
  const rank = ({ publicKey }: Candidate): string => {
    // By the uncompressed key: the flags of the first byte do not count.
    const hex = Buffer.from(publicKey).toString('hex')
    return ((publicKey[0] ?? 0) & 0x1f).toString(16).padStart(2, '0') + hex.slice(2)
  }
  for (let at = 0; ; at++) {
    const candidate = candidateNamed(`heavy ${at}`)
    if (nodes.every((one) => rank(candidate) < rank(one))) return candidate
  }
}

/**
 * A validator joins, and for as long as the P-Chain's epoch lasts it does not count there. Without
 * `pChainHeight` Firn signs for the epoch, before it changes and after it; for the height of the
 * newcomer the P-Chain refuses before, and takes after.
 */
export async function signOverEpochs(scene: Signing, l1: L1, late: Uint8Array): Promise<EpochLife> {
  const { firns, say } = scene
  const [sqlite, postgres] = firns
  await epochReaches(scene, await heightOf(scene))
  const heavy = await firstByKey(scene)
  const registration = await askRegistration(l1, heavy, 100n)
  const signed = signedBy(await postgres.sign({ message: registration.log }))
  await register(scene, { signed, candidate: heavy, balance: avax })
  const joined = await heightOf(scene)
  const log = await askWeight(l1, { validationId: late, nonce: 0n, weight: 30n })
  const tooNew = signedBy(await sqlite.sign({ message: log, pChainHeight: joined }))
  assert.ok((await epochHeight(scene)) < joined, 'the epoch is from before the newcomer')
  assert.equal(await takes(() => setWeight(scene, tooNew)), false, 'signed for another height')
  const before = signedBy(await sqlite.sign({ message: log }))
  assert.notDeepEqual(before, tooNew)
  assert.ok(await takes(() => setWeight(scene, before)), 'signed for the epoch, before it changes')
  say('before the epoch changes: the epoch’s set is taken, the newcomer’s is refused')
  await epochReaches(scene, joined)
  const again = await askWeight(l1, { validationId: late, nonce: 1n, weight: 40n })
  const after = signedBy(await postgres.sign({ message: again, pChainHeight: 0 }))
  const weighed = await setWeight(scene, after)
  say('after the epoch changed: its set is taken again')
  return { heavy: registration.validationId, weighed }
}

/** The validation that joined, and the newest transaction that set the other one's weight. */
export type EpochLife = { readonly heavy: Uint8Array; readonly weighed: Uint8Array }

/** Starved, fed, disabled, fed again, removed; what the P-Chain says of it arrives on the L1. */
export async function lateLife(
  scene: Signing,
  l1: L1,
  of: EpochLife & { readonly late: Uint8Array },
): Promise<void> {
  const { firns, say } = scene
  const [sqlite, postgres, byPeers] = firns
  await starved(scene, of.late)
  await topUp(scene, of.late, avax / 10n)
  await disable(scene, of.heavy)
  await topUp(scene, of.heavy, avax / 10n)
  say('fed, disabled, fed again')
  await Promise.all(firns.map((firn) => firn.caughtUp()))
  const arrives = (firn: FollowingFirn, txId: string): Promise<boolean> => {
    const sign = async (): Promise<Uint8Array> => signedBy(await firn.signTransaction(txId))
    return receives(l1.evm, sign, () => l1Epoch(scene, l1))
  }
  assert.ok(await arrives(postgres, toCb58(of.weighed)), 'the weight arrives')
  const log = await askWeight(l1, { validationId: of.late, nonce: 2n, weight: 0n })
  const removal = await setWeight(scene, signedBy(await postgres.sign({ message: log })))
  await Promise.all(firns.map((firn) => firn.caughtUp()))
  for (const firn of [sqlite, postgres])
    assert.ok(await arrives(firn, toCb58(removal)), 'the removal arrives')
  // By peers alone Firn does not know the epochs of an L1 and signs for the proposed height.
  await l1EpochReaches(scene, l1, await heightOf(scene))
  assert.ok(await arrives(byPeers, toCb58(removal)), 'the removal arrives, signed by peers alone')
  assert.ok(await arrives(sqlite, toCb58(l1.conversion)), 'the conversion arrives')
  say('removed; removal and conversion arrived on the L1')
}
