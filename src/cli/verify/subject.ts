/** What every check of a primary network works with. */

import type { ServedNetwork } from '../../api/primary/network-directory.ts'
import { Fault } from '../../core/fault.ts'
import type { NodeApi, Reply } from '../../source/primary/node-api.ts'
import type { Report } from './report.ts'

/** Store and node side by side, at one height. */
export type Subject = {
  readonly network: ServedNetwork
  readonly node: NodeApi
  readonly report: Report
  readonly signal: AbortSignal
  /** Unix seconds by which the node judges locks. */
  readonly now: number
  /** Most addresses, stakers and heights a sampled check looks at. */
  readonly sample: number
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

/** A JSON object of a reply. Throws `node-answer`. */
export function objectIn(value: unknown): Reply {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON object
    return value as Reply
  }
  throw new Fault('node-answer', 'a node’s answer holds something that is no object')
}
