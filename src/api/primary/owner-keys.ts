/** Public keys of owners, which answers show where credentials are. */

import { createGenerations, type Generations } from '../../core/bounded-maps.ts'

/** Public keys by their owners' addresses: who owns an address is found once. */
export type OwnerKeys = Generations<string, Uint8Array>

/** Some 200 bytes each, at most twice as many. */
const keysPerGeneration = 8_192

/** No keys yet. */
export function newOwnerKeys(): OwnerKeys {
  return createGenerations(keysPerGeneration)
}
