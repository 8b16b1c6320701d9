/** Things with which all parts of the scenario work. */

import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import { fromHex } from '../../src/core/bytes.ts'
import { parseNodeId } from '../../src/core/cb58.ts'
import { blsPublicKey, createBlsSecret, signPossession } from '../../src/peer/identity.ts'
import { EvmWallet } from './evm-wallet.ts'
import { ewoq, type Key, keyNamed } from './keys.ts'
import { text, type JsonObject } from './node-rpc.ts'
import { upgradeSeconds } from './plan.ts'
import type { RealNetwork } from './real-network.ts'
import { idsOf, UtxoWallet } from './utxo-wallet.ts'

/** The network, and the wallets of the scenario. */
export type Scene = {
  readonly network: RealNetwork
  /** Unix seconds at which the upgrades were planned. */
  readonly beganAt: number
  readonly wallet: UtxoWallet
  /** The key ewoq on the C-Chain. */
  readonly c: EvmWallet
  readonly friend: Key
  /** Says what is done, with the seconds since the beginning. */
  readonly say: (what: string) => void
}

/** The scene of a network that has just begun. */
export async function openScene(network: RealNetwork, beganAt: number): Promise<Scene> {
  const friend = keyNamed('friend')
  const node = (): ReturnType<RealNetwork['node']> => network.node(1)
  const ids = await idsOf(node())
  return {
    network,
    beganAt,
    wallet: new UtxoWallet(node, ids, [ewoq, friend]),
    c: new EvmWallet(node, '/ext/bc/C/rpc', ewoq),
    friend,
    say: (what) => console.log(`${String(secondsSince(beganAt)).padStart(5)} s  ${what}`),
  }
}

function secondsSince(beganAt: number): number {
  return Math.round(Date.now() / 1_000 - beganAt)
}

/** Waits until an upgrade is active, and a second more: blocks have whole seconds. */
export async function upgraded(scene: Scene, name: keyof typeof upgradeSeconds): Promise<void> {
  const leftMs = (scene.beganAt + upgradeSeconds[name] + 1) * 1_000 - Date.now()
  if (leftMs > 0) await pause(leftMs)
  scene.say(`${name} is active`)
}

/** Unix seconds, `seconds` from now. */
export function fromNow(seconds: number): bigint {
  return BigInt(Math.floor(Date.now() / 1_000) + seconds)
}

/** Who can validate: a node id and a BLS key with the proof of its possession. */
export type Candidate = {
  readonly nodeId: Uint8Array
  readonly publicKey: Uint8Array
  readonly proofOfPossession: Uint8Array
}

/** A running node of the network. */
export async function candidateAt(network: RealNetwork, node: number): Promise<Candidate> {
  const reply = await network.node(node).call('/ext/info', 'info.getNodeID')
  const { publicKey, proofOfPossession } = reply['nodePOP'] as JsonObject
  return {
    nodeId: parseNodeId(text(reply, 'nodeID')),
    publicKey: fromHex(String(publicKey)),
    proofOfPossession: fromHex(String(proofOfPossession)),
  }
}

/** A node that exists by name alone: it never runs, so that it is never rewarded. */
export function candidateNamed(name: string): Candidate {
  const secret = createBlsSecret(
    new Uint8Array(createHash('sha384').update(`bls of ${name}`).digest()),
  )
  const publicKey = blsPublicKey(secret)
  return {
    nodeId: new Uint8Array(createHash('sha256').update(`node ${name}`).digest().subarray(0, 20)),
    publicKey,
    proofOfPossession: signPossession(secret, publicKey),
  }
}
