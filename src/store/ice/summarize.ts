/** Sums, least and greatest values of rows, by groups. */

import { itemAt } from '../../core/item-at.ts'
import type { Row, Value } from '../engine/database.ts'
import { compareValues } from './expressions.ts'
import type { Summary } from './plan.ts'

/** One row for each group of equal values of the columns that are the same in it. */
export function summarized(summaries: readonly Summary[], rows: readonly Row[]): Row[] {
  const groups = new Map<string, Value[]>()
  const isOne = summaries.every(({ kind }) => kind !== 'same')
  if (isOne) groups.set('', summaries.map(emptyOf))
  for (const row of rows) {
    const key = row.filter((_, at) => itemAt(summaries, at).kind === 'same').join(' ')
    const group = groups.get(key) ?? row.map((value, at) => startOf(itemAt(summaries, at), value))
    groups.set(key, group)
    for (const [at, summary] of summaries.entries())
      group[at] = added(summary, itemAt(group, at), itemAt(row, at))
  }
  return [...groups.values()]
}

function emptyOf({ isZeroForNone }: Summary): Value {
  return isZeroForNone ? 0 : null
}

function startOf(summary: Summary, value: Value): Value {
  return summary.kind === 'same' ? value : emptyOf(summary)
}

function added({ kind }: Summary, sum: Value, value: Value): Value {
  if (kind === 'same' || value === null) return sum
  if (sum === null) return value
  if (kind === 'sum') return Number(sum) + Number(value)
  const order = compareValues(value, sum) ?? 0
  return (kind === 'min' ? order < 0 : order > 0) ? value : sum
}
