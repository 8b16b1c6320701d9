/** Blocks as they were kept. */

import { zstdDecompressSync } from 'node:zlib'

import { itemAt } from '../../../core/item-at.ts'
import { type Reader, statement } from '../../engine/database.ts'
import { rawBlocksBody } from '../../schema/primary-bodies.ts'
import { bytesValue } from '../stored-row.ts'

/** Id under which the genesis is kept. */
export const genesisId = -1

/** A block's bytes under its id; {@link genesisId} for the genesis. */
export type RawBlockBytes = { readonly id: number; readonly bytes: Uint8Array }

/** How a row's bytes are compressed. */
export const rawMethods = { plain: 0, zstd: 1 } as const

const rawQuestion = statement(
  'select id, method, bytes from raw_block where id >= ? order by id limit 1',
)

/** Kept blocks from id `from` on, in order, at most `limit`. One seek for each row of them. */
export async function rawBlocksFrom(
  reader: Reader,
  from: number,
  limit: number,
): Promise<RawBlockBytes[]> {
  const found: RawBlockBytes[] = []
  for (let next = from; found.length < limit;) {
    const row = await reader.get(rawQuestion, [next])
    if (row === undefined) break
    const last = Number(row[0])
    const kept = bytesValue(row[2])
    const { before, blocks } = rawBlocksBody.fromBytes(
      row[1] === rawMethods.zstd ? zstdDecompressSync(kept) : kept,
    )
    for (const [at, block] of blocks.entries()) {
      const id = last - itemAt(before, at)
      if (id >= from && found.length < limit) found.push({ id, bytes: block })
    }
    next = last + 1
  }
  return found
}
