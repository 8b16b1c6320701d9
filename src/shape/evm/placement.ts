/** Where a record lies: its block and transaction. */

import { Type } from '../type.ts'
import { decimal, hash } from './scalars.ts'

/** Fields of the block a record lies in. */
export const blockFields = {
  blockNumber: decimal('Height of the block'),
  blockTimestamp: Type.Integer({ description: 'Unix seconds' }),
  blockTimestampMilliseconds: Type.Optional(
    Type.Integer({ description: 'Unix milliseconds; only where the header has them' }),
  ),
  blockHash: hash('Hash of the block'),
}

/** Fields of the block and transaction a record lies in. */
export const placementFields = { ...blockFields, txHash: hash('Hash of the transaction') }
