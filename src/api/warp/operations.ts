/** Document A, operations 1 and 2. */

import type { DialectRules } from '../dialect.ts'
import type { Operation } from '../operation.ts'
import { aggregateSignatures } from './aggregate-signatures.ts'
import type { WarpParts } from './aggregators.ts'
import { getAggregatedSignatures } from './get-aggregated-signatures.ts'

/** Both of them. */
export function warpOperations(parts: WarpParts): Operation[] {
  return [aggregateSignatures(parts), getAggregatedSignatures(parts)]
}

/** The official clients take only 201 for success here; the document says 200. */
export const warpDialectRules: DialectRules = {
  aggregateSignatures: { sdkStatus: 201 },
  getAggregatedSignatures: { sdkStatus: 201 },
}
