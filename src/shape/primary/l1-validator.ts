/** L1 validations. Source: official clients, L1ValidatorDetailsFull. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'

const hash = Type.String({ description: 'cb58' })
const owner = Type.Object(
  { addresses: Type.Array(Type.String()), threshold: Type.Integer() },
  { additionalProperties: false },
)

/** One L1 validation. */
export const L1Validator = Type.Object(
  {
    validationId: hash,
    validationIdHex: Type.String({ description: '0x hex' }),
    nodeId: Type.String(),
    subnetId: hash,
    weight: Type.Integer(),
    remainingBalance: Type.Integer({ description: 'nAVAX', 'x-decimals': 9 }),
    creationTimestamp: Type.Integer({ description: 'Unix seconds' }),
    blsCredentials: Type.Object({ publicKey: Type.String({ description: '48 bytes, 0x hex' }) }),
    remainingBalanceOwner: owner,
    deactivationOwner: owner,
  },
  { $id: 'L1Validator', additionalProperties: false },
)
/** Decoded {@link L1Validator}. */
export type L1Validator = Static<typeof L1Validator>
