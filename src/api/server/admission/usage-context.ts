/** All that the operations on usage answer from. */

import { Fault } from '../../../core/fault.ts'
import type { Clock } from '../../../core/world.ts'
import type { Reader } from '../../../store/engine/database.ts'
import type { Caller } from '../../operation/operation.ts'
import type { PageTokens } from '../../operation/page-token.ts'

/** Everything these operations need. */
export type UsageContext = {
  readonly store: () => Promise<Reader>
  /** Stores what this process has noted and not stored yet. */
  readonly flush: () => Promise<void>
  readonly tokens: PageTokens
  readonly clock: Clock
  /** Name of an API key by its id. */
  readonly nameOf: (keyId: string) => string
}

/** The one organisation of a deployment: all of its keys. */
export const organisation = 'firn'

// The key whose use is shown: the caller's own.

/** Id of the caller's key. Throws `key-required` without one: only calls with a key are noted. */
export function keyOf({ key }: Caller): string {
  if (key !== undefined) return key
  throw new Fault('key-required', 'each API key sees its own use: send a key as x-service-api-key')
}

/** Beginning of a day, Unix seconds. */
export function startOf(seconds: number): number {
  return Math.max(0, seconds - (seconds % 86_400))
}
