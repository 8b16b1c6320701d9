/**
 * Payload of a Warp message: a hash, or a call by an address.
 *
 * Source: avalanchego vms/platformvm/warp/payload/.
 */

import { struct, union, versioned } from '../kit.ts'
import { bytes, fixed } from '../primitives.ts'
import { maxPayloadSize } from './message.ts'

/** Type ids of {@link warpPayload}. */
export const payloadTypes = { hash: 0, addressedCall: 1 } as const

/**
 * Payload of an unsigned message.
 *
 * - type 0, `hash`: on EVM chains the id of an accepted block
 * - type 1, `sourceAddress` and `payload`: an EVM address of 20 bytes, or nothing when the
 *   P-Chain speaks
 */
export const warpPayload = versioned(
  union({
    [payloadTypes.hash]: struct({ hash: fixed(32) }),
    [payloadTypes.addressedCall]: struct({
      sourceAddress: bytes(maxPayloadSize),
      payload: bytes(maxPayloadSize),
    }),
  }),
)
