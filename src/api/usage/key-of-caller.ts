/** The key whose use is shown: the caller's own. */

import { Fault } from '../../core/fault.ts'
import type { Caller } from '../operation/operation.ts'

/** Id of the caller's key. Throws `key-required` without one: only calls with a key are noted. */
export function keyOf({ key }: Caller): string {
  if (key !== undefined) return key
  throw new Fault('key-required', 'each API key sees its own use: send a key as x-service-api-key')
}

/** Beginning of a day, Unix seconds. */
export function startOf(seconds: number): number {
  return Math.max(0, seconds - (seconds % 86_400))
}
