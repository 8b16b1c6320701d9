/** Writes the rows of whole blocks straight into a segment, in the transaction that adds them. */

import { toHex } from '../../core/bytes.ts'
import { assert } from '../../core/fault.ts'
import type { Writer } from '../engine/database.ts'
import { block } from '../schema/evm.ts'
import { type Freezing, type FreezeSubject, hashOf } from './freeze.ts'
import { GatheredRows } from './gathered-rows.ts'
import { frozenUntil, writeManifest } from './manifest.ts'
import { SegmentWriter } from './segment-writer.ts'

/** Heights, half-open, and what their segment says of its origin. */
export type FrozenPiece = {
  readonly from: number
  readonly until: number
  readonly subject: FreezeSubject
}

/**
 * Does `work` with a writer whose rows of history become the segment of `piece`. Nothing of history
 * may be in tables, and `work` adds the blocks of `piece`, all of them and no others. The segment is
 * whole and on disk before the transaction of `freezing.writer` can commit the row that names it;
 * that must be rolled back when this throws: what `work` throws, `store-full`, `store-failed`.
 */
export async function writeFrozen<T>(
  freezing: Omit<Freezing, 'recount'>,
  { from, until, subject }: FrozenPiece,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const { writer, ice, tables } = freezing
  const manifest = await ice.manifest(writer)
  assert(
    manifest.segments.length === 0 || frozenUntil(manifest) === from,
    'blocks follow those that are frozen',
  )
  const rows = new GatheredRows()
  const result = await work(ice.serve(rows.writer(writer)))
  const hash = rows.last(block, 'hash')
  assert(rows.last(block, 'height') === until - 1, 'the blocks of a segment are added')
  // What a process left that was killed before its commit.
  ice.removeOrphans(manifest)
  const draft = ice.draft()
  const made = new SegmentWriter(draft)
  try {
    for (const table of tables) if (table.freezes !== undefined) await rows.pack(made, table)
    const parentHash = await hashOf(writer, from - 1)
    const lastHash = hash instanceof Uint8Array ? toHex(hash) : ''
    const { name } = made.finish({ ...subject, from, until, parentHash, lastHash })
    await writeManifest(writer, [...manifest.segments, { from, until, name, tier: 0 }])
  } catch (error) {
    made.abandon()
    throw error
  } finally {
    ice.drafted(draft)
  }
  return result
}
