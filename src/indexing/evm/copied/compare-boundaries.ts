/** Compares the hashes that segments name at their ends with the stored blocks. */

import { toHex } from '../../../core/bytes.ts'
import { type Database, type Reader, statement } from '../../../store/engine/database.ts'
import { iceOf } from '../../../store/ice/ice.ts'
import { differs } from './difference.ts'

const hashAt = statement('select hash from block where height = ?')

/**
 * Throws `source-mismatch` for a segment that names another block before its first one, or as its last
 * one, than the store has: blocks at the ends of copied segments were compared with the node.
 */
export async function compareBoundaries(database: Database): Promise<void> {
  const ice = iceOf(database)
  if (ice === undefined) return
  const held = await ice.hold(database)
  try {
    for (const { from, until, name } of held.manifest.segments) {
      const { parentHash, lastHash } = ice.segment(name).index
      await compareHash(database, from - 1, parentHash)
      await compareHash(database, until - 1, lastHash)
    }
  } finally {
    held.release()
  }
}

/** `named` is hex, empty before the first block. */
async function compareHash(reader: Reader, height: number, named: string): Promise<void> {
  const hash = (await reader.get(hashAt, [height]))?.[0]
  const stored = hash instanceof Uint8Array ? toHex(hash) : ''
  if (stored === named) return
  throw differs({ height, table: 'block', column: 'hash', copied: named, told: stored })
}
