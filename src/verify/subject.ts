/** All that is common to every check of a primary network. */

import type { ServedNetwork } from '../api/primary/network/networks.ts'
import type { NodeApi } from '../source/primary/node-api.ts'
import type { PrimaryChain } from '../store/schema/primary/position.ts'
import type { Heights } from './heights.ts'
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
  /** Chains whose present state it reads: none where it asks only for what never changes. */
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
