/** Document A, operation 1. */

import { toHex } from '../../core/bytes.ts'
import { AggregateSignatures } from '../../shape/warp/aggregate-signatures.ts'
import { parseRequest } from '../../warp/aggregation/request.ts'
import { operation, type Operation } from '../operation.ts'
import { aggregatorOf, knownNetworkId, type WarpParts } from './aggregators.ts'

/** The message of the body, signed. */
export function aggregateSignatures(parts: WarpParts): Operation {
  return operation(AggregateSignatures, async ({ path, body, signal }) => {
    // What is wrong with the request is told before what this deployment lacks.
    const request = parseRequest(body, knownNetworkId(parts, path.network))
    const { aggregator } = aggregatorOf(parts, path.network)
    const signed = await aggregator.aggregate(request, signal)
    return { body: { signedMessage: toHex(signed) } }
  })
}
