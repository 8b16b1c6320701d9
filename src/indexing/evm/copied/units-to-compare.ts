/** Blocks of a copied history in the order in which they are compared, some at a time. */

import { assert } from '../../../core/fault.ts'
import { sha256 } from '../../../core/hash.ts'
import type { HeightRange } from '../../../source/evm-source.ts'
import type { CopiedCheck, CopiedHistory } from '../../../store/copied-history.ts'

/** Limits of what is compared at once. */
export type UnitLimits = {
  /** Blocks that a read asks for at most. */
  readonly blocks: number
  readonly units: number
  /** Heights whose traces are compared. */
  readonly traced: HeightRange
}

/** Heights, half-open, all of them with traces to compare or none. */
export type Unit = HeightRange & { readonly isTraced: boolean }

/**
 * The next units of a check, ascending; none once all blocks that it compares were compared. Sampling
 * draws the heights of a piece anew for each call.
 */
export function nextUnits(copied: CopiedHistory, check: CopiedCheck, limits: UnitLimits): Unit[] {
  const units: Unit[] = []
  const { blocks, traced } = limits
  const isTraced = (height: number): boolean => height >= traced.from && height < traced.until
  for (const height of heightsFrom(copied, check, limits)) {
    const last = units.at(-1)
    const isNext = last?.until === height && last.until - last.from < blocks
    if (last !== undefined && isNext && last.isTraced === isTraced(height))
      units[units.length - 1] = { ...last, until: height + 1 }
    else if (units.length === limits.units) return units
    else units.push({ from: height, until: height + 1, isTraced: isTraced(height) })
  }
  return units
}

function* heightsFrom(
  copied: CopiedHistory,
  { percent, seed, next }: CopiedCheck,
  { blocks, units }: UnitLimits,
): Generator<number> {
  if (percent === 100) {
    const until = Math.min(copied.until, next + blocks * units)
    for (let height = next; height < until; height++) yield height
    return
  }
  for (const piece of piecesOf(copied).filter(({ until }) => until > next))
    for (const height of sampledHeights({ ...piece, percent, seed }))
      if (height >= next) yield height
}

/** The pieces that are sampled by themselves. */
function piecesOf({ from, ends }: CopiedHistory): HeightRange[] {
  return ends.map((until, at) => ({ from: ends[at - 1] ?? from, until }))
}

/** Blocks of a piece that are compared at least, besides its first and its last one. */
const leastSampled = 100

/** Part of a history that is sampled by itself, and how. */
type SampledPiece = HeightRange & {
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
