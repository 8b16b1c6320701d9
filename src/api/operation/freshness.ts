/**
 * Freshness of an answer, and waiting until it is fresh enough.
 *
 * Which chain an operation answers about stands in its path. Its height is read before the answer,
 * so that the answer is complete at least up to it.
 */

import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { MaybePromise } from '../../store/engine/database.ts'

/** One chain as far as it is indexed. */
export type FreshChain = {
  /** Last height stored; below 0 before the first. */
  readonly indexedHeight: () => Promise<number>
  /** Unix seconds of the block at a height; `undefined` where it is not stored. */
  readonly timeOf: (height: number) => Promise<number | undefined>
  /** Newest height the source has; `undefined` where nobody reported it of late. */
  readonly headHeight: () => number | undefined
}

/** The chain that path values name; `undefined` where they name none, or one that is not served. */
export type FreshChainOf = (
  values: Readonly<Record<string, string | readonly string[] | undefined>>,
) => FreshChain | undefined

/** Finds the chains of an operation by its path; `undefined` where it is never about one chain. */
export type FreshChains = (path: string) => FreshChainOf | undefined

/** Values of the freshness headers. */
export type Freshness = {
  /** Below 0 before the first block. */
  readonly indexedHeight: number
  readonly indexedAt: number | undefined
  readonly headHeight: number | undefined
}

/** Longest a caller waits for a height. */
export const mostWaitMs = 2_000
// The time until a block is stored is some 100 ms: looking more often would gain nothing.
const lookEveryMs = 50
/** Callers that wait at once; each costs a timer and a seek every 50 ms. */
export const mostWaiting = 256

/** Reads how fresh answers of one chain are. */
export type FreshReader = {
  readonly read: (chain: FreshChain) => Promise<Freshness>
  /**
   * Waits until `height` is stored, {@link mostWaitMs} at most. Throws `not-ready` when it is not
   * by then, and `overloaded` when too many wait.
   */
  readonly reach: (chain: FreshChain, height: number, signal: AbortSignal) => Promise<void>
}

/** Makes a reader; how many wait is counted over all chains. */
export function createFreshReader(clock: Clock): FreshReader {
  let waiting = 0
  // The time of a height never changes.
  const times = new WeakMap<
    FreshChain,
    { readonly height: number; readonly time: number | undefined }
  >()
  const timeAt = (chain: FreshChain, height: number): MaybePromise<number | undefined> => {
    const known = times.get(chain)
    if (known?.height === height) return known.time
    return chain.timeOf(height).then((time) => {
      times.set(chain, { height, time })
      return time
    })
  }
  return {
    read: async (chain) => {
      const indexedHeight = await chain.indexedHeight()
      const head = chain.headHeight()
      return {
        indexedHeight,
        indexedAt: indexedHeight < 0 ? undefined : await timeAt(chain, indexedHeight),
        headHeight: head === undefined ? undefined : Math.max(head, indexedHeight),
      }
    },
    reach: async (chain, height, signal) => {
      if ((await chain.indexedHeight()) >= height) return
      if (waiting >= mostWaiting)
        throw new Fault('overloaded', `too many callers wait for a height: ${waiting}`)
      waiting++
      try {
        const until = clock.monotonic() + mostWaitMs
        while (clock.monotonic() < until) {
          await clock.sleep(lookEveryMs, signal)
          if ((await chain.indexedHeight()) >= height) return
        }
      } finally {
        waiting--
      }
      const reached = await chain.indexedHeight()
      throw new Fault('not-ready', `minHeight is not stored yet, only: ${reached}`, {
        detail: { reset: 1 },
      })
    },
  }
}

/** `minHeight` of a request. Throws `bad-parameter`. */
export function minHeightOf(query: Readonly<Record<string, unknown>>): number | undefined {
  const text = query['minHeight']
  if (text === undefined || text === '') return undefined
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text)
  throw new Fault('bad-parameter', 'minHeight must be a height, base 10')
}

/** Headers of an answer; the head is `unknown` rather than old. */
export function freshHeaders(fresh: Freshness): Readonly<Record<string, string>> {
  const { indexedHeight, indexedAt, headHeight } = fresh
  const headers: Record<string, string> = {}
  // A store without a block is complete up to nowhere, not up to genesis.
  if (indexedHeight >= 0) headers['x-indexed-height'] = String(indexedHeight)
  if (indexedAt !== undefined) headers['x-indexed-at'] = String(indexedAt)
  headers['x-head-height'] = headHeight === undefined ? 'unknown' : String(headHeight)
  return headers
}
