/** Which networks signatures are aggregated for. */

import { Fault } from '../../core/fault.ts'
import { type Network, networkNames, networkOf } from '../../core/network.ts'
import type { Aggregator } from '../../warp/aggregator.ts'

/** An aggregator and the network it asks. */
export type ServedAggregator = { readonly networkId: number; readonly aggregator: Aggregator }

/** What the operations need. */
export type WarpParts = {
  readonly aggregators: Readonly<Partial<Record<Network, ServedAggregator>>>
}

/** The aggregator of a network by the caller's word. Throws `not-found`. */
export function aggregatorOf(
  { aggregators }: WarpParts,
  name: (typeof networkNames)[number],
): ServedAggregator {
  const found = aggregators[networkOf(name)]
  if (found === undefined) {
    throw new Fault('not-found', `signatures are not aggregated for this network here: ${name}`)
  }
  return found
}
