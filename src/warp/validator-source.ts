/**
 * Where validator sets come from: our node, and our own replay of the P-Chain where we have it.
 */

import { toHex, isZero } from '../core/bytes.ts'
import { Fault, faultOf } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import type { Log } from '../telemetry/log.ts'
import { isPChain } from './aggregation/request.ts'
import { Cache } from './cache.ts'
import type { Node, SubnetFacts } from './node.ts'
import { canonicalSet, equalSets, type ValidatorEntry, type ValidatorSet } from './validator-set.ts'

/** Validators, as the aggregation reads them. */
export type ValidatorSource = {
  /** The height that is proposed now: what `0` in a request means. */
  readonly proposedHeight: (signal: AbortSignal) => Promise<number>
  /**
   * The height with which the next block of a chain verifies messages; `undefined` where our node
   * does not run the chain, or there are no epochs yet.
   */
  readonly epochHeight: (chainId: Uint8Array, signal: AbortSignal) => Promise<number | undefined>
  /** The set of a subnet. Throws `bad-parameter` above the tip, `not-found` for no such subnet. */
  readonly validatorsAt: (
    subnetId: Uint8Array,
    height: number,
    signal: AbortSignal,
  ) => Promise<ValidatorSet>
  /** Subnet whose validators run a chain. Throws `not-found`. */
  readonly subnetOf: (chainId: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>
  /** Throws `not-found`. */
  readonly subnet: (subnetId: Uint8Array, signal: AbortSignal) => Promise<SubnetFacts>
  /** Nodes of an L1 that are about to fall out of the set: too little left to pay a moment more. */
  readonly underfunded: (subnetId: Uint8Array, signal: AbortSignal) => Promise<ReadonlySet<string>>
}

/** Validators as our own index has them; `undefined` where it does not reach. */
export type ReplayedValidators = (
  subnetId: Uint8Array,
  height: number,
  signal: AbortSignal,
) => Promise<readonly ValidatorEntry[] | undefined>

/** Least balance of a validator that is called. 2,048 nAVAX: four seconds at the lowest fee. */
export const leastBalance = 2_048n
/**
 * Returns whether a subnet is the primary network, which has the empty id. Source: utils/constants.
 */
export function isPrimaryNetwork(subnetId: Uint8Array): boolean {
  return isZero(subnetId)
}

/** Validators as the node gives them, cached as long as the answer holds. */
export function nodeValidators(node: Node, clock: Clock): ValidatorSource {
  // A set of 1,000 takes 300 KB: 256 of the largest are 80 MB, and most are small.
  const sets = new Cache<ValidatorSet>(clock, { maxEntries: 256 })
  const proposed = new Cache<number>(clock, { maxEntries: 1, keepMs: 2_000 })
  const subnetOfChain = new Cache<Uint8Array>(clock, { maxEntries: 4_096 })
  const l1s = new Cache<SubnetFacts>(clock, { maxEntries: 4_096 })
  const others = new Cache<SubnetFacts>(clock, { maxEntries: 4_096, keepMs: 60_000 })
  const poor = new Cache<ReadonlySet<string>>(clock, { maxEntries: 256, keepMs: 2_000 })
  const source: ValidatorSource = {
    proposedHeight: (signal) => proposed.get('', () => node.proposedHeight(signal)),
    epochHeight: async (chainId, signal) => {
      try {
        return await node.epochHeight(chainId, signal)
      } catch (error) {
        // A node answers 404 for a chain it does not run; one that is away is noticed by what
        // is requested next.
        if (signal.aborted || faultOf(error) === undefined) throw error
        return undefined
      }
    },
    validatorsAt: (subnetId, height, signal) =>
      sets.get(`${toHex(subnetId)}:${height}`, async () => {
        const tip = await node.height(signal)
        if (height > tip) {
          throw new Fault(
            'bad-parameter',
            `P-Chain height is above the last accepted one: ${height}`,
          )
        }
        return canonicalSet(await node.validatorsAt(subnetId, height, signal))
      }),
    subnetOf: async (chainId, signal) => {
      if (isPChain(chainId)) return new Uint8Array(32)
      return subnetOfChain.get(toHex(chainId), () => node.validatedBy(chainId, signal))
    },
    subnet: async (subnetId, signal) => {
      if (isPrimaryNetwork(subnetId)) {
        return { isL1: false, conversionId: undefined, managerChainId: undefined }
      }
      const hex = toHex(subnetId)
      const known = l1s.peek(hex)
      if (known !== undefined) return known
      const facts = await others.get(hex, () => node.subnet(subnetId, signal))
      // A conversion cannot be undone; the lack of one can.
      if (facts.isL1) l1s.put(hex, facts)
      return facts
    },
    underfunded: async (subnetId, signal) => {
      if (!(await source.subnet(subnetId, signal)).isL1) return new Set()
      return poor.get(toHex(subnetId), async () => {
        const balances = await node.l1Balances(subnetId, signal)
        const unpaid = balances.filter(({ balance }) => balance < leastBalance)
        return new Set(unpaid.map(({ nodeId }) => nodeId))
      })
    },
  }
  return source
}

/**
 * Validators of the node, compared with our own replay wherever that reaches.
 *
 * They must agree. Where they do not, the node's set is used, since its network will judge the
 * message, and the difference is logged as an error: our index is wrong. Where the node cannot be
 * reached, the replayed set is used.
 */
export function comparedValidators(
  node: ValidatorSource,
  replayed: ReplayedValidators,
  log: Log,
): ValidatorSource {
  return {
    ...node,
    validatorsAt: async (subnetId, height, signal) => {
      const own = await replayed(subnetId, height, signal)
      const ownSet = own === undefined ? undefined : canonicalSet(own)
      try {
        const set = await node.validatorsAt(subnetId, height, signal)
        if (ownSet !== undefined && !equalSets(set, ownSet)) {
          log.error('validator-sets-differ', { subnetId: toHex(subnetId), height })
        }
        return set
      } catch (error) {
        const away = error instanceof Fault && error.code === 'node-unreachable'
        if (ownSet === undefined || !away) throw error
        log.warn('validator-set-replayed', { subnetId: toHex(subnetId), height })
        return ownSet
      }
    },
  }
}
