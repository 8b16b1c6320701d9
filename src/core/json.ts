/** Reading JSON that others wrote. */

/** The value of JSON text, in UTF-8 where it is bytes; `undefined` where it is not JSON. */
export function jsonOf(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Returns whether a JSON value is an object: neither a list nor `null`. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Nothing that is taken here lies nearly as deep, and writing a value recurses.
const mostDepth = 64

/** Returns whether lists and objects lie in a value deeper than anybody needs. */
export function isDeeper(value: unknown, left = mostDepth): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((inner) => isDeeper(inner, left - 1))
}

/** Members of an object by name, without what every object inherits; none of anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {}
}

// Look-ups by text from outside.
//
// Every plain object knows `constructor`, `toString` and ten names more. A look-up by a caller's
// text therefore goes through here or through a `Map`; `scripts/look-ups.ts` refuses any other.

/** Returns the own member `name` of `object`; `undefined` for an inherited one. */
export function ownValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
