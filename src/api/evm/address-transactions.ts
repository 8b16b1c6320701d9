/** Transactions an address took part in, with the entries that touch it. */

import { activityOfAddress, type Direction } from '../../store/query/evm/activity-of-address.ts'
import type { InternalRow } from '../../store/query/evm/internal-row.ts'
import { internalsOfAddress } from '../../store/query/evm/internals-of-address.ts'
import { heightOf, posOfHeight, type PosRange, posRange } from '../../store/query/evm/position.ts'
import { transactionAt } from '../../store/query/evm/transaction-by-hash.ts'
import type { TransactionRow } from '../../store/query/evm/transaction-row.ts'
import type { TransferRow } from '../../store/query/evm/transfer-row.ts'
import { transfersOfAddress } from '../../store/query/evm/transfers-of-address.ts'
import type { ServedChain } from '../chain-directory.ts'
import { bindingOf, numberCursor, type Page, readPage } from '../paging.ts'
import type { EvmParts } from './parts.ts'
import type { Subject } from './subject.ts'

/** One transaction and what of it touches the address, in order of history. */
export type Participation = {
  readonly transaction: TransactionRow
  readonly transfers: readonly TransferRow[]
  readonly internals: readonly InternalRow[]
}

/** Parameters of the list. */
export type ParticipationQuery = {
  readonly startBlock?: number | undefined
  readonly endBlock?: number | undefined
  readonly sortOrder?: Direction | undefined
  readonly pageToken?: string | undefined
  readonly pageSize?: number | undefined
}

// Entries of one kind read for one page: a hundred transactions with fifty each.
const maxEntries = 5_000

/** One page for the operation `route`. */
export async function participationPage(
  { tokens }: EvmParts,
  { chain, id, binding }: Subject,
  request: { readonly route: string; readonly query: ParticipationQuery; readonly limit: number },
): Promise<Page<Participation>> {
  const { route, query, limit } = request
  const page = await readPage<number, number>({
    tokens,
    pageToken: query.pageToken,
    binding: bindingOf(route, { ...query, ...binding }),
    limit,
    ...numberCursor,
    rows: async (after, count) =>
      id === undefined
        ? []
        : activityOfAddress(chain.store, {
            addressId: id,
            range: posRange(query.startBlock, query.endBlock),
            after,
            direction: query.sortOrder ?? 'desc',
            limit: count,
          }),
    cursorOf: (pos) => pos,
  })
  return { ...page, rows: await participations(chain, id ?? 0, page.rows) }
}

/** What touches the address in the transactions at `positions`. */
async function participations(
  chain: ServedChain,
  addressId: number,
  positions: readonly number[],
): Promise<Participation[]> {
  if (positions.length === 0) return []
  // A page holds every transaction of the address between its ends: one range covers them.
  const heights = positions.map(heightOf)
  const range = {
    from: posOfHeight(Math.min(...heights)),
    until: posOfHeight(Math.max(...heights) + 1),
  }
  const [transactions, transfers, internals] = await Promise.all([
    Promise.all(positions.map((pos) => transactionAt(chain.store, pos))),
    entriesByTransaction(range, (part, limit) => transfersIn(chain, addressId, part, limit)),
    entriesByTransaction(range, (part, limit) =>
      internalsOfAddress(chain.store, { addressId, range: part, limit }),
    ),
  ])
  return transactions
    .filter((transaction) => transaction !== undefined)
    .map((transaction) => ({
      transaction,
      transfers: transfers.get(transaction.pos) ?? [],
      internals: internals.get(transaction.pos) ?? [],
    }))
}

async function transfersIn(
  chain: ServedChain,
  addressId: number,
  range: PosRange,
  limit: number,
): Promise<TransferRow[]> {
  const standards = [20, 721, 1155] as const
  const lists = await Promise.all(
    standards.map((standard) =>
      transfersOfAddress(chain.store, { addressId, standard, range, limit }),
    ),
  )
  return lists.flat()
}

/** Entries inside `range` by position of their transaction, each list in order of history. */
async function entriesByTransaction<R extends { readonly pos: number; readonly txIndex: number }>(
  range: PosRange,
  read: (range: PosRange, limit: number) => Promise<readonly R[]>,
): Promise<Map<number, R[]>> {
  const rows = [...(await read(range, maxEntries))].sort((a, b) => a.pos - b.pos)
  const byTransaction = new Map<number, R[]>()
  for (const row of rows) {
    const txPos = posOfHeight(heightOf(row.pos)) + row.txIndex
    const list = byTransaction.get(txPos)
    if (list === undefined) byTransaction.set(txPos, [row])
    else list.push(row)
  }
  return byTransaction
}
