/**
 * Look-ups by text that somebody else wrote.
 *
 * Every plain object knows `constructor`, `toString` and ten names more. A look-up by a caller's
 * text therefore goes through here or through a `Map`; `scripts/look-ups.ts` refuses any other.
 */

/** What `object` itself has under `name`; `undefined` for what it only inherits. */
export function ownValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
