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

/** Compression of a row's bytes. */
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
    const row = await rowFrom(reader, next)
    if (row === undefined) break
    for (const block of row) if (block.id >= from && found.length < limit) found.push(block)
    next = itemAt(row, row.length - 1).id + 1
  }
  return found
}

/**
 * Finds kept blocks by their ids. The row found last is kept: what is asked for in the order of ids
 * is read and decompressed once a row, not once a block.
 */
export function rawBlockFinder(reader: Reader): (id: number) => Promise<Uint8Array | undefined> {
  let row: readonly RawBlockBytes[] = []
  const inRow = (id: number): Uint8Array | undefined => row.find((block) => block.id === id)?.bytes
  return async (id) => {
    const known = inRow(id)
    if (known !== undefined) return known
    row = (await rowFrom(reader, id)) ?? []
    return inRow(id)
  }
}

/** The blocks of the first row that ends at id `from` or later. */
async function rowFrom(
  reader: Reader,
  from: number,
): Promise<readonly RawBlockBytes[] | undefined> {
  const row = await reader.get(rawQuestion, [from])
  if (row === undefined) return undefined
  const last = Number(row[0])
  const kept = bytesValue(row[2])
  const { before, blocks } = rawBlocksBody.fromBytes(
    row[1] === rawMethods.zstd ? zstdDecompressSync(kept) : kept,
  )
  return blocks.map((bytes, at) => ({ id: last - itemAt(before, at), bytes }))
}
