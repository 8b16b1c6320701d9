/** An aggregator whose requests and peers are counted. */

import { faultOf } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import type { Gauges } from '../telemetry/gauges.ts'
import type { Aggregator } from '../warp/aggregator.ts'

/** `aggregator` as it is, written down in `gauges` under `network`. */
export function measuredAggregator(
  aggregator: Aggregator,
  network: string,
  { gauges, clock }: { readonly gauges: Gauges; readonly clock: Clock },
): Aggregator {
  const measured = async (
    work: () => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Uint8Array> => {
    const startedAt = clock.monotonic()
    let outcome = 'signed'
    try {
      return await work()
    } catch (error) {
      outcome = signal.aborted ? 'aborted' : (faultOf(error)?.code ?? 'internal')
      throw error
    } finally {
      gauges.add('firn_warp_requests_total', 1, { network, outcome })
      const seconds = (clock.monotonic() - startedAt) / 1_000
      gauges.observe('firn_warp_request_seconds', seconds, { network })
    }
  }
  gauges.onRead(() => {
    gauges.set('firn_warp_connected_peers', aggregator.status().peers.connected, { network })
  })
  return {
    ...aggregator,
    aggregate: (request, signal) => measured(() => aggregator.aggregate(request, signal), signal),
    aggregateTransaction: (txId, signal) =>
      measured(() => aggregator.aggregateTransaction(txId, signal), signal),
  }
}
