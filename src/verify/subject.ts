/** All that is common to every check of a primary network. */

import type { ServedNetwork } from '../api/primary/network/networks.ts'
import { type NodeApi, nodePaths } from '../source/primary/node-api.ts'
import { integerIn } from '../source/rpc/node-text.ts'
import { checkpointHeights } from '../store/checkpoint.ts'
import type { Reader } from '../store/engine/database.ts'
import type { PrimaryChain } from '../store/schema/primary/position.ts'
import type { Report } from './report.ts'

/** Store and node side by side. */
export type Subject = {
  readonly network: ServedNetwork
  readonly node: NodeApi
  readonly signal: AbortSignal
  /** Most addresses, stakers and heights a sampled check looks at. */
  readonly sample: number
}

/** One try of a part. */
export type Attempt = {
  /** Counts only when no block came meanwhile. */
  readonly report: Report
  /** Store and node are both there, on the chains of the part. */
  readonly heights: Heights
  /** Unix seconds by which the node judges locks. */
  readonly now: number
}

/** A part of the comparison, short enough to fit between two blocks. */
export type Part = {
  /** Subject of the comparison; several parts can have one name. */
  readonly name: string
  /** Chains whose present state it reads: none where it reads only what never changes. */
  readonly chains: readonly PrimaryChain[]
  readonly compare: (attempt: Attempt) => Promise<void>
}

/** Reads anew when the height of the P-Chain is another than at the last time. */
export function oncePerHeight<T>(read: () => Promise<T>): (heights: Heights) => Promise<T> {
  let held: { readonly height: number; readonly value: Promise<T> } | undefined
  return (heights) => {
    if (held?.height !== heights.P) held = { height: heights.P, value: read() }
    return held.value
  }
}

/** Items of `list` in parts of at most `size`. */
export function inParts<T>(list: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size))
  return parts
}

/** At most `count` of `list`, spread evenly, first and last included. */
export function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list]
  const step = (list.length - 1) / Math.max(1, count - 1)
  return Array.from({ length: count }, (_, at) => list[Math.round(at * step)]).filter(
    (item) => item !== undefined,
  )
}

// Heights of store and node.

/** Heights by chain; -1 before the first block. */
export type Heights = Readonly<Record<PrimaryChain, number>>

/** Last heights committed. Chains without a block that matters to us are at 0. */
export async function storedHeights(store: Reader): Promise<Heights> {
  const stages = await checkpointHeights(store)
  return { P: stages.get('P') ?? -1, X: stages.get('X') ?? -1, C: stages.get('C') ?? 0 }
}

/** Last heights the node has accepted, of `chains` only: the others are -1. */
export async function acceptedHeights(
  node: NodeApi,
  chains: readonly PrimaryChain[],
  signal: AbortSignal,
): Promise<Heights> {
  const heights = { P: -1, X: -1, C: -1 }
  for (const chain of chains) heights[chain] = await heightOf[chain](node, signal)
  return heights
}

const heightOf: Readonly<
  Record<PrimaryChain, (node: NodeApi, signal: AbortSignal) => Promise<number>>
> = {
  P: async (node, signal) =>
    integerIn(await node.call(nodePaths.P, 'platform.getHeight', {}, signal), 'height'),
  X: async (node, signal) =>
    integerIn(await node.call(nodePaths.X, 'avm.getHeight', {}, signal), 'height'),
  C: async (node, signal) => {
    const [number] = await node.callEvm([{ method: 'eth_blockNumber', params: [] }], signal)
    return integerIn({ number }, 'number')
  },
}

/** Returns whether both are the same on all of `chains`. */
export function areEqual(one: Heights, other: Heights, chains: readonly PrimaryChain[]): boolean {
  return chains.every((chain) => one[chain] === other[chain])
}
