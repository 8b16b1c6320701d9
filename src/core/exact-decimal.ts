/** Decimal numbers as text, computed without a double. */

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
