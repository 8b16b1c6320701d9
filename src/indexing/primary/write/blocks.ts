/** Writes blocks, and the bytes they came as. */

import { f64At } from '../../../core/item-at.ts'
import { ByteColumn } from '../../../store/engine/byte-column.ts'
import type { ColumnsOf, Writer } from '../../../store/engine/database.ts'
import { block, blockByHash, rawBlock } from '../../../store/schema/primary/ledger.ts'
import { blockIdOf, chainNumbers, prefixAt } from '../../../store/schema/primary/position.ts'
import { gather, radixOrder } from '../../stream/radix-order.ts'
import {
  type BlockColumns,
  nodeIdBytes,
  type ProposerColumns,
  proposerKnown,
} from '../batch/block-columns.ts'
import type { RawColumns } from '../batch/raw-blocks.ts'
import type { RowBatch } from '../batch/rows.ts'
import type { Numbers } from './numbers.ts'

const idBytes = 32

/** Node ids of the blocks that name one. */
export function nodesOfBlocks({ proposers }: BlockColumns): Uint8Array[] {
  const nodes: Uint8Array[] = []
  for (const [row, known] of proposers.known.entries()) {
    if (known === proposerKnown.signed) nodes.push(nodeOf(proposers, row))
  }
  return nodes
}

function nodeOf({ nodeId }: ProposerColumns, row: number): Uint8Array {
  return nodeId.subarray(row * nodeIdBytes, (row + 1) * nodeIdBytes)
}

/** Writes blocks in the order given. */
export async function writeBlocks(
  writer: Writer,
  { chain, blocks }: Pick<RowBatch, 'chain' | 'blocks'>,
  nodes: Numbers,
): Promise<void> {
  const isP = chain === 'P'
  const none = Array.from({ length: blocks.count }, () => null)
  const id = blocks.height.map((height) => blockIdOf(chainNumbers[chain], height))
  const prefix = id.map((_, row) => prefixAt(blocks.blockId, row * idBytes))
  const order = radixOrder(prefix)
  await writer.insert(blockByHash, { prefix: gather(prefix, order), id: gather(id, order) })
  await writer.insert(block, {
    id,
    hash: ByteColumn.ofWidth(blocks.blockId, idBytes),
    parent: ByteColumn.ofWidth(blocks.parentId, idBytes),
    type: blocks.typeId,
    timestamp: blocks.time,
    size_bytes: blocks.sizeBytes,
    tx_count: blocks.transactionCount,
    supply: isP ? blocks.platform.currentSupply : none,
    l1_fees: isP ? blocks.platform.l1AccruedFees : none,
    l1_active: isP ? blocks.platform.activeL1Validators : none,
    ...outerColumns(blocks, nodes),
  })
}

/** Facts about outer blocks. */
function outerColumns(
  { count, proposers }: BlockColumns,
  nodes: Numbers,
): Pick<
  ColumnsOf<typeof block>,
  `outer_${'id' | 'parent'}` | `proposer${'' | '_height' | '_time'}`
> {
  const outer: (Uint8Array | null)[] = []
  const parent: (Uint8Array | null)[] = []
  const proposer: (number | null)[] = []
  const height: (number | null)[] = []
  const time: (number | null)[] = []
  for (let row = 0; row < count; row++) {
    // Of blocks after the last one with a proposer nothing is known.
    const known = proposers.known[row] ?? proposerKnown.nothing
    const isOuter = known !== proposerKnown.nothing
    const isSigned = known === proposerKnown.signed
    outer.push(isOuter ? idOf(proposers.outerId, row) : null)
    parent.push(isOuter ? idOf(proposers.outerParentId, row) : null)
    proposer.push(isSigned ? nodes.of(nodeOf(proposers, row)) : null)
    height.push(known >= proposerKnown.unsigned ? f64At(proposers.pChainHeight, row) : null)
    time.push(known >= proposerKnown.unsigned ? f64At(proposers.timestamp, row) : null)
  }
  return {
    outer_id: outer,
    outer_parent: parent,
    proposer,
    proposer_height: height,
    proposer_time: time,
  }
}

function idOf(ids: Uint8Array, row: number): Uint8Array {
  return ids.subarray(row * idBytes, (row + 1) * idBytes)
}

/** Keeps the bytes of blocks. */
export async function writeRawBlocks(writer: Writer, raw: RawColumns): Promise<void> {
  const { id, method, count, arena } = raw
  await writer.insert(rawBlock, { id, method, bytes: new ByteColumn(arena, raw, { count }) })
}
