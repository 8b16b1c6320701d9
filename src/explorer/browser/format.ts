/**
 * Values as people read them. Amounts stay whole numbers until they are text: no fraction of a
 * coin is ever rounded, it is shown whole or visibly cut.
 */

const counts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 })
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 })

/** Groups the digits of a whole number given as text or number: `1,234,567`. */
export function count(value: string | number | bigint): string {
  return counts.format(typeof value === 'string' ? BigInt(value) : value)
}

/** A number in few characters, for axes: `1.23M`. */
export function short(value: number): string {
  return Math.abs(value) < 0.01 && value !== 0 ? value.toPrecision(2) : compact.format(value)
}

/** An amount of smallest units as a decimal of whole ones, exact, zeros at the end left out. */
export function amount(units: string, decimals: number): string {
  const value = BigInt(units)
  const one = 10n ** BigInt(decimals)
  const sign = value < 0n ? '−' : ''
  const size = value < 0n ? -value : value
  const fraction = (size % one).toString().padStart(decimals, '0').replace(/0+$/, '')
  const whole = sign + counts.format(size / one)
  return decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`
}

/** {@link amount} cut after `digits` digits of the fraction; `…` says that something is missing. */
export function cutAmount(units: string, decimals: number, digits = 6): string {
  const text = amount(units, decimals)
  const dot = text.indexOf('.')
  if (dot < 0 || text.length - dot - 1 <= digits) return text
  return `${text.slice(0, dot + 1 + digits)}…`
}

/** The two ends of a long id. */
export function ends(text: string, head = 8, tail = 6): string {
  return text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`
}

const steps = [
  [31_536_000, 'y'],
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** A span of seconds in one unit: `3 d`. */
export function span(seconds: number): string {
  const size = Math.max(0, Math.round(seconds))
  const step = steps.find(([length]) => size >= length) ?? steps[4]
  return `${Math.floor(size / step[0])} ${step[1]}`
}

/** Unix seconds as ISO date and time in UTC: `2026-04-07 09:57:57`. */
export function moment(seconds: number): string {
  const date = new Date(seconds * 1_000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 19).replace('T', ' ')
}

/** `camelCase` as words: `cumulativeTxCount` becomes `Cumulative tx count`. */
export function words(name: string): string {
  const text = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}
