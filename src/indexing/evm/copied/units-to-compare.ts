/** Blocks of a copied history in the order in which they are compared, some at a time. */

import type { HeightRange } from '../../../source/evm-source.ts'
import type { CopiedCheck, CopiedHistory } from '../../../store/copied-history.ts'
import { sampledHeights } from './sampled-heights.ts'

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
