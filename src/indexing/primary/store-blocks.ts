/** Writes blocks, and the bytes they came as. */

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

import type { Reader, Writer } from '../../store/engine/database.ts'
import { statement } from '../../store/engine/database.ts'
import { block, rawBlock } from '../../store/schema/primary-ledger.ts'
import { blockIdOf, chainNumbers } from '../../store/schema/primary-position.ts'
import type { BlockRow } from './rows.ts'
import type { Numbers } from './store-numbers.ts'
import { bytesOf } from './store-stakers.ts'

/** A block's bytes under its id; -1 for the genesis. */
export type RawBlockBytes = { readonly id: number; readonly bytes: Uint8Array }

/** Id under which the genesis is kept. */
export const genesisId = -1

const plain = 0
const zstd = 1
// Below this a frame's own bytes eat what compression saves.
const worthCompressing = 160

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

/** Keeps the bytes of blocks. */
export async function writeRawBlocks(
  writer: Writer,
  blocks: readonly RawBlockBytes[],
): Promise<void> {
  const packed = blocks.map(({ bytes }) => {
    if (bytes.length < worthCompressing) return { method: plain, bytes }
    const small = zstdCompressSync(bytes)
    return small.length < bytes.length ? { method: zstd, bytes: small } : { method: plain, bytes }
  })
  await writer.insert(rawBlock, {
    id: blocks.map(({ id }) => id),
    method: packed.map(({ method }) => method),
    bytes: packed.map(({ bytes }) => bytes),
  })
}

const rawQuestion = statement(
  'select id, method, bytes from raw_block where id >= ? order by id limit ?',
)

/** Kept blocks from id `from` on, in order, at most `limit`. */
export async function rawBlocksFrom(
  reader: Reader,
  from: number,
  limit: number,
): Promise<RawBlockBytes[]> {
  const rows = await reader.all(rawQuestion, [from, limit])
  return rows.map(([id, method, bytes]) => ({
    id: Number(id),
    bytes: method === zstd ? zstdDecompressSync(bytesOf(bytes)) : bytesOf(bytes),
  }))
}
