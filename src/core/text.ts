/** Text of values: decimals, days, HTML; and the known name nearest to a given one. */

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Text that can stand in HTML and in its attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities.get(sign) ?? sign)
}

/** The day of a moment in Unix seconds, UTC: `2024-12-31`. */
export function dayText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 10)
}

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

/** Form of a price or rate: digits, a point, digits. */
const plainForm = /^(\d{1,60})(?:\.(\d{1,60}))?$/
const jsonForm = /^(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/

/** `text` if it is a plain decimal number, not negative, of at most 60 digits either side. */
export function plainDecimal(text: string): string | undefined {
  return plainForm.test(text) ? trimmed(text) : undefined
}

/** A JSON number as it is written, without its exponent; `undefined` for negative ones. */
export function decimalOfJson(source: string): string | undefined {
  const parts = jsonForm.exec(source)
  if (parts === null) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = parts
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (point <= 0) return trimmed(`0.${'0'.repeat(-point)}${digits}`)
  const padded = digits.padEnd(point, '0')
  return trimmed(`${padded.slice(0, point)}.${padded.slice(point)}`)
}

/** The product of two plain decimals, to the last digit. */
export function product(a: string, b: string): string {
  const [aWhole = '0', aFraction = ''] = a.split('.')
  const [bWhole = '0', bFraction = ''] = b.split('.')
  return withPoint(
    BigInt(aWhole + aFraction) * BigInt(bWhole + bFraction),
    aFraction.length + bFraction.length,
  )
}

/** `value` / 10^`places` as text, without needless zeros. */
export function withPoint(value: bigint, places: number): string {
  return places === 0 ? value.toString() : trimmed(withPlaces(value, places))
}

/** `value` / 10^`places` as text with all its places; `value` is not negative, `places` not 0. */
export function withPlaces(value: bigint, places: number): string {
  const text = value.toString().padStart(places + 1, '0')
  return `${text.slice(0, -places)}.${text.slice(-places)}`
}

/** Without zeros that say nothing. Loops, since a pattern would try every run of zeros again. */
function trimmed(text: string): string {
  let start = 0
  while (text[start] === '0' && /\d/.test(text[start + 1] ?? '')) start++
  if (!text.includes('.')) return text.slice(start)
  let end = text.length
  while (text[end - 1] === '0') end--
  if (text[end - 1] === '.') end--
  return text.slice(start, end)
}
