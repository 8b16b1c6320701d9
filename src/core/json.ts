/** Reading JSON that others wrote. */

/**
 * The value of JSON text, in UTF-8 where it is bytes; `undefined` where it is not JSON. `revive` gives what
 * each value in it becomes.
 */
export function jsonOf(
  text: string | Uint8Array,
  revive?: (name: string, value: unknown) => unknown,
): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text), revive)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Members of JSON that V8 has and TypeScript does not know yet. */
type ExactJson = {
  readonly rawJSON: (text: string) => object
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown
}

/**
 * The value of JSON text, in UTF-8 where it is bytes; `JSON.stringify` gives back its numbers as they were written. Throws what
 * `JSON.parse` throws.
 */
export function parseExact(json: string | Uint8Array): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node 22 and later have both
  const { parse, rawJSON } = JSON as unknown as ExactJson
  const text = typeof json === 'string' ? json : new TextDecoder().decode(json)
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? rawJSON(source) : value,
  )
}

/** Returns whether a value is a number of {@link parseExact}. */
export function isExactNumber(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
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
