/** JSON in the one form that is signed. */

import { assert } from '../core/fault.ts'

/**
 * `value` as RFC 8785 has it: keys in the order of their UTF-16 code units, no spaces. A key whose
 * value is `undefined` is left out.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value)
    assert(text !== undefined, 'only values that JSON has are written')
    return text
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  // The default order is that of UTF-16 code units.
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`
}
