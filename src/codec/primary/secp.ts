/**
 * secp256k1 pieces shared by the P-Chain, X-Chain and C-Chain atomic formats: owners, transfer
 * outputs and inputs, credentials.
 *
 * Source: avalanchego vms/secp256k1fx, vms/platformvm/stakeable, vms/components/avax.
 */

import { array, struct, tagged } from '../kit.ts'
import { fixed, recurring, u32, u64 } from '../primitives.ts'
import { maxItems } from './limits.ts'

/** A 32-byte id. */
export const id = fixed(32)

/** Id of an asset, nearly always the last one: equal ones are one array. */
export const commonAssetId = recurring(32)

/** As {@link commonAssetId}, of the chain a transaction is for: apart, as the two take turns. */
export const commonChainId = recurring(32)

/** A 20-byte address or node id. */
export const shortId = fixed(20)

/** Positions of signatures among an output's addresses. */
export const signatureIndices = array(u32, maxItems)

/** Fields of {@link outputOwners}, for the formats they are part of. */
export const ownerFields = {
  locktime: u64,
  threshold: u32,
  addresses: array(shortId, maxItems),
} as const

/**
 * Owners that may spend or decide, without type id.
 *
 * - `locktime`: Unix seconds; valid from then on; 0 = at once
 * - `threshold`: signatures needed, at most `addresses.length`
 * - `addresses`: 20-byte ids, ascending
 *
 * Source: avalanchego vms/secp256k1fx/output_owners.go.
 */
export const outputOwners = struct(ownerFields)

/** {@link outputOwners} where upstream has an interface: type id 11 first. P-Chain only. */
export const taggedOwners = tagged(11, outputOwners)

/** Owner of L1 validator balances: no locktime, no type id. Source: vms/platformvm/warp/message. */
export const chainOwner = struct({ threshold: u32, addresses: array(shortId, maxItems) })

/**
 * secp256k1 transfer output, type id 7: an amount in the asset's smallest unit, never 0, and its
 * owners.
 *
 * Source: avalanchego vms/secp256k1fx/transfer_output.go.
 */
export const transferOutput = struct({ amount: u64, ...ownerFields })

/**
 * Output that may only be staked before `locktime`, type id 22; P-Chain only.
 *
 * Source: avalanchego vms/platformvm/stakeable/stakeable_lock.go.
 */
export const stakeableLockOut = struct({ locktime: u64, output: tagged(7, transferOutput) })

/** secp256k1 transfer input, type id 5: the whole amount of the output it spends. */
export const transferInput = struct({ amount: u64, signatureIndices })

/** Input spending a {@link stakeableLockOut}, type id 21; P-Chain only. */
export const stakeableLockIn = struct({ locktime: u64, input: tagged(5, transferInput) })

/** Authorization by a subnet's owner, type id 10. */
export const authorization = tagged(10, struct({ signatureIndices }))

/** 65-byte recoverable signatures. */
export const signatures = array(fixed(65), maxItems)
