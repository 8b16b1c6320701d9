/** Heads of chains, as long as they are fresh: an old one would pass for the newest there is. */

import type { Clock } from '../../core/world.ts'

// A source is asked for its head every few seconds, and it is told on every five.
const freshSeconds = 30

/** A stage as it was last told. */
type ToldStage = {
  /** Below 0 before a source told one. */
  readonly headHeight: number
  /** Unix seconds at which a source told it; absent before. */
  readonly headAt?: number | undefined
}

/** Knows the stages of chains; absent where this process does not index. */
type Stages = { readonly stage: (key: string, name: string) => ToldStage | undefined } | undefined

/**
 * Returns the head that a source lately reported for a stage of a chain; `undefined` where none
 * did.
 */
export function freshHeads(
  indexer: Stages,
  clock: Pick<Clock, 'now'>,
): (key: string, stage: string) => number | undefined {
  return (key, name) => {
    const stage = indexer?.stage(key, name)
    if (stage?.headAt === undefined) return undefined
    const age = clock.now() / 1_000 - stage.headAt
    return age > freshSeconds || stage.headHeight < 0 ? undefined : stage.headHeight
  }
}
