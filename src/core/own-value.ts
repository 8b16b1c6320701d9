/**
 * Look-ups by text from outside.
 *
 * Every plain object knows `constructor`, `toString` and ten names more. A look-up by a caller's
 * text therefore goes through here or through a `Map`; `scripts/look-ups.ts` refuses any other.
 */

/** Returns the own member `name` of `object`; `undefined` for an inherited one. */
export function ownValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
