/** Blocks as answers show them. */

import { pBlockNames } from '../../codec/primary/p-block.ts'
import { to0x } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import type { PrimaryNetworkBlock } from '../../shape/primary/block.ts'
import { type StoredBlock, transactionIdsOfBlocks } from '../../store/query/primary/blocks.ts'
import { heightOfBlock } from '../../store/schema/primary/position.ts'
import type { ChainOf } from './chain-of.ts'
import { wideInteger } from './numbers-view.ts'

/**
 * Blocks of a chain. Of the C-Chain only atomic transactions are listed and counted: its EVM
 * transactions are told by the EVM operations.
 */
export async function blockViews(
  of: ChainOf,
  rows: readonly StoredBlock[],
): Promise<PrimaryNetworkBlock[]> {
  const ids = await transactionIdsOfBlocks(
    of.store,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => blockView(of, row, (ids.get(row.id) ?? []).map(toCb58)))
}

function blockView(of: ChainOf, row: StoredBlock, transactions: string[]): PrimaryNetworkBlock {
  const idText = of.chain === 'C' ? to0x : toCb58
  const proposer = proposerView(row)
  return {
    blockNumber: String(heightOfBlock(row.id)),
    blockHash: idText(row.hash),
    parentHash: idText(row.parent),
    blockTimestamp: row.timestamp,
    blockType: of.chain === 'P' ? pTypeName(row.type) : 'Standard',
    txCount: transactions.length,
    transactions,
    blockSizeBytes: row.sizeBytes,
    l1ValidatorsAccruedFees: row.l1Fees === undefined ? undefined : wideInteger(row.l1Fees),
    activeL1Validators: row.l1Active,
    currentSupply: row.supply === undefined ? undefined : String(row.supply),
    proposerDetails: proposer,
  }
}

function pTypeName(type: number): string {
  const names: Readonly<Record<number, string>> = pBlockNames
  return names[type] ?? 'UNKNOWN'
}

function proposerView(row: StoredBlock): PrimaryNetworkBlock['proposerDetails'] {
  if (row.outerId === undefined || row.outerParent === undefined) return undefined
  return {
    proposerId: toCb58(row.outerId),
    proposerParentId: toCb58(row.outerParent),
    proposerNodeId: row.proposer && toNodeId(row.proposer),
    proposerPChainHeight: row.proposerHeight,
    proposerTimestamp: row.proposerTime,
  }
}
