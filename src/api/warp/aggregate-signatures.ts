/** Document A, operation 1. */

import { toHex } from '../../core/bytes.ts'
import { AggregateSignatures } from '../../shape/warp/aggregate-signatures.ts'
import { parseRequest } from '../../warp/aggregation/request.ts'
import { operation, type Operation } from '../operation.ts'
import { aggregatorOf, type WarpParts } from './aggregators.ts'

/** The message of the body, signed. */
export function aggregateSignatures(parts: WarpParts): Operation {
  return operation(AggregateSignatures, async ({ path, body, signal }) => {
    const { aggregator, networkId } = aggregatorOf(parts, path.network)
    const signed = await aggregator.aggregate(parseRequest(body, networkId), signal)
    return { body: { signedMessage: toHex(signed) } }
  })
}
