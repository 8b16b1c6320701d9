/**
 * Lists over all chains by time: newest block first, then the chains' configured order, then
 * position in the chain, newest first.
 *
 * Times of blocks never fall along a chain, so that a moment is found by halving. A page token
 * says at which moment, chain and position the page ended; nothing else is kept.
 */

import { struct } from '../../../codec/kit.ts'
import { f64 } from '../../../codec/primitives.ts'
import { type networkNames, networkOf } from '../../../core/network.ts'
import type { EvmBlock, NativeTransaction } from '../../../shape/evm/transaction.ts'
import { EvmBlocks } from '../../../shape/operations/evm-blocks.ts'
import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { blockTimestamp, latestBlocks } from '../../../store/query/evm/blocks.ts'
import { indexedHeight } from '../../../store/query/evm/heights.ts'
import { posOfHeight } from '../../../store/query/evm/position.ts'
import { latestTransactions, type TransactionRow } from '../../../store/query/evm/transactions.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { type Input, operation, type Operation } from '../../operation/operation.ts'
import { cursorOf, type Page, readPage, nextToken } from '../../operation/paging.ts'
import type { EvmContext } from '../evm-context.ts'
import { toldViews } from '../transactions/told-transactions.ts'
import { nativeTransactions } from '../transactions/transaction-views.ts'
import { blockView } from './blocks.ts'

/** Where a page ended: Unix seconds, place of the chain, position (or height) in it. */
type MomentCursor = { readonly timestamp: number; readonly chain: number; readonly pos: number }

const momentCursor = cursorOf<MomentCursor>(struct({ timestamp: f64, chain: f64, pos: f64 }))

/** One row of one chain. */
type ChainRow<R> = { readonly chain: number; readonly row: R }

/** Readers of the rows of a chain: before a position, or before a height. */
type ChainRows<R> = {
  /** Newest first, strictly before `pos`. */
  readonly before: (chain: ServedChain, pos: number, limit: number) => Promise<readonly R[]>
  /** First position of a height. */
  readonly posOfHeight: (height: number) => number
  readonly posOf: (row: R) => number
}

/** A list over the chains of a network, or of both. */
type ListAcross<R> = {
  /** Operation id: tokens of another are refused. */
  readonly route: string
  readonly query: Input<typeof EvmBlocks.listLatestBlocksAllChains>['query']
  readonly source: ChainRows<R>
}

/** One page, and the chains its rows are of. Throws `bad-page-token`. */
async function pageAcross<R extends { readonly timestamp: number }>(
  context: EvmContext,
  { route, query, source }: ListAcross<R>,
): Promise<{ readonly chains: readonly ServedChain[]; readonly page: Page<ChainRow<R>> }> {
  const chains = chainsOf(context, query.network)
  const page = await readPage<ChainRow<R>, MomentCursor>(context.tokens, {
    route,
    subject: { chains: chains.map(({ facts }) => facts.key) },
    query,
    ...momentCursor,
    rows: (cursor, limit) => rowsAcross(chains, source, { cursor, limit }),
    cursorOf: ({ chain, row }) => ({ timestamp: row.timestamp, chain, pos: source.posOf(row) }),
  })
  return { chains, page }
}

/** The next `limit` rows of all `chains` after `cursor`. */
async function rowsAcross<R extends { readonly timestamp: number }>(
  chains: readonly ServedChain[],
  source: ChainRows<R>,
  { cursor, limit }: { readonly cursor: MomentCursor | undefined; readonly limit: number },
): Promise<ChainRow<R>[]> {
  const lists = await Promise.all(
    chains.map(async (chain, at) => {
      const pos = await boundOf(chain, at, source, cursor)
      const rows = await source.before(chain, pos, limit)
      return rows.map((row) => ({ chain: at, row }))
    }),
  )
  const merged = lists.flat()
  // Stable: rows of one chain keep their order.
  merged.sort((a, b) => b.row.timestamp - a.row.timestamp || a.chain - b.chain)
  return merged.slice(0, limit)
}

