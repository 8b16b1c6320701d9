/**
 * Counts and times by their labels, cheaper than the metrics library keeps them.
 *
 * The library hashes the labels of every call: three microseconds of a request that takes fifty.
 * Here a set of labels is found by its text, which is the text that is printed.
 *
 * Source of the form: Prometheus, exposition formats, text format 0.0.4.
 */

import { ownValue } from '../core/json.ts'

/** Values of a row's labels by name. */
type Labels = Readonly<Record<string, string>>

/** A counter by labels. Sets of labels are of closed lists, so it stays small. */
export class CountSums {
  readonly #names: readonly string[]
  readonly #sums = new Map<string, number>()

  constructor(names: readonly string[]) {
    this.#names = names
    if (names.length === 0) this.#sums.set('', 0)
  }

  add(labels: Labels, amount: number): void {
    const key = textOf(this.#names, labels)
    this.#sums.set(key, (this.#sums.get(key) ?? 0) + amount)
  }

  /** Lines of the text format. */
  text(name: string, help: string): string {
    const lines = [...this.#sums].map(([key, sum]) => line(name, key, sum))
    return [...head(name, help, 'counter'), ...lines, ''].join('\n')
  }
}

type Times = { readonly counts: Float64Array; sum: number; count: number }

/** A histogram by labels. */
export class TimeSums {
  readonly #names: readonly string[]
  /** Ascending upper bounds. */
  readonly #bounds: readonly number[]
  readonly #times = new Map<string, Times>()

  constructor(names: readonly string[], bounds: readonly number[]) {
    this.#names = names
    this.#bounds = bounds
  }

  observe(labels: Labels, value: number): void {
    const key = textOf(this.#names, labels)
    let times = this.#times.get(key)
    if (times === undefined) {
      times = { counts: new Float64Array(this.#bounds.length), sum: 0, count: 0 }
      this.#times.set(key, times)
    }
    times.sum += value
    times.count++
    const bucket = this.#bounds.findIndex((bound) => value <= bound)
    if (bucket !== -1) times.counts[bucket] = (times.counts[bucket] ?? 0) + 1
  }

  /** Lines of the text format; each bucket counts those below it, too. */
  text(name: string, help: string): string {
    const lines = [...this.#times].flatMap(([key, { counts, sum, count }]) => {
      const more = key === '' ? '' : `,${key}`
      let below = 0
      const buckets = this.#bounds.map((bound, at) => {
        below += counts[at] ?? 0
        return line(`${name}_bucket`, `le="${bound}"${more}`, below)
      })
      return [
        ...buckets,
        line(`${name}_bucket`, `le="+Inf"${more}`, count),
        line(`${name}_sum`, key, sum),
        line(`${name}_count`, key, count),
      ]
    })
    return [...head(name, help, 'histogram'), ...lines, ''].join('\n')
  }
}

function head(name: string, help: string, type: string): string[] {
  const escaped = help.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`)
  return [`# HELP ${name} ${escaped}`, `# TYPE ${name} ${type}`]
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}`
}

function textOf(names: readonly string[], labels: Labels): string {
  let text = ''
  for (const name of names)
    text += `${text === '' ? '' : ','}${name}="${escaped(ownValue(labels, name) ?? '')}"`
  return text
}

function escaped(value: string): string {
  if (!/["\\\n]/.test(value)) return value
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
}
