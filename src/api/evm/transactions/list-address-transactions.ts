/** Transactions an address took part in, with what touched it. */

import { standardOf } from '../../../codec/evm/columns/columns.ts'
import { itemAt } from '../../../core/item-at.ts'
import type {
  AddressTransaction,
  AddressTransactionV2,
  InternalTransactionDetails,
} from '../../../shape/evm/transaction.ts'
import { EvmTransactions } from '../../../shape/operations/evm-transactions.ts'
import { activityOfAddress } from '../../../store/query/evm/addresses.ts'
import { type InternalRow, internalsOfAddress } from '../../../store/query/evm/internals.ts'
import {
  heightOf,
  placeOf,
  posOfHeight,
  type PosRange,
  posRange,
} from '../../../store/query/evm/position.ts'
import { transactionAt, type TransactionRow } from '../../../store/query/evm/transactions.ts'
import { type TransferRow, transfersOfAddress } from '../../../store/query/evm/transfers.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { type Input, operation, type Operation } from '../../operation/operation.ts'
import {
  requestedPage,
  nextToken,
  numberCursor,
  numberedPage,
  type Page,
} from '../../operation/paging.ts'
import { subjectOf, type Subject } from '../address-list.ts'
import { tracedHeaders } from '../answers.ts'
import type { EvmContext } from '../evm-context.ts'
import type { Named } from '../rich-addresses.ts'
import { looksLikeSpam } from '../tokens/spam.ts'
import {
  erc1155TransferDetails,
  erc20TransferDetails,
  erc721TransferDetails,
  type TransferViewer,
  transferViewer,
} from '../transfers/transfer-views.ts'
import { toldViews } from './told-transactions.ts'
import {
  internalDetails,
  internalAddresses,
  nativeTransaction,
  type TransactionContext,
  transactionContext,
} from './transaction-views.ts'

/** Transactions an address sent, received, or in which tokens or coins moved to or from it. */
export function listAddressTransactions(evm: EvmContext): Operation<'listTransactions'> {
  return operation(EvmTransactions.listTransactions, async ({ path, query, signal }) => {
    const subject = await subjectOf(evm, path)
    const height = await tracedHeaders(subject.chain)
    const page = await participationPage(evm, subject, {
      route: EvmTransactions.listTransactions.id,
      query,
    })
    const { views } = await participationViews(evm, subject.chain, page.rows)
    const transactions = page.rows.map(views)
    const told = await toldViews(
      evm,
      subject.chain,
      { rows: page.rows.map((row) => row.transaction), isWanted: query.summaries, signal },
      transactions.map((view) => view.nativeTransaction),
    )
    for (const [at, view] of transactions.entries()) view.nativeTransaction = itemAt(told, at)
    return { body: { ...nextToken(page), transactions }, ...height }
  })
}

/** The same with the reputation of tokens; transfers of spam tokens can be left out. */
export function listAddressTransactionsV2(evm: EvmContext): Operation<'listTransactionsV2'> {
  return operation(EvmTransactions.listTransactionsV2, async ({ path, query }) => {
    const subject = await subjectOf(evm, path)
    const height = await tracedHeaders(subject.chain)
    const page = await participationPage(evm, subject, {
      route: EvmTransactions.listTransactionsV2.id,
      query,
    })
    const { facts } = subject.chain
    const filtered = query.filterSpamTokens ?? true
    const { views, named } = await participationViews(evm, subject.chain, page.rows)
    const isShown = ({ tokenId }: TransferRow): boolean => {
      const { token, note } = named(tokenId)
      return !filtered || token === undefined || !looksLikeSpam(token, note, facts)
    }
    const transactions = page.rows.map((row): AddressTransactionV2 => {
      const shown = row.transfers.filter(isShown)
      const { erc20Transfers, ...rest } = views({ ...row, transfers: shown })
      if (erc20Transfers === undefined) return rest
      const tokens = shown.filter(({ kind }) => standardOf(kind) === 20)
      const rated = erc20Transfers.map((transfer, at) => {
        const note = named(itemAt(tokens, at).tokenId).note
        const tokenReputation = note?.reputation ?? null
        return { ...transfer, erc20Token: { ...transfer.erc20Token, tokenReputation } }
      })
      return { ...rest, erc20Transfers: rated }
    })
    return { body: { ...nextToken(page), transactions }, ...height }
  })
}

async function participationViews(
  evm: EvmContext,
  chain: ServedChain,
  rows: readonly Participation[],
): Promise<{ readonly views: (row: Participation) => AddressTransaction; readonly named: Named }> {
  const transfers = rows.flatMap((row) => row.transfers)
  const internals = rows.flatMap((row) => row.internals)
  const transactions = rows.map(({ transaction }) => transaction)
  const others = [...internalAddresses(internals), ...transfers.map(({ tokenId }) => tokenId)]
  const [context, viewer] = await Promise.all([
    transactionContext(evm, chain, transactions, others),
    transferViewer(evm, chain, transfers),
  ])
  return { named: context.named, views: (row) => participationView(row, context, viewer) }
}

/** Lists without an entry are absent, not empty. */
function participationView(
  { transaction, transfers, internals }: Participation,
  context: TransactionContext,
  viewer: TransferViewer,
): AddressTransaction {
  const view: AddressTransaction = { nativeTransaction: nativeTransaction(transaction, context) }
  for (const row of transfers) {
    switch (standardOf(row.kind)) {
      case 20:
        ;(view.erc20Transfers ??= []).push(erc20TransferDetails(row, viewer))
        break
      case 721:
        ;(view.erc721Transfers ??= []).push(erc721TransferDetails(row, viewer))
        break
      case 1155:
        ;(view.erc1155Transfers ??= []).push(erc1155TransferDetails(row, viewer))
        break
      default:
    }
  }
  if (internals.length > 0) {
    view.internalTransactions = internals.map((row): InternalTransactionDetails =>
      internalDetails(row, context.named),
    )
  }
  return view
}

