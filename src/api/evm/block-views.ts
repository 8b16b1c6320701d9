/** Blocks as the API shows them, and how callers name them. */

import { fromHex } from '../../core/bytes.ts'
import { Fault } from '../../core/fault.ts'
import type { EvmBlock } from '../../shape/evm/transaction.ts'
import { blockByHash, blockByHeight, type BlockRow } from '../../store/query/evm/blocks.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { decimalText } from './text.ts'

// The genesis has no block before it.
const noParent = `0x${'0'.repeat(64)}`

/** One block. */
export function blockView(row: BlockRow, { facts }: ServedChain): EvmBlock {
  const view: EvmBlock = {
    chainId: String(facts.evmChainId),
    blockNumber: String(row.height),
    blockTimestamp: row.timestamp,
    blockHash: row.hash,
    txCount: row.txCount,
    baseFee: row.baseFee === undefined ? '0' : decimalText(row.baseFee),
    gasUsed: String(row.gasUsed),
    gasLimit: String(row.gasLimit),
    gasCost: String(row.gasCost),
    parentHash: row.parentHash ?? noParent,
    feesSpent: decimalText(row.fees),
    cumulativeTransactions: String(row.firstTx + row.txCount),
  }
  if (row.timestampMs !== undefined) view.blockTimestampMilliseconds = row.timestampMs
  if (row.minDelayExcess !== undefined) view.blockMinDelayExcess = row.minDelayExcess
  return view
}

/** The block a caller names by number or hash. Throws `not-found`. */
export async function namedBlock({ store }: ServedChain, blockId: string): Promise<BlockRow> {
  const row = blockId.startsWith('0x')
    ? await blockByHash(store, fromHex(blockId))
    : await blockByHeight(store, Number(blockId))
  if (row === undefined) throw new Fault('not-found', `block is not known here: ${blockId}`)
  return row
}
