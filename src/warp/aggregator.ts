/**
 * Warp signature aggregation: requests signatures of a message from the validators of a subnet and
 * puts their signatures together. Document A, operations 1 and 2.
 *
 * It holds no key of a validator and decides nothing: what comes out was verified against the
 * validator set, or does not come out.
 */

import { Fault } from '../core/fault.ts'
import type { PoolStatus } from '../peer/pool.ts'
import type { CollectCounters } from './aggregation/collect-task.ts'
import type { AggregationRequest } from './aggregation/request.ts'
import { SharedWork } from './aggregation/shared-work.ts'
import { Cache } from './cache.ts'
import { gatherFromPeers, type GatherOptions } from './gather.ts'
import { keyOfPlan, type Plan, planOf, type PlanOptions, transactionRequest } from './plan.ts'

/** Gathers signatures for one network. */
export type Aggregator = {
  /**
   * Operation 1: the signed message.
   *
   * Throws `bad-parameter`, `not-found`, `quorum-not-reached`, `overloaded`, faults of the node,
   * or the signal's reason.
   */
  readonly aggregate: (request: AggregationRequest, signal: AbortSignal) => Promise<Uint8Array>
  /** Operation 2: the signed message of a P-Chain transaction. Throws `no-message` as well. */
  readonly aggregateTransaction: (txId: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>
  readonly status: () => AggregatorStatus
  readonly close: () => Promise<void>
}

/** State for operators. `nodeId` is the id that a private L1 must allow. */
export type AggregatorStatus = {
  readonly nodeId: string
  readonly peers: PoolStatus
  readonly running: number
  readonly counters: Readonly<CollectCounters>
}

/** All that an aggregator works with. */
export type AggregatorOptions = GatherOptions &
  PlanOptions & {
    /** P-Chain blocks by which a caller may go back for the validators; 0: to the first. */
    readonly maxLookback: number
  }

// A collection of 1,000 validators holds a megabyte; 64 of them and 256 in line are plenty.
const maxRunning = 64
const maxWaiting = 256
/** A signed message is good for ever, but a repeated request may deserve fresh signers. */
const keepMs = 60_000
const maxKept = 1_024

/**
 * An aggregator over `parts`, which are its own from now on: `close` closes the pool.
 */
export function createAggregator(options: AggregatorOptions): Aggregator {
  const counters = { asked: 0, signatures: 0, cached: 0, wrong: 0, refused: 0, silent: 0 }
  const gather = gatherFromPeers(options, counters)
  const shared = new SharedWork<Uint8Array>({ maxRunning, maxWaiting })
  const kept = new Cache<Uint8Array>(options.world.clock, { maxEntries: maxKept, keepMs })

  const aggregatePlan = (plan: Plan, signal: AbortSignal): Promise<Uint8Array> => {
    const key = keyOfPlan(plan)
    const done = kept.peek(key)
    if (done !== undefined) return Promise.resolve(done)
    const work = async (jobSignal: AbortSignal): Promise<Uint8Array> => {
      const signed = await gather(plan, jobSignal)
      kept.put(key, signed)
      return signed
    }
    return shared.do(key, work, signal)
  }

  return {
    aggregate: async (request, signal) => {
      await checkLookback(options, request.height, signal)
      return aggregatePlan(await planOf(options, request, signal), signal)
    },
    aggregateTransaction: async (txId, signal) => {
      const request = await transactionRequest(options, txId, signal)
      return aggregatePlan(await planOf(options, request, signal), signal)
    },
    status: () => ({
      nodeId: options.nodeId,
      peers: options.pool.status(),
      running: shared.size,
      counters: { ...counters },
    }),
    close: async () => {
      shared.close()
      await options.pool.close()
    },
  }
}

/** A node works its way back from the tip: the further, the longer it is busy. */
async function checkLookback(
  { validators, maxLookback }: AggregatorOptions,
  height: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (height === undefined || maxLookback === 0) return
  const lookback = (await validators.proposedHeight(signal)) - height
  if (lookback <= maxLookback) return
  throw new Fault(
    'bad-parameter',
    `pChainHeight is more than ${maxLookback} below the proposed height: ${height}`,
  )
}
