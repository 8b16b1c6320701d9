/** A log in a list. */

import type { Static } from 'typebox'

import { Type } from '../type.ts'
import { Decoded } from './decoded.ts'
import { address, decimal, hash, hex } from './scalars.ts'

/** A log, with its place, and in words where an ABI fits. */
export const Log = Type.Object(
  {
    blockNumber: decimal('Height of the block'),
    blockHash: hash('Hash of the block'),
    blockTimestamp: Type.Integer({ description: 'Unix seconds' }),
    txHash: hash('Hash of the transaction'),
    transactionIndex: Type.Integer({ description: 'Place of the transaction in the block' }),
    logIndex: Type.Integer({ description: 'Place among the logs of the block' }),
    address: address('Contract that logged it'),
    topic0: Type.Optional(hash('First topic, of most events the hash of their signature')),
    topic1: Type.Optional(hash('Second topic')),
    topic2: Type.Optional(hash('Third topic')),
    topic3: Type.Optional(hash('Fourth topic')),
    data: hex('Data'),
    removed: Type.Boolean({ description: 'always false: only accepted blocks are stored' }),
    decoded: Type.Optional(Decoded),
  },
  { $id: 'Log', additionalProperties: false },
)
/** Decoded {@link Log}. */
export type Log = Static<typeof Log>
