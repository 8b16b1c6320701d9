/** Writes blocks, and the bytes they came as. */

import { ByteColumn } from '../../store/engine/byte-column.ts'
import type { Writer } from '../../store/engine/database.ts'
import { block, rawBlock } from '../../store/schema/primary-ledger.ts'
import { blockIdOf, chainNumbers } from '../../store/schema/primary-position.ts'
import type { BlockRow } from './ledger-rows.ts'
import type { RawColumns } from './raw-blocks.ts'
import type { Numbers } from './store-numbers.ts'

/** Id under which the genesis is kept. */
export const genesisId = -1

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
export async function writeRawBlocks(writer: Writer, raw: RawColumns): Promise<void> {
  const { id, method, bytes, arena } = raw
  await writer.insert(rawBlock, {
    id,
    method,
    bytes: new ByteColumn(arena, bytes, { count: id.length }),
  })
}
