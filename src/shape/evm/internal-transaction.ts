/** Internal transactions: calls that move coins and creations, inside transactions. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { Party } from './party.ts'
import { placementFields } from './placement.ts'
import { amount, decimal } from './scalars.ts'

/** Kinds the clients know. Only CALL, CALLCODE and the creations are listed. */
const internalTxTypes = [
  'UNKNOWN',
  'CALL',
  'CREATE',
  'CREATE2',
  'CREATE3',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
] as const

const frame = {
  from: Party,
  to: Party,
  internalTxType: Type.Enum([...internalTxTypes], { description: 'Kind of the call' }),
  value: amount('Coins moved, wei', 18),
  isReverted: Type.Boolean({ description: 'Whether the call, or one around it, was undone' }),
  gasUsed: decimal('Gas used by the call and those inside it'),
  gasLimit: decimal('Gas the call was given'),
}

/** Internal transaction inside a transaction. */
export const InternalTransactionDetails = Type.Object(frame, {
  $id: 'InternalTransactionDetails',
  additionalProperties: false,
})
/** Decoded {@link InternalTransactionDetails}. */
export type InternalTransactionDetails = Static<typeof InternalTransactionDetails>

/** Internal transaction with its place. */
export const InternalTransaction = Type.Object(
  { ...placementFields, ...frame },
  { $id: 'InternalTransaction', additionalProperties: false },
)
/** Decoded {@link InternalTransaction}. */
export type InternalTransaction = Static<typeof InternalTransaction>
