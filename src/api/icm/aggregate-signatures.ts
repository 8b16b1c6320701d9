/** Document A, operation 1: validators' signatures for a Warp message. */

import { toHex } from '../../core/bytes.ts'
import { parseId } from '../../core/cb58.ts'
import { Signatures } from '../../shape/operations/signatures.ts'
import { parseRequest } from '../../warp/aggregation/request.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { aggregatorOf, knownNetworkId, type WarpContext } from './aggregators.ts'

/** The message of the body, signed. */
export function aggregateSignatures(context: WarpContext): Operation<'aggregateSignatures'> {
  return operation(Signatures.aggregateSignatures, async ({ path, body, signal }) => {
    // A wrong request is reported before a missing aggregator.
    const request = parseRequest(body, knownNetworkId(context, path.network))
    const { aggregator } = aggregatorOf(context, path.network)
    const signed = await aggregator.aggregate(request, signal)
    return { body: { signedMessage: toHex(signed) } }
  })
}

/** The message of a transaction, signed. */
export function getAggregatedSignatures(
  context: WarpContext,
): Operation<'getAggregatedSignatures'> {
  return operation(Signatures.getAggregatedSignatures, async ({ path, signal }) => {
    const { aggregator } = aggregatorOf(context, path.network)
    const signed = await aggregator.aggregateTransaction(parseId(path.txHash), signal)
    return { body: { signedMessage: toHex(signed) } }
  })
}
