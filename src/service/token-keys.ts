/** Keys that seal page tokens: made once, kept in the data folder, so that tokens survive a restart. */

import type { TokenKey } from '../api/page-token.ts'
import type { World } from '../core/world.ts'

const fileName = 'page-token.key'
const secretBytes = 32

/**
 * Reads the keys, or makes the first. A file of `1 + 32` bytes a key: its id and its secret; the
 * first signs, all of them verify, so a new one may be put before the old one.
 */
export async function tokenKeys(world: World, dataDir: string): Promise<TokenKey[]> {
  const path = `${dataDir}/${fileName}`
  const stored = await world.files.read(path)
  const bytes = stored ?? Uint8Array.of(1, ...world.random.bytes(secretBytes))
  if (stored === undefined) await world.files.write(path, bytes)
  const keys: TokenKey[] = []
  for (let at = 0; at + secretBytes < bytes.length; at += secretBytes + 1) {
    keys.push({ id: bytes[at] ?? 0, secret: bytes.slice(at + 1, at + 1 + secretBytes) })
  }
  return keys
}
