/** What a soak found: one line a kind of harm. */

/**
 * How often a kind was tried and how often it ended badly.
 *
 * `bad`: a wrong row or answer without a sign, a crash, a silence. `unseen`: forgeries that no check
 * can see, told apart because the guide names them.
 */
export type Outcome = {
  readonly kind: string
  readonly tries: number
  readonly bad: number
  readonly unseen?: number
  /** Of the first bad one, enough to have it again. */
  readonly first?: string
}

/** One part of the soak. `share`: of the whole number of tries, above 0 up to 1. */
export type SoakPart = (share: number) => AsyncGenerator<Outcome>

/** Tries of a part at `share` of `whole`: at least one. */
export function triesOf(whole: number, share: number): number {
  return Math.max(1, Math.round(whole * share))
}

/** A row of the table in the guide. */
export function line({ kind, tries, bad, unseen = 0, first }: Outcome): string {
  const cells = [kind.padEnd(52), String(tries).padStart(9), String(bad).padStart(5)]
  const seen = unseen === 0 ? '' : ` (${unseen} unseen)`
  return `| ${cells.join(' | ')} |${seen}${first === undefined ? '' : ` first: ${first}`}`
}

/** Draws in [0, 1) from a seed, so that every run does the same. */
export function drawsOf(seed: number): () => number {
  let state = (seed * 7_919) % 2_147_483_647 || 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
