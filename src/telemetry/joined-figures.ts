/**
 * Figures of several threads as one page: what two of them counted under the same name and labels is
 * added up.
 *
 * Source of the form: Prometheus, exposition formats, text format 0.0.4.
 */

import type { Gauges } from './gauges.ts'

/** `own` with the pages of other threads, as `others` gives them, added when it is read. */
export function joinedGauges(own: Gauges, others: () => Promise<readonly string[]>): Gauges {
  return { ...own, text: async () => sumOfTexts([await own.text(), ...(await others())]) }
}

/** The sums of all samples, in the order in which they were met first. */
function sumOfTexts(texts: readonly string[]): string {
  const [first = ''] = texts
  if (texts.length < 2) return first
  const families = new Map<string, Map<string, number>>()
  for (const text of texts) {
    let samples = new Map<string, number>()
    for (const line of text.split('\n')) {
      if (line === '') continue
      if (line.startsWith('# HELP ')) {
        samples = families.get(line) ?? new Map()
        families.set(line, samples)
      } else if (line.startsWith('#')) {
        // The type of a family: it has no samples under its name, and is printed as it is.
        samples.set(line, Number.NaN)
      } else {
        const cut = line.lastIndexOf(' ')
        const sample = line.slice(0, cut)
        samples.set(sample, (samples.get(sample) ?? 0) + Number(line.slice(cut + 1)))
      }
    }
  }
  const lines = [...families].flatMap(([help, samples]) => [
    help,
    ...[...samples].map(([sample, sum]) => (sample.startsWith('#') ? sample : `${sample} ${sum}`)),
  ])
  return `${lines.join('\n')}\n`
}
