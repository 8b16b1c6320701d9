/**
 * The messages about L1 validators: inside an addressed call between an L1 and the P-Chain.
 *
 * Source: avalanchego vms/platformvm/warp/message/, ACP-77.
 */

import { concatBytes, fromBigint } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { type Decoded, encode } from '../cursor.ts'
import { array, struct, union, versioned } from '../kit.ts'
import { bool, bytes, fixed, u32, u64 } from '../primitives.ts'
import { maxPayloadSize } from './message.ts'

/** Type ids of {@link l1Message}. */
export const l1MessageTypes = {
  subnetToL1Conversion: 0,
  registerL1Validator: 1,
  l1ValidatorRegistration: 2,
  l1ValidatorWeight: 3,
} as const

/**
 * Owners that may disable a validator or get its balance: 20-byte addresses, `threshold` of them.
 */
const owner = struct({ threshold: u32, addresses: array(fixed(20), 1_024) })

/**
 * Payload of an addressed call about L1 validators.
 *
 * - type 0, the P-Chain says: a subnet became an L1; `conversionId` is sha256 of
 *   {@link conversionData}
 * - type 1, sent by the L1: register a validator. `expiry` in Unix seconds, `nodeId` of 20 bytes,
 *   `blsPublicKey` compressed
 * - type 2, the P-Chain says: `validationId` is registered, or is not and never will be
 * - type 3, both ways: `validationId` has, or shall have, `weight` since message `nonce`
 */
export const l1Message = versioned(
  union({
    [l1MessageTypes.subnetToL1Conversion]: struct({ conversionId: fixed(32) }),
    [l1MessageTypes.registerL1Validator]: struct({
      subnetId: fixed(32),
      nodeId: bytes(maxPayloadSize),
      blsPublicKey: fixed(48),
      expiry: u64,
      remainingBalanceOwner: owner,
      disableOwner: owner,
      weight: u64,
    }),
    [l1MessageTypes.l1ValidatorRegistration]: struct({ validationId: fixed(32), registered: bool }),
    [l1MessageTypes.l1ValidatorWeight]: struct({
      validationId: fixed(32),
      nonce: u64,
      weight: u64,
    }),
  }),
)
/** Decoded {@link l1Message}. */
export type L1Message = Decoded<typeof l1Message>

/**
 * Everything a conversion fixes; hashed, never sent.
 *
 * - `validators`: in the order of the transaction, ascending by `nodeId`
 */
export const conversionData = versioned(
  struct({
    subnetId: fixed(32),
    managerChainId: fixed(32),
    managerAddress: bytes(4_096),
    validators: array(
      struct({ nodeId: bytes(maxPayloadSize), blsPublicKey: fixed(48), weight: u64 }),
      65_536,
    ),
  }),
)
/** Decoded {@link conversionData}. */
export type ConversionData = Decoded<typeof conversionData>

/** Id of a conversion. */
export function conversionId(data: ConversionData): Uint8Array {
  return sha256(encode(conversionData, data))
}

/** Validation id of the validator at `index` of the conversion of `subnetId`. */
export function convertedValidationId(subnetId: Uint8Array, index: number): Uint8Array {
  return sha256(concatBytes(subnetId, fromBigint(BigInt(index), 4)))
}

/** Validation id of a validator that joined by a RegisterL1Validator message, given its bytes. */
export function registeredValidationId(registerL1Validator: Uint8Array): Uint8Array {
  return sha256(registerL1Validator)
}