/** Position in a chain before which everything comes after the cursor. */
async function boundOf<R>(
  chain: ServedChain,
  at: number,
  source: ChainRows<R>,
  cursor: MomentCursor | undefined,
): Promise<number> {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  if (at === cursor.chain) return cursor.pos
  // Of chains before the cursor's, the cursor's own moment is done with.
  const until = at < cursor.chain ? cursor.timestamp : cursor.timestamp + 1
  return source.posOfHeight(await heightAt(chain, until))
}

/** Height of the first block at or after a moment. */
async function heightAt({ store }: ServedChain, timestamp: number): Promise<number> {
  let low = 0
  let high = (await indexedHeight(store, 'blocks')) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const time = await blockTimestamp(store, middle)
    if (time === undefined || time < timestamp) low = middle + 1
    else high = middle
  }
  return low
}

/** Chains in configured order; with `network` only those of it. */
function chainsOf(
  { chains }: EvmContext,
  network: (typeof networkNames)[number] | undefined,
): readonly ServedChain[] {
  if (network === undefined) return chains.all()
  const wanted = networkOf(network)
  return chains.all().filter(({ facts }) => facts.network === wanted)
}

/** Latest blocks of every chain served, by time. */
export function listAllLatestBlocks(context: EvmContext): Operation<'listLatestBlocksAllChains'> {
  return operation(EvmBlocks.listLatestBlocksAllChains, async ({ query }) => {
    const { chains, page } = await pageAcross(context, {
      route: EvmBlocks.listLatestBlocksAllChains.id,
      query,
      source: {
        before: ({ store }, before, limit) => latestBlocks(store, { before, limit }),
        posOfHeight: (height) => height,
        posOf: ({ height }) => height,
      },
    })
    const blocks: EvmBlock[] = []
    for (const { chain: at, row } of page.rows) {
      const chain = chains[at]
      if (chain !== undefined) blocks.push(blockView(row, chain))
    }
    return { body: { ...nextToken(page), blocks } }
  })
}

/** Latest transactions of every chain served, by time of their blocks. */
export function listAllLatestTransactions(
  context: EvmContext,
): Operation<'listLatestTransactionsAllChains'> {
  return operation(EvmTransactions.listLatestTransactionsAllChains, async ({ query, signal }) => {
    const { chains, page } = await pageAcross(context, {
      route: EvmTransactions.listLatestTransactionsAllChains.id,
      query,
      source: {
        before: ({ store }, pos, limit) =>
          latestTransactions(store, {
            status: query.status,
            range: { from: 0, until: pos },
            limit,
          }),
        posOfHeight,
        posOf: ({ pos }) => pos,
      },
    })
    const told = { isWanted: query.summaries, signal }
    const transactions = await viewsAcross(context, chains, page.rows, told)
    return { body: { ...nextToken(page), transactions } }
  })
}

/** Views in the order of the page; each chain's rows are viewed together. They have sentences where these are wanted. */
async function viewsAcross(
  context: EvmContext,
  chains: readonly ServedChain[],
  rows: readonly ChainRow<TransactionRow>[],
  told: { readonly isWanted: boolean | undefined; readonly signal: AbortSignal },
): Promise<NativeTransaction[]> {
  const views = new Map<TransactionRow, NativeTransaction>()
  for (const [at, chain] of chains.entries()) {
    const own = rows.filter((row) => row.chain === at).map(({ row }) => row)
    const plain = await nativeTransactions(context, chain, own)
    const shown = await toldViews(context, chain, { rows: own, ...told }, plain)
    for (const [index, view] of shown.entries()) {
      const row = own[index]
      if (row !== undefined) views.set(row, view)
    }
  }
  return rows.map(({ row }) => views.get(row)).filter((view) => view !== undefined)
}
