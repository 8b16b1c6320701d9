/** Document A, operation 2: the signed message of a P-Chain transaction about an L1. */

import { NetworkName } from '../primary/parameters.ts'
import { Type } from '../type.ts'
import { aggregationTimeoutMs, SignedMessage } from './aggregate-signatures.ts'

/** Document A, operation 2. */
export const GetAggregatedSignatures = {
  id: 'getAggregatedSignatures',
  method: 'GET',
  path: '/v1/signatureAggregator/{network}/aggregateSignatures/{txHash}',
  summary: 'What the P-Chain says about an L1 transaction, signed for the L1’s validator manager',
  tag: 'Signature Aggregator',
  weight: 20,
  timeoutMs: aggregationTimeoutMs,
  parameters: {
    path: Type.Object({
      network: NetworkName,
      txHash: Type.String({ description: 'Transaction id, cb58 or hex', maxLength: 128 }),
    }),
    query: Type.Object({}),
  },
  response: SignedMessage,
} as const
