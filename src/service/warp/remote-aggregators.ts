/**
 * Signature aggregators of the main thread, called from the other threads that answer: one process
 * has one identity and one connection to each validator.
 */

import type { ServedAggregator } from '../../api/icm/aggregators.ts'
import { assert } from '../../core/fault.ts'
import type { Network } from '../../core/network.ts'
import { unlessAborted } from '../../core/waiting.ts'
import type { Call } from '../../indexing/stream/port-call.ts'
import type { AggregationRequest } from '../../warp/aggregation/request.ts'
import type { Aggregators } from './aggregators.ts'

/** Facts about the aggregators that every answering thread has without a call. */
export type AggregatorReport = {
  /** Ids of the networks with an aggregator; `opening` until the node was heard. */
  readonly networks: Readonly<Partial<Record<Network, number | 'opening'>>>
  readonly nodeId: string | undefined
}

/** Reports of the main thread for {@link answerAggregations}. */
export function aggregatorReport({ byNetwork, nodeId }: Aggregators): AggregatorReport {
  const networks = Object.entries(byNetwork).map(([network, served]) => [
    network,
    typeof served === 'object' ? served.networkId : served,
  ])
  return { networks: Object.fromEntries(networks), nodeId: nodeId() }
}

/** Handlers of calls for the threads' questions. */
export function answerAggregations(
  aggregators: Aggregators,
): Readonly<Record<'aggregate' | 'abort', (argument: unknown) => Promise<unknown>>> {
  const underWay = new Map<number, AbortController>()
  return {
    aggregate: async (argument) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by remoteAggregators
      const question = argument as { readonly id: number; readonly network: Network } & (
        | { readonly request: AggregationRequest }
        | { readonly txId: Uint8Array }
      )
      const served = aggregators.byNetwork[question.network]
      assert(typeof served === 'object', 'a thread calls only networks that it knows')
      const aborting = new AbortController()
      underWay.set(question.id, aborting)
      try {
        return 'txId' in question
          ? await served.aggregator.aggregateTransaction(question.txId, aborting.signal)
          : await served.aggregator.aggregate(question.request, aborting.signal)
      } finally {
        underWay.delete(question.id)
      }
    },
    abort: async (id) => underWay.get(Number(id))?.abort(),
  }
}

/** The main thread's aggregators as `report` has them, called by `call`. */
export function remoteAggregators(call: Call, report: () => AggregatorReport): Aggregators {
  let last = 0
  const request = async (
    network: Network,
    what: { readonly request: AggregationRequest } | { readonly txId: Uint8Array },
    signal: AbortSignal,
  ): Promise<Uint8Array> => {
    signal.throwIfAborted()
    const id = ++last
    try {
      const signed = await unlessAborted(call('aggregate', { id, network, ...what }), signal)
      assert(signed instanceof Uint8Array, 'aggregators give bytes')
      return signed
    } catch (error) {
      if (signal.aborted) void call('abort', id)
      throw error
    }
  }
  const served = (network: Network): ServedAggregator | 'opening' | undefined => {
    const networkId = report().networks[network]
    if (networkId === undefined || networkId === 'opening') return networkId
    const aggregator = {
      aggregate: (body: AggregationRequest, signal: AbortSignal) =>
        request(network, { request: body }, signal),
      aggregateTransaction: (txId: Uint8Array, signal: AbortSignal) =>
        request(network, { txId }, signal),
    }
    return { networkId, aggregator }
  }
  return {
    byNetwork: {
      get mainnet() {
        return served('mainnet')
      },
      get fuji() {
        return served('fuji')
      },
    },
    nodeId: () => report().nodeId,
    close: () => Promise.resolve(),
  }
}