/** One transaction and what of it touches the address, in order of history. */
export type Participation = {
  readonly transaction: TransactionRow
  readonly transfers: readonly TransferRow[]
  readonly internals: readonly InternalRow[]
}

// Entries a page carries, and of one kind read at once: a hundred transactions with fifty each.
const usualEntries = 5_000

/**
 * One page for the operation `route`. It ends early once its transactions carry `maxEntries`, and
 * then has a token like any other; a transaction is never cut.
 */
export async function participationPage(
  { tokens }: EvmContext,
  { chain, id, binding: subject }: Subject,
  request: {
    readonly route: string
    readonly query: Input<typeof EvmTransactions.listTransactions>['query']
    readonly maxEntries?: number
  },
): Promise<Page<Participation>> {
  const { route, query, maxEntries = usualEntries } = request
  const page = await numberedPage<number>(tokens, {
    route,
    subject,
    query,
    rows: async (after, limit) =>
      id === undefined
        ? []
        : activityOfAddress(chain.store, {
            addressId: id,
            range: posRange(query.startBlock, query.endBlock),
            after,
            direction: query.sortOrder ?? 'desc',
            limit,
          }),
    numberOf: (pos) => pos,
  })
  const of = { chain, addressId: id ?? 0, maxEntries }
  const entries = (await allEntries(of, page.rows)) ?? (await firstEntries(of, page.rows))
  const positions = page.rows.slice(0, entries.transactions)
  const rows = await participations(chain, positions, entries)
  const last = positions.at(-1)
  if (positions.length === page.rows.length || last === undefined) return { ...page, rows }
  return { rows, ...requestedPage(tokens, { route, subject, query, ...numberCursor }).next(last) }
}

/** Entries that touch an address, in the first `transactions` transactions of a page. */
type Entries = {
  readonly transactions: number
  readonly transfers: readonly TransferRow[]
  readonly internals: readonly InternalRow[]
}

type EntriesOf = {
  readonly chain: ServedChain
  readonly addressId: number
  readonly maxEntries: number
}

/** Of all transactions at `positions`; `undefined` when that is too much for one page. */
async function allEntries(
  of: EntriesOf,
  positions: readonly number[],
): Promise<Entries | undefined> {
  if (positions.length === 0) return { transactions: 0, transfers: [], internals: [] }
  // A page holds every transaction of the address between its ends: one range covers them.
  const heights = positions.map(heightOf)
  const range = {
    from: posOfHeight(Math.min(...heights)),
    until: posOfHeight(Math.max(...heights) + 1),
  }
  const { internals, lists } = await entriesIn(of, range, of.maxEntries)
  if ([internals, ...lists].some(({ length }) => length === of.maxEntries)) return undefined
  return { transactions: positions.length, transfers: lists.flat(), internals }
}

/** Of transactions one after the other, until they have enough. */
async function firstEntries(of: EntriesOf, positions: readonly number[]): Promise<Entries> {
  let transfers: TransferRow[] = []
  let internals: InternalRow[] = []
  let block: Awaited<ReturnType<typeof entriesIn>> = { internals: [], lists: [] }
  let height = -1
  for (const [at, pos] of positions.entries()) {
    if (heightOf(pos) !== height) {
      height = heightOf(pos)
      const range = { from: posOfHeight(height), until: posOfHeight(height + 1) }
      block = await entriesIn(of, range, range.until - range.from)
    }
    const isOwn = ({ txIndex }: { readonly txIndex: number }): boolean => txIndex === placeOf(pos)
    transfers = transfers.concat(block.lists.flat().filter(isOwn))
    internals = internals.concat(block.internals.filter(isOwn))
    if (transfers.length + internals.length >= of.maxEntries)
      return { transactions: at + 1, transfers, internals }
  }
  return { transactions: positions.length, transfers, internals }
}

/** Entries inside `range`, at most `limit` of each kind; transfers by standard. */
async function entriesIn(
  { chain: { store }, addressId }: EntriesOf,
  range: PosRange,
  limit: number,
): Promise<{
  readonly internals: readonly InternalRow[]
  readonly lists: readonly (readonly TransferRow[])[]
}> {
  const standards = [20, 721, 1155] as const
  const [internals, ...lists] = await Promise.all([
    internalsOfAddress(store, { addressId, range, limit }),
    ...standards.map((standard) =>
      transfersOfAddress(store, { addressId, standard, range, limit }),
    ),
  ])
  return { internals, lists }
}

async function participations(
  chain: ServedChain,
  positions: readonly number[],
  entries: Entries,
): Promise<Participation[]> {
  const transactions = await Promise.all(positions.map((pos) => transactionAt(chain.store, pos)))
  const transfers = byTransaction(entries.transfers)
  const internals = byTransaction(entries.internals)
  return transactions
    .filter((transaction) => transaction !== undefined)
    .map((transaction) => ({
      transaction,
      transfers: transfers.get(transaction.pos) ?? [],
      internals: internals.get(transaction.pos) ?? [],
    }))
}

/** Entries by position of their transaction, each list in order of history. */
function byTransaction<R extends { readonly pos: number; readonly txIndex: number }>(
  entries: readonly R[],
): Map<number, R[]> {
  const sorted = entries.toSorted((a, b) => a.pos - b.pos)
  return Map.groupBy(sorted, ({ pos, txIndex }) => posOfHeight(heightOf(pos)) + txIndex)
}
