/** Writes blocks, and the bytes they came as. */

import { zstdCompressSync } from 'node:zlib'

import type { Writer } from '../../store/engine/database.ts'
import { type RawBlockBytes, rawMethods } from '../../store/query/primary/raw-blocks.ts'
import { rawBlocksBody } from '../../store/schema/primary-bodies.ts'
import { block, rawBlock } from '../../store/schema/primary-ledger.ts'
import { blockIdOf, chainNumbers } from '../../store/schema/primary-position.ts'
import type { BlockRow } from './ledger-rows.ts'
import type { Numbers } from './store-numbers.ts'

/** Id under which the genesis is kept. */
export const genesisId = -1

// Below this a frame's own bytes eat what compression saves.
const worthCompressing = 160
// A frame of one small block takes 20 us to begin and finds little to save: 32 KiB hold some 80
// transactions, and are unpacked in 50 us.
const groupBytes = 32_768

/** Writes blocks in the order given. */
export async function writeBlocks(
  writer: Writer,
  rows: readonly BlockRow[],
  nodes: Numbers,
): Promise<void> {
  await writer.insert(block, {
    id: rows.map((row) => blockIdOf(chainNumbers[row.chain], row.height)),
    hash: rows.map((row) => row.blockId),
    parent: rows.map((row) => row.parentId),
    type: rows.map((row) => row.typeId),
    timestamp: rows.map((row) => row.time),
    size_bytes: rows.map((row) => row.sizeBytes),
    tx_count: rows.map((row) => row.transactionCount),
    supply: rows.map((row) => row.currentSupply ?? null),
    l1_fees: rows.map((row) => row.l1AccruedFees ?? null),
    l1_active: rows.map((row) => row.activeL1Validators ?? null),
    outer_id: rows.map((row) => row.proposer?.outerId ?? null),
    outer_parent: rows.map((row) => row.proposer?.outerParentId ?? null),
    proposer: rows.map((row) =>
      row.proposer?.nodeId === undefined ? null : nodes.of(row.proposer.nodeId),
    ),
    proposer_height: rows.map((row) => row.proposer?.pChainHeight ?? null),
    proposer_time: rows.map((row) => row.proposer?.timestamp ?? null),
  })
}

/**
 * Keeps the bytes of blocks, given in order, several to a row under the last one's id: what looks
 * for a block finds the row that follows.
 */
export async function writeRawBlocks(
  writer: Writer,
  blocks: readonly RawBlockBytes[],
): Promise<void> {
  const rows = groupsOf(blocks).map((group) => {
    const id = group.at(-1)?.id ?? 0
    const bytes = rawBlocksBody.toBytes({
      before: group.map((block) => id - block.id),
      blocks: group.map((block) => block.bytes),
    })
    if (bytes.length < worthCompressing) return { id, method: rawMethods.plain, bytes }
    return { id, method: rawMethods.zstd, bytes: zstdCompressSync(bytes) }
  })
  await writer.insert(rawBlock, {
    id: rows.map(({ id }) => id),
    method: rows.map(({ method }) => method),
    bytes: rows.map(({ bytes }) => bytes),
  })
}

function groupsOf(blocks: readonly RawBlockBytes[]): RawBlockBytes[][] {
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
  return groups
}
