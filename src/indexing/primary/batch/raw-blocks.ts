/** Blocks as they are kept, so that every row can be made again without a node. */

import { zstdCompressSync } from 'node:zlib'

import { concatBytes } from '../../../core/bytes.ts'
import { type ColumnsOf, columnTable, doubles, words } from '../../../core/columns.ts'
import { itemAt } from '../../../core/item-at.ts'
import type { BlockBytes, CBlock } from '../../../source/primary/primary-source.ts'
import { type RawBlockBytes, rawMethods } from '../../../store/query/primary/blocks.ts'
import type { PackArena } from '../../../store/schema/packed/packed.ts'
import { cBlockBody, innerBlockBody, rawBlocksBody } from '../../../store/schema/primary/bodies.ts'
import { blockIdOf, chainNumbers } from '../../../store/schema/primary/position.ts'

const rawTable = columnTable({
  id: doubles,
  /** Of `rawMethods`. */
  method: words,
  /** Where in the arena `rawBlocksBody` of each is, compressed by its method. */
  offset: words,
  length: words,
})

/**
 * Rows of several blocks each, under the id of the last: what looks for one finds the row that
 * follows.
 */
export type RawColumns = ColumnsOf<typeof rawTable> & { readonly arena: Uint8Array }

// A compressed frame takes 80 us to begin, and of one small block finds little to save: 64 KiB hold
// some 150 transactions, and are unpacked in 100 us.
const groupBytes = 65_536
// Below this a frame's own bytes eat what compression saves.
const worthCompressing = 160

/** Rows of `blocks`, which are in order. */
export function rawColumns(blocks: readonly RawBlockBytes[]): RawColumns {
  const groups: RawBlockBytes[][] = []
  let size = groupBytes
  for (const block of blocks) {
    if (size >= groupBytes) {
      groups.push([])
      size = 0
    }
    groups.at(-1)?.push(block)
    size += block.bytes.length
  }
  const columns = rawTable.growing(groups.length, undefined)
  const packed: Uint8Array[] = []
  let used = 0
  // One memory for all groups: one for each would be made anew and outgrown by its last block.
  const arena: PackArena = { bytes: new Uint8Array(2 * groupBytes), used: 0 }
  for (const group of groups) {
    const last = itemAt(group, group.length - 1).id
    arena.used = 0
    rawBlocksBody.append(arena, {
      before: group.map((block) => last - block.id),
      blocks: group.map((block) => block.bytes),
    })
    const plain = arena.bytes.subarray(0, arena.used)
    const isWorth = plain.length >= worthCompressing
    const bytes = isWorth ? zstdCompressSync(plain) : plain.slice()
    packed.push(bytes)
    rawTable.append(columns, {
      id: last,
      method: isWorth ? rawMethods.zstd : rawMethods.plain,
      offset: used,
      length: bytes.length,
    })
    used += bytes.length
  }
  return { ...rawTable.taken(columns), arena: concatBytes(...packed) }
}

/** A P- or X-Chain block to keep. */
export function rawOfBlock(chain: 'P' | 'X', block: BlockBytes): RawBlockBytes {
  return { id: blockIdOf(chainNumbers[chain], block.height), bytes: innerBlockBody.toBytes(block) }
}

/** A P- or X-Chain block that was kept. */
export function blockOfRaw(height: number, raw: Uint8Array): BlockBytes {
  return { height, ...innerBlockBody.fromBytes(raw) }
}

/** A C-Chain block to keep: of its EVM transactions only their number. */
export function rawOfCBlock(block: CBlock): RawBlockBytes {
  return { id: blockIdOf(chainNumbers.C, block.height), bytes: cBlockBody.toBytes(block) }
}

/** A C-Chain block that was kept. */
export function cBlockOfRaw(height: number, raw: Uint8Array): CBlock {
  return { height, ...cBlockBody.fromBytes(raw) }
}

/** A transaction from before the X-Chain's blocks. */
export function rawOfEarly(height: number, transaction: Uint8Array): RawBlockBytes {
  return { id: blockIdOf(chainNumbers.X, height), bytes: transaction }
}
