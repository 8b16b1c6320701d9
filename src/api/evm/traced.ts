/** Headers of answers that are made from traces. */

import { type StoredHeights, storedHeights } from '../../store/query/evm/heights.ts'
import type { ServedChain } from '../operation/chain-directory.ts'

/** Headers of such an answer; `x-indexed-height` as everywhere. */
export type TracedHeaders = {
  readonly indexedHeight?: number | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** Up to which height blocks and traces of a chain are complete. */
export async function tracedHeaders(chain: ServedChain): Promise<TracedHeaders> {
  const heights = await storedHeights(chain.store)
  return {
    indexedHeight: heights.blocks < 0 ? undefined : heights.blocks,
    headers: { 'x-traces-indexed-height': tracedText(chain, heights) },
  }
}

/**
 * `1210`: complete up to there. `4096-1210000`: complete between these. `none`: there are none, and
 * internal transactions are not known.
 */
export function tracedText({ wantsTraces }: ServedChain, heights: StoredHeights): string {
  if (!wantsTraces || heights.traces < 0) return 'none'
  const from = heights.tracesSince === undefined ? '' : `${heights.tracesSince}-`
  return `${from}${heights.traces}`
}
