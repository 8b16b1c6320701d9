/** An aggregator whose requests and peers are counted. */

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Aggregator } from '../../warp/aggregator.ts'

const answerKinds = ['signed', 'cached', 'wrong', 'refused', 'silent'] as const

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
  const written = { signed: 0, cached: 0, wrong: 0, refused: 0, silent: 0 }
  gauges.onRead(() => {
    const { peers, counters } = aggregator.status()
    gauges.set('firn_warp_connected_peers', peers.connected, { network })
    const counted = { ...counters, signed: counters.signatures }
    for (const kind of answerKinds) {
      const news = counted[kind] - written[kind]
      written[kind] = counted[kind]
      gauges.add('firn_warp_answers_total', news, { network, kind })
    }
  })
  return {
    ...aggregator,
    aggregate: (request, signal) => measured(() => aggregator.aggregate(request, signal), signal),
    aggregateTransaction: (txId, signal) =>
      measured(() => aggregator.aggregateTransaction(txId, signal), signal),
  }
}
