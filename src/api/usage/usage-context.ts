/** All that the operations on usage answer from. */

import type { Clock } from '../../core/world.ts'
import type { Reader } from '../../store/engine/database.ts'
import type { PageTokens } from '../operation/page-token.ts'

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
