/** Blocks of a chain: the latest, one, and how callers name them. */

import { fromHex } from '../../../core/bytes.ts'
import { Fault } from '../../../core/fault.ts'
import type { EvmBlock } from '../../../shape/evm/transaction.ts'
import { EvmBlocks } from '../../../shape/operations/evm-blocks.ts'
import {
  latestBlocks,
  blockByHash,
  blockByHeight,
  type BlockRow,
} from '../../../store/query/evm/blocks.ts'
import { blockchainIdText, type ServedChain } from '../../operation/chain-directory.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { nextToken, numberedPage } from '../../operation/paging.ts'
import { decimalText } from '../answers.ts'
import type { EvmContext } from '../evm-context.ts'

/** Latest blocks of a chain, newest first. */
export function listBlocks({ chains, tokens }: EvmContext): Operation<'getLatestBlocks'> {
  return operation(EvmBlocks.getLatestBlocks, async ({ path, query }) => {
    const chain = chains.find(path.chainId)
    const page = await numberedPage(tokens, {
      route: EvmBlocks.getLatestBlocks.id,
      subject: { chain: chain.facts.key },
      query,
      rows: (before, limit) =>
        latestBlocks(chain.store, { before: before ?? Number.MAX_SAFE_INTEGER, limit }),
      numberOf: ({ height: number }) => number,
    })
    const blocks = page.rows.map((row) => blockView(row, chain))
    return { body: { ...nextToken(page), blocks } }
  })
}

/** A block by number or hash. Throws `not-found`. */
export function getBlock({ chains }: EvmContext): Operation<'getBlock'> {
  return operation(EvmBlocks.getBlock, async ({ path }) => {
    const chain = chains.find(path.chainId)
    const row = await namedBlock(chain, path.blockId)
    // A block shows nothing that later blocks, traces, prices or names change. An alias may be given
    // to another chain.
    const isOwnName =
      path.chainId === String(chain.facts.evmChainId) ||
      path.chainId === blockchainIdText(chain.facts)
    return { body: blockView(row, chain), immutable: isOwnName }
  })
}

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
    gasLimit: decimalText(row.gasLimit),
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
