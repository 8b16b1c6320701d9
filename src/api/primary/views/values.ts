/** Numbers, owners and keys as answers show them. */

import { toPrimaryAddress } from '../../../core/address.ts'
import { createGenerations, type Generations } from '../../../core/bounded-maps.ts'
import { to0x } from '../../../core/bytes.ts'
import type { SubnetOwnershipInfo } from '../../../shape/primary/asset.ts'
import type { StoredOwner } from '../../../store/schema/primary/bodies.ts'
import { placeOfPos } from '../../../store/schema/primary/position.ts'

/** Unix seconds as a JSON number; times that a number cannot hold are cut to 2^53 - 1. */
export function seconds(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value)
}

/** Height of a place; what the X-Chain had before its blocks stands under 0. */
export function heightOf(pos: number): number {
  return Math.max(0, placeOfPos(pos).height)
}

/** {@link heightOf} as text. */
export function heightText(pos: number): string {
  return String(heightOf(pos))
}

/** Percent of millionths, four decimals as nodes print them. */
export function percentOf(shares: number): string {
  return (shares / 10_000).toFixed(4)
}

/**
 * An integer of up to 64 bits as a bare JSON number, every digit kept.
 *
 * Below 2^53 it is a number; above, a raw piece of JSON that only prints right.
 */
export function wideInteger(value: bigint): number {
  if (value >= -9_007_199_254_740_991n && value <= 9_007_199_254_740_991n) return Number(value)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.stringify prints it as a number
  return JSON.rawJSON(String(value)) as number
}

declare global {
  // Merges with the runtime's own, which has it since Node 22; its typings do not.
  interface JSON {
    rawJSON: (text: string) => unknown
  }
}

/** Public keys by their owners' addresses: who owns an address is found once. */
export type OwnerKeys = Generations<string, Uint8Array>

/** Some 200 bytes each, at most twice as many. */
const keysPerGeneration = 8_192

/** No keys yet. */
export function newOwnerKeys(): OwnerKeys {
  return createGenerations(keysPerGeneration)
}

/** Addresses of an owner as text; none without one. */
export function ownerAddresses(
  hrp: string,
  owner: Pick<StoredOwner, 'addresses'> | undefined,
): string[] {
  return (owner?.addresses ?? []).map((address) => toPrimaryAddress(hrp, address))
}

/** A subnet's owner. */
export function ownershipView(hrp: string, owner: StoredOwner): SubnetOwnershipInfo {
  return {
    locktime: seconds(owner.locktime),
    threshold: owner.threshold,
    addresses: ownerAddresses(hrp, owner),
  }
}

/** The BLS key of a validator with its proof, where it has one. */
export function blsCredentials(
  publicKey: Uint8Array | undefined,
  proofOfPossession: Uint8Array | undefined,
): { blsCredentials?: { publicKey: string; proofOfPossession: string } } {
  if (publicKey === undefined || proofOfPossession === undefined) return {}
  return {
    blsCredentials: { publicKey: to0x(publicKey), proofOfPossession: to0x(proofOfPossession) },
  }
}
