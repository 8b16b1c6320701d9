/** Counts what was compared and keeps every difference. */

/** One thing the store and the node do not agree on. */
export type Difference = {
  readonly check: string
  readonly subject: string
  readonly ours: string
  readonly theirs: string
}

/** A verification under way. */
export type Report = {
  /** Compares two values by their text. */
  readonly compare: (check: string, subject: string, ours: unknown, theirs: unknown) => void
  /** Compares two sets of texts, naming what only one of them has. */
  readonly compareSets: (
    check: string,
    subject: string,
    ours: Iterable<string>,
    theirs: Iterable<string>,
  ) => void
  /** Says that a check could not be made, and why. */
  readonly skip: (check: string, reason: string) => void
  /** Takes over what another one holds. */
  readonly add: (other: Report) => void
  readonly counts: () => ReadonlyMap<string, number>
  readonly differences: () => readonly Difference[]
  readonly skipped: () => ReadonlyMap<string, string>
}

/** An empty report. */
export function newReport(): Report {
  const counts = new Map<string, number>()
  const differences: Difference[] = []
  const skipped = new Map<string, string>()
  const count = (check: string): void => {
    counts.set(check, (counts.get(check) ?? 0) + 1)
  }
  const compare: Report['compare'] = (check, subject, ours, theirs) => {
    count(check)
    if (textOf(ours) !== textOf(theirs))
      differences.push({ check, subject, ours: textOf(ours), theirs: textOf(theirs) })
  }
  const compareSets: Report['compareSets'] = (check, subject, ours, theirs) => {
    const left = new Set(ours)
    const right = new Set(theirs)
    for (const item of new Set([...left, ...right])) {
      count(check)
      if (left.has(item) !== right.has(item)) {
        const has = (side: ReadonlySet<string>): string => (side.has(item) ? item : 'missing')
        differences.push({ check, subject, ours: has(left), theirs: has(right) })
      }
    }
  }
  const add: Report['add'] = (other) => {
    for (const [check, times] of other.counts()) counts.set(check, (counts.get(check) ?? 0) + times)
    differences.push(...other.differences())
    for (const [check, reason] of other.skipped()) skipped.set(check, reason)
  }
  return {
    add,
    compare,
    compareSets,
    skip: (check, reason) => skipped.set(check, reason),
    counts: () => counts,
    differences: () => differences,
    skipped: () => skipped,
  }
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value, (_key, inner: unknown) =>
        typeof inner === 'bigint' ? String(inner) : inner,
      )
    : String(value)
}
