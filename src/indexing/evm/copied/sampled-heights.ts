/**
 * Heights of a copied history that are compared with the node.
 *
 * They follow from a seed that this process drew after it had the copy, so nobody who alters a copy knows
 * which blocks will be looked at.
 */

import { assert } from '../../../core/fault.ts'
import { sha256 } from '../../../core/hash.ts'
import type { HeightRange } from '../../../source/evm-source.ts'

/** Blocks of a piece that are compared at least, besides its first and its last one. */
const leastSampled = 100

/** Part of a history that is sampled by itself, and how. */
export type SampledPiece = HeightRange & {
  /** Blocks of each hundred, 1 to 99. */
  readonly percent: number
  /** Hex. */
  readonly seed: string
}

/**
 * Heights of a piece that are compared, ascending: the first and the last one, and of those between
 * {@link innerSample} of them, each as likely as any other.
 */
export function sampledHeights({ from, until, percent, seed }: SampledPiece): number[] {
  const inner = Math.max(0, until - from - 2)
  const wanted = innerSample({ from, until }, percent)
  const draw = drawing(`${seed} ${from}`)
  const chosen = new Set<number>()
  // Floyd's algorithm: as many draws as heights, each set of heights as likely as any other.
  for (let most = inner - wanted; most < inner; most++) {
    const at = Math.floor(draw() * (most + 1))
    chosen.add(from + 1 + (chosen.has(from + 1 + at) ? most : at))
  }
  const ends = from + 1 < until ? [from, until - 1] : [from]
  return [...chosen, ...ends].toSorted((a, b) => a - b)
}

/** Number of blocks between the first and the last one of a piece that are compared. */
export function innerSample({ from, until }: HeightRange, percent: number): number {
  const inner = Math.max(0, until - from - 2)
  return Math.min(inner, Math.max(leastSampled, Math.ceil((inner * percent) / 100)))
}

/** Numbers in [0, 1) that follow from a text, each as likely as any other. */
function drawing(text: string): () => number {
  let count = 0
  return () => {
    const bytes = Buffer.from(sha256(Buffer.from(`${text} ${count++}`)))
    assert(bytes.length === 32, 'a hash has 32 bytes')
    return bytes.readUIntBE(0, 6) / 2 ** 48
  }
}
