/**
 * Progress of a chain over all of its stages, as terminal, `/status` and explorer show it.
 *
 * Stages follow one another over the same blocks, so the share of one of them would jump back when
 * the next begins; here each counts by the work its heights take.
 */

import type { StageStatus } from './stage.ts'

/** Progress of a chain. */
export type Overall = {
  /** 0 to 1, of the work of all stages; 1 only when all are done. Never less than before. */
  readonly share: number
  /** Stage with the longest way to go; absent when none is under way. */
  readonly stage?: string
  /** Until the slowest stage is done; absent when that is not known. */
  readonly etaSeconds?: number | undefined
}

/**
 * Work of a height by stage, as an estimate: traces take about as long as blocks and receipts, names
 * of tokens a twentieth; a height of P mostly holds one transaction, one of C seldom any.
 */
const work = new Map([
  ['blocks', 20],
  ['traces', 20],
  ['tokens', 1],
  ['nfts', 1],
  ['copied', 1],
  ['P', 3],
  ['X', 2],
  ['C', 1],
  ['messages', 1],
])

/** Progress over the stages of a chain, as they are now. */
export function overallOf(stages: readonly StageStatus[]): Overall {
  // Stages that are off or stopped, or that follow no blocks, are not waited for.
  const counted = stages.filter(
    ({ stage, state }) => work.has(stage) && (state === 'syncing' || state === 'live'),
  )
  // A stage that has not begun has as many blocks to go as the others.
  const known = Math.max(-1, ...counted.map(({ headHeight }) => headHeight))
  let done = 0
  let all = 0
  for (const { stage, state, indexedHeight, headHeight } of counted) {
    const size = (work.get(stage) ?? 1) * ((headHeight < 0 ? known : headHeight) + 1)
    const part = headHeight < 0 ? 0 : (Math.max(-1, indexedHeight) + 1) / (headHeight + 1)
    all += size
    done += size * (state === 'live' ? 1 : Math.min(1, part))
  }
  const moving = counted.filter(({ state }) => state === 'syncing')
  const [slowest] = moving.toSorted((a, b) => left(b) - left(a))
  if (slowest === undefined) return { share: counted.length === 0 ? 0 : 1 }
  const etaSeconds = left(slowest)
  return {
    // Below 1 while anything is left, however little.
    share: all === 0 ? 0 : Math.min(0.999, done / all),
    stage: slowest.stage,
    etaSeconds: Number.isFinite(etaSeconds) ? etaSeconds : undefined,
  }
}

/** Seconds a stage still takes; endless while that is not known. */
function left({ etaSeconds, indexedHeight, headHeight }: StageStatus): number {
  const stands = etaSeconds === undefined || (etaSeconds === 0 && indexedHeight < headHeight)
  return stands ? Infinity : etaSeconds
}

/** Progress of many chains that only grows, until a chain was done: then it begins anew. */
export class SteadyProgress {
  readonly #most = new Map<string, number>()

  /** Progress of the chain `key`, never less than what was shown before. */
  of(key: string, stages: readonly StageStatus[]): Overall {
    const now = overallOf(stages)
    const share = Math.max(now.share, this.#most.get(key) ?? 0)
    // A chain that was live and fell behind has a new distance to go.
    if (now.share === 1) this.#most.delete(key)
    else this.#most.set(key, share)
    return { ...now, share }
  }
}
