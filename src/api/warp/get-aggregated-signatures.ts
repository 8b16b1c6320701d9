/** Document A, operation 2: the signed message of a P-Chain transaction about an L1. */

import { toHex } from '../../core/bytes.ts'
import { parseId } from '../../core/cb58.ts'
import { NetworkName } from '../../shape/primary/parameters.ts'
import { Type } from '../../shape/type.ts'
import { aggregationTimeoutMs, SignedMessage } from '../../shape/warp/signed-message.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { aggregatorOf, type WarpContext } from './aggregators.ts'

const GetAggregatedSignatures = {
  id: 'getAggregatedSignatures',
  method: 'GET',
  path: '/v1/signatureAggregator/{network}/aggregateSignatures/{txHash}',
  summary: 'Message of the P-Chain about an L1 transaction, signed for the L1’s validator manager',
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

/** The message of a transaction, signed. */
export function getAggregatedSignatures(context: WarpContext): Operation {
  return operation(GetAggregatedSignatures, async ({ path, signal }) => {
    const { aggregator } = aggregatorOf(context, path.network)
    const signed = await aggregator.aggregateTransaction(parseId(path.txHash), signal)
    return { body: { signedMessage: toHex(signed) } }
  })
}
