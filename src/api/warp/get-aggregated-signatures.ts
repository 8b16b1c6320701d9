/** Document A, operation 2. */

import { toHex } from '../../core/bytes.ts'
import { parseId } from '../../core/cb58.ts'
import { GetAggregatedSignatures } from '../../shape/warp/get-aggregated-signatures.ts'
import { operation, type Operation } from '../operation.ts'
import { aggregatorOf, type WarpParts } from './aggregators.ts'

/** The message of a transaction, signed. */
export function getAggregatedSignatures(parts: WarpParts): Operation {
  return operation(GetAggregatedSignatures, async ({ path, signal }) => {
    const { aggregator } = aggregatorOf(parts, path.network)
    const signed = await aggregator.aggregateTransaction(parseId(path.txHash), signal)
    return { body: { signedMessage: toHex(signed) } }
  })
}
