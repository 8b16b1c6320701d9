/** What a soak found: one line a kind of harm, which later runs may add to. */

/**
 * What was tried of a kind since the last outcome of it, and how much of that ended badly.
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
  /** Where the next try begins, where that is not the number of tries: a seed, or a round. */
  readonly next?: number
  /** What was measured; the newest counts. */
  readonly note?: string
  /** `tries` is no count but the largest value that was seen. */
  readonly isLargest?: true
}

/** What a part is to do. */
export type SoakPlan = {
  /** Of the whole number of tries, above 0 up to 1. */
  readonly share: number
  /** All that was tried of a kind so far, by this run and those that it continues. */
  readonly soFar: (kind: string) => Outcome
}

/** What one step tried. */
export type Step = readonly Outcome[]

/** One part of the soak, in steps of some seconds, so that a run can end between any two. */
export type SoakPart = (plan: SoakPlan) => AsyncGenerator<Step>

/** Tries of a part at `share` of `whole`: at least one. */
export function triesOf(whole: number, share: number): number {
  return Math.max(1, Math.round(whole * share))
}

/** Nothing tried yet. */
export function nothing(kind: string): Outcome {
  return { kind, tries: 0, bad: 0 }
}

/** Both together. */
export function joined(before: Outcome, more: Outcome): Outcome {
  const { tries, bad, unseen = 0, first } = before
  const all = more.isLargest === true ? Math.max(tries, more.tries) : tries + more.tries
  const sum = { ...before, ...more, tries: all, bad: bad + more.bad }
  const told = first === undefined ? sum : { ...sum, first }
  return unseen + (more.unseen ?? 0) === 0 ? told : { ...told, unseen: unseen + (more.unseen ?? 0) }
}

const kindWidth = 62

/** The table of all outcomes; cells of the last column are numbers only where something is unseen. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const row = (...[kind = '', ...numbers]: readonly string[]): string =>
    `| ${[kind.padEnd(kindWidth), ...numbers.map((one) => one.padStart(9))].join(' | ')} |`
  const rule = `| ${'-'.repeat(kindWidth)} | ${Array(3).fill('-'.repeat(9)).join(' | ')} |`
  return [row('kind', 'tries', 'bad', 'unseen'), rule, ...outcomes.map(line)].join('\n')

  function line({ kind, tries, bad, unseen, first, note }: Outcome): string {
    const name = note === undefined ? kind : `${kind}: ${note}`
    const cells = [String(tries), String(bad), unseen === undefined ? '' : String(unseen)]
    return `${row(name, ...cells)}${first === undefined ? '' : ` first: ${first}`}`
  }
}

/** Draws in [0, 1) from a seed, so that every run does the same. */
export function drawsOf(seed: number): () => number {
  let state = (seed * 7_919) % 2_147_483_647 || 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
