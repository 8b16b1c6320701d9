/**
 * Validators that may sign for a subnet at a height, in the order every node agrees on.
 *
 * The place of a validator in this order is its bit in a signed message, so the order is part of
 * the protocol: keys ascending as their uncompressed bytes.
 *
 * Source: avalanchego snow/validators/warp.go, vms/platformvm/warp/signature.go.
 */

import { compareBytes, toHex } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import { u8At } from '../core/item-at.ts'

/** A validator as the P-Chain lists it. Inactive L1 validators have no key. */
export type ValidatorEntry = {
  readonly nodeId: string
  /** Compressed, 48 bytes. */
  readonly publicKey: Uint8Array | undefined
  readonly weight: bigint
}

/** All nodes with one key, as one signer. Its place in the list is its bit. */
export type Signer = {
  readonly publicKey: Uint8Array
  /** {@link publicKey} in hex, for maps. */
  readonly keyHex: string
  readonly weight: bigint
  readonly nodeIds: readonly string[]
}

/** A canonical validator set. */
export type ValidatorSet = {
  readonly signers: readonly Signer[]
  /** Weight of all entries, those without a key included. */
  readonly totalWeight: bigint
}

const maxWeight = (1n << 64n) - 1n
const smallerFlags = 0x1f
const largerY = 0x20

/**
 * The canonical set of `entries`, whatever their order. Throws `state-violation` when the weights
 * exceed 64 bits: no node would accept a signature of such a set.
 */
export function canonicalSet(entries: readonly ValidatorEntry[]): ValidatorSet {
  let totalWeight = 0n
  const byKey = new Map<string, { publicKey: Uint8Array; weight: bigint; nodeIds: string[] }>()
  for (const { nodeId, publicKey, weight } of entries) {
    totalWeight += weight
    if (publicKey === undefined) continue
    const keyHex = toHex(publicKey)
    const known = byKey.get(keyHex)
    if (known === undefined) byKey.set(keyHex, { publicKey, weight, nodeIds: [nodeId] })
    else {
      known.weight += weight
      known.nodeIds.push(nodeId)
    }
  }
  if (totalWeight > maxWeight) {
    throw new Fault('state-violation', `weight of a validator set exceeds 64 bits: ${totalWeight}`)
  }
  const signers = Array.from(byKey, ([keyHex, signer]) => ({ ...signer, keyHex }))
  for (const { nodeIds } of signers) nodeIds.sort()
  signers.sort((a, b) => compareKeys(a.publicKey, b.publicKey))
  return { signers, totalWeight }
}

/**
 * Order of two compressed keys as their uncompressed bytes have it.
 *
 * Uncompressed is x then y. Without its three flag bits a compressed key is x, and of the two keys
 * with one x the flag 0x20 marks the larger y; so nothing need be decompressed.
 */
export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  const first = (u8At(a, 0) & smallerFlags) - (u8At(b, 0) & smallerFlags)
  if (first !== 0) return first
  const rest = compareBytes(a.subarray(1), b.subarray(1))
  return rest !== 0 ? rest : (u8At(a, 0) & largerY) - (u8At(b, 0) & largerY)
}

/** Least weight that is `percent` of `total`, rounded up; exact for all 64-bit weights. */
export function quorumWeight(total: bigint, percent: number): bigint {
  return (total * BigInt(percent) + 99n) / 100n
}

/** Returns whether two sets would accept the same signed messages. */
export function equalSets(a: ValidatorSet, b: ValidatorSet): boolean {
  return (
    a.totalWeight === b.totalWeight &&
    a.signers.length === b.signers.length &&
    a.signers.every((signer, at) => {
      const other = b.signers[at]
      return signer.keyHex === other?.keyHex && signer.weight === other.weight
    })
  )
}
