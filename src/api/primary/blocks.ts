/** Blocks of the primary network: the latest of a chain, those a node proposed, one. */

import { pBlockNames } from '../../codec/primary/p-block.ts'
import { clip, to0x } from '../../core/bytes.ts'
import { toCb58, toNodeId } from '../../core/cb58.ts'
import { PrimaryTransactions } from '../../shape/operations/primary-transactions.ts'
import type { PrimaryNetworkBlock } from '../../shape/primary/block.ts'
import type { Static } from '../../shape/type.ts'
import { numberOfNode } from '../../store/query/primary/addresses.ts'
import {
  latestBlocks,
  blockByHash,
  blockById,
  type StoredBlock,
  blocksOfNode,
  type BlockRange,
  transactionIdsOfBlocks,
} from '../../store/query/primary/blocks.ts'
import { placesBetween } from '../../store/query/primary/network.ts'
import {
  blockIdOf,
  chainNumbers,
  blockOfPos,
  heightOfBlock,
} from '../../store/schema/primary/position.ts'
import { type Input, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import { type ChainOf, unknownOn, idIn, nodeIdIn, chainInfo } from './inputs.ts'
import { chainOperation } from './network-operation.ts'
import type { PrimaryContext } from './network/networks.ts'
import { wideInteger } from './views/values.ts'

/** Latest blocks, newest first. */
export function listPrimaryBlocks(
  context: PrimaryContext,
): Operation<'listLatestPrimaryNetworkBlocks'> {
  const contract = PrimaryTransactions.listLatestPrimaryNetworkBlocks
  return chainOperation(context, contract, async (chain, { query }) =>
    blockPage(context, {
      chain,
      query,
      route: contract.id,
      rows: (range) => latestBlocks(chain.store, range),
    }),
  )
}

/** The block with a height or an id. */
export function getPrimaryBlock(context: PrimaryContext): Operation<'getBlockById'> {
  return chainOperation(context, PrimaryTransactions.getBlockById, async (chain, { path }) => {
    const row = await blockNamed(chain, path.blockId)
    const [body] = row === undefined ? [] : await blockViews(chain, [row])
    if (body === undefined) throw await unknownOn(chain, `block ${clip(path.blockId)}`)
    return body
  })
}

async function blockNamed(chain: ChainOf, text: string): Promise<StoredBlock | undefined> {
  // Heights have 64 bits; an id in digits alone is longer.
  if (!/^\d{1,20}$/.test(text)) return blockByHash(chain.store, chain.chain, idIn('blockId', text))
  const height = Number(text)
  // Beyond 2^31 no store has a block.
  if (height >= 2 ** 31) return undefined
  return blockById(chain.store, blockIdOf(chainNumbers[chain.chain], height))
}

/** Latest blocks a node proposed. A node never seen proposed none. */
export function listNodeBlocks(
  context: PrimaryContext,
): Operation<'listPrimaryNetworkBlocksByNodeId'> {
  const contract = PrimaryTransactions.listPrimaryNetworkBlocksByNodeId
  return chainOperation(context, contract, async (chain, { path, query }) => {
    const node = await numberOfNode(chain.store, nodeIdIn('nodeId', path.nodeId))
    return blockPage(context, {
      chain,
      query,
      route: `${contract.id} ${path.nodeId}`,
      rows: async (range) => (node === undefined ? [] : blocksOfNode(chain.store, node, range)),
    })
  })
}

/** Parameters of a list of blocks. */
type BlockPageQuery = {
  readonly chain: ChainOf
  readonly route: string
  readonly query: Input<typeof PrimaryTransactions.listLatestPrimaryNetworkBlocks>['query']
  /** Blocks with ids in a range, newest first. */
  readonly rows: (range: BlockRange) => Promise<StoredBlock[]>
}

/** Reads the page. */
async function blockPage(
  context: PrimaryContext,
  wanted: BlockPageQuery,
): Promise<Static<typeof PrimaryTransactions.listLatestPrimaryNetworkBlocks.response>> {
  const { chain, query } = wanted
  const { startTimestamp, endTimestamp } = query
  const places = await placesBetween(chain.store, chain.chain, startTimestamp, endTimestamp)
  const from = blockOfPos(places.from)
  const until = blockOfPos(places.until)
  const page = await numberedPage(context.tokens, {
    route: wanted.route,
    subject: { network: chain.network, chain: chain.chain },
    query,
    rows: (after, limit) =>
      wanted.rows({ from, until: Math.min(until, after ?? Number.MAX_SAFE_INTEGER), limit }),
    numberOf: ({ id }) => id,
  })
  const blocks = await blockViews(chain, page.rows)
  return { ...nextToken(page), blocks, chainInfo: chainInfo(chain) }
}

/**
 * Blocks of a chain. Of the C-Chain only atomic transactions are listed and counted: its EVM
 * transactions are given by the EVM operations.
 */
async function blockViews(
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
