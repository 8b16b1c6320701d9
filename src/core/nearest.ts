/** A name that somebody may have meant. */

/** The known name with the fewest edits, if it is close. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.max(3, Math.floor(name.length / 2))
  for (const candidate of known) {
    const last = candidate.slice(candidate.lastIndexOf('.') + 1)
    const edits = Math.min(editDistance(name, candidate), editDistance(name, last) + 1)
    if (edits < least) {
      least = edits
      best = candidate
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(swap, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    previous = row
  }
  return previous[b.length] ?? 0
}
