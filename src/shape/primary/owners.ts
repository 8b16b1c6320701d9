/** Owners, keys and managers named by transactions, subnets and validators. Source: document A. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'

/** The owners that control a subnet. */
export const SubnetOwnershipInfo = Type.Object(
  {
    locktime: Type.Integer({ description: 'Unix seconds' }),
    threshold: Type.Integer(),
    addresses: Type.Array(Type.String()),
  },
  { $id: 'SubnetOwnershipInfo', additionalProperties: false },
)
/** Decoded {@link SubnetOwnershipInfo}. */
export type SubnetOwnershipInfo = Static<typeof SubnetOwnershipInfo>

/** BLS key of a validator. */
export const BlsCredentials = Type.Object(
  {
    publicKey: Type.String({ description: '48 bytes, 0x hex' }),
    proofOfPossession: Type.String({ description: '96 bytes, 0x hex' }),
  },
  { $id: 'BlsCredentials', additionalProperties: false },
)
/** Decoded {@link BlsCredentials}. */
export type BlsCredentials = Static<typeof BlsCredentials>

/** The contract that manages an L1's validators. */
export const L1ValidatorManagerDetails = Type.Object(
  {
    blockchainId: Type.String({ description: 'cb58' }),
    contractAddress: Type.String({ description: '0x hex' }),
  },
  { $id: 'L1ValidatorManagerDetails', additionalProperties: false },
)
/** Decoded {@link L1ValidatorManagerDetails}. */
export type L1ValidatorManagerDetails = Static<typeof L1ValidatorManagerDetails>
