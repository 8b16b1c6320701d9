/** Networks for which signatures are aggregated. */

import { Fault } from '../../core/fault.ts'
import { type Network, networkNames, networkOf } from '../../core/network.ts'
import type { Aggregator } from '../../warp/aggregator.ts'

/** An aggregator and the network it uses. */
export type ServedAggregator = {
  readonly networkId: number
  readonly aggregator: Pick<Aggregator, 'aggregate' | 'aggregateTransaction'>
}

/** One that was opened here. */
export type OpenAggregator = ServedAggregator & { readonly aggregator: Aggregator }

/** Aggregators by network; `opening` until the network's node was heard for the first time. */
export type ServedAggregators = {
  readonly [name in Network]?: ServedAggregator | 'opening' | undefined
}

/** All that the operations use. */
export type WarpContext = { readonly aggregators: ServedAggregators }

/** The aggregator of a network by the caller's word. Throws `not-found`, `not-served`. */
export function aggregatorOf(
  { aggregators }: WarpContext,
  name: (typeof networkNames)[number],
): ServedAggregator {
  const found = aggregators[networkOf(name)]
  if (found === undefined) {
    throw new Fault('not-found', `signatures are not aggregated for this network here: ${name}`)
  }
  if (found === 'opening') {
    throw new Fault('not-served', `the node of this network has not answered yet: ${name}`)
  }
  return found
}

/** The id of a network, once it is known. */
export function knownNetworkId(
  { aggregators }: WarpContext,
  name: (typeof networkNames)[number],
): number | undefined {
  const found = aggregators[networkOf(name)]
  return typeof found === 'object' ? found.networkId : undefined
}
