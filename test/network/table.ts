/** The table of comparisons by kind. */

/** Counts of comparisons, by whom, and of differences. */
export type Finding = {
  readonly source: string
  readonly when: string
  readonly kind: string
  readonly compared: number
  readonly differences: number
}

type Origin = Pick<Finding, 'source' | 'when'>

/** Of what `firn verify` prints: kinds with counts, then differences. */
export function findingsOfVerify(output: string, origin: Origin): Finding[] {
  const lines = output.split('\n')
  return lines.flatMap((line) => {
    const [, kind, count] = /^(\S.*?) {2,}(\d+)$/.exec(line) ?? []
    if (kind === undefined || count === undefined) return []
    const differences = lines.filter((one) => one.startsWith(`DIFFERENCE ${kind},`)).length
    return [{ ...origin, kind, compared: Number(count), differences }]
  })
}

/** Of what the program from outside prints: a line of JSON. */
export function findingsOfOutside(output: string, origin: Origin): Finding[] {
  const kinds = JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as Record<
    string,
    { readonly compared: number; readonly differences: number }
  >
  return Object.entries(kinds).map(([kind, counts]) => ({ ...origin, kind, ...counts }))
}

/** All findings as text, kinds of one source together, with sums. */
export function tableOf(findings: readonly Finding[]): string {
  const rows = new Map<string, { compared: number; differences: number }>()
  const total = { compared: 0, differences: 0 }
  for (const { source, kind, compared, differences } of findings) {
    const name = `${source.padEnd(22)} ${kind}`
    const row = rows.get(name) ?? { compared: 0, differences: 0 }
    rows.set(name, row)
    for (const sum of [row, total]) {
      sum.compared += compared
      sum.differences += differences
    }
  }
  const line = (name: string, of: typeof total): string =>
    `${name.padEnd(70)} ${String(of.compared).padStart(8)} ${String(of.differences).padStart(6)}`
  const head = `${'compared by, kind'.padEnd(70)} ${'compared'.padStart(8)} differ`
  return [head, ...[...rows].map(([name, row]) => line(name, row)), line('all', total)].join('\n')
}
