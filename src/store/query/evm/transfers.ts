/** Token transfers: of a transaction, a token, an address. */

import { type Reader, statement } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import { hash, hex, integer, maybe, type RowOf, storedRow, bothOrders } from '../stored-row.ts'
import { heightOf, placeOf, posOfHeight, overOf, positionsOf, type ListPart } from './position.ts'

/** A transfer `t`, with its block `b` and transaction `x`. */
const transferRow = storedRow({
  pos: integer('t.pos'),
  txIndex: integer('t.tx_index'),
  logIndex: integer('t.log_index'),
  /** A value of `transferKinds` in the codec. */
  kind: integer('t.kind'),
  tokenId: integer('t.token_id'),
  fromId: integer('t.from_id'),
  toId: integer('t.to_id'),
  /** `0x` hex, like all of the following that are text; zero is `0x`. */
  value: hex('t.value'),
  /** Token id of an NFT. */
  item: maybe(hex('t.item')),
  blockHash: hash('b.hash'),
  /** Unix seconds. */
  timestamp: integer('b.timestamp'),
  timestampMs: maybe(integer('b.timestamp_ms')),
  txHash: hash('x.hash'),
})
/** Row of {@link transferRow}. */
export type TransferRow = RowOf<typeof transferRow>

/** Finds block and transaction of a transfer `t`. */
const transferPlace =
  `join evm_block b on b.height = t.pos / ${placesPerBlock} ` +
  `join evm_transaction x on x.pos = t.pos / ${placesPerBlock} * ${placesPerBlock} + t.tx_index`

const transfersOfTransactionQuestion = transferRow.statement(
  (columns) => `select ${columns}
   from transfer t
   ${transferPlace}
   where t.pos >= ? and t.pos < ? and t.tx_index = ?
   order by t.pos limit ?`,
  { over: 'oldest', within: { pos: [0, 1] } },
)

/**
 * Transfers of the transaction at `txPos`, the first `most`, in order of logs and of the entries of batches;
 * deposits and withdrawals of wrapped tokens included.
 *
 * Cost: one scan of the block's transfers by key (a block's gas pays for a few thousand).
 */
export async function transfersOfTransaction(
  store: Reader,
  txPos: number,
  most: number = placesPerBlock,
): Promise<TransferRow[]> {
  const from = posOfHeight(heightOf(txPos))
  return transferRow.all(store, transfersOfTransactionQuestion, [
    from,
    from + placesPerBlock,
    placeOf(txPos),
    most,
  ])
}

const transfersOfTokenQuestions = bothOrders((direction) =>
  transferRow.statement(
    (columns) => `select ${columns}
   from transfer_by_token a
   join transfer t on t.pos = a.pos
   ${transferPlace}
   where a.token_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos ${direction} limit ?`,
    { over: overOf[direction], key: { of: 'token', at: [0] }, within: { pos: [1, 2] } },
  ),
)

/**
 * Transfers of a token contract inside `range`, of every standard it logged, newest first, or in `direction`.
 *
 * Cost: one range scan of `transfer_by_token`, and three look-ups by key per row.
 */
export async function transfersOfToken(
  store: Reader,
  query: ListPart & { readonly tokenId: number },
): Promise<TransferRow[]> {
  const { tokenId, range, limit, direction = 'desc' } = query
  return transferRow.all(store, transfersOfTokenQuestions[direction], [
    tokenId,
    range.from,
    range.until,
    limit,
  ])
}

const transfersOfAddressQuestions = bothOrders((direction) =>
  transferRow.statement(
    (columns) => `select ${columns}
   from transfer_by_address a
   join transfer t on t.pos = a.pos
   ${transferPlace}
   where a.address_id = ? and a.standard = ? and a.pos >= ? and a.pos < ?
   order by a.pos ${direction} limit ?`,
    { over: overOf[direction], key: { of: 'transfers', at: [0, 1] }, within: { pos: [2, 3] } },
  ),
)

/**
 * Transfers of one standard (20, 721, 1155) to or from an address inside `range`, newest first, or in `direction`,
 * each once.
 *
 * Cost: one range scan of `transfer_by_address`, and three look-ups by key per row.
 */
export async function transfersOfAddress(
  store: Reader,
  query: ListPart & { readonly addressId: number; readonly standard: 20 | 721 | 1155 },
): Promise<TransferRow[]> {
  const { addressId, standard, range, limit, direction = 'desc' } = query
  return transferRow.all(store, transfersOfAddressQuestions[direction], [
    addressId,
    standard,
    range.from,
    range.until,
    limit,
  ])
}

/**
 * {@link transfersOfAddress} of every standard. Cost: that of each standard, whose rows are read for a whole page.
 */
export async function allTransfersOfAddress(
  store: Reader,
  query: ListPart & { readonly addressId: number },
): Promise<TransferRow[]> {
  const sign = query.direction === 'asc' ? 1 : -1
  const lists = await Promise.all(
    ([20, 721, 1155] as const).map((standard) => transfersOfAddress(store, { ...query, standard })),
  )
  return lists
    .flat()
    .toSorted((a, b) => sign * (a.pos - b.pos))
    .slice(0, query.limit)
}

/** Positions of {@link transfersOfAddress}. Cost: one range scan of `transfer_by_address`. */
export const transferPlaces = positionsOf<{
  readonly addressId: number
  readonly standard: 20 | 721 | 1155
}>(
  bothOrders((direction) =>
    statement(
      `select a.pos from transfer_by_address a
     where a.address_id = ? and a.standard = ? and a.pos >= ? and a.pos < ?
     order by a.pos ${direction} limit ?`,
      { over: overOf[direction], key: { of: 'transfers', at: [0, 1] }, within: { pos: [2, 3] } },
    ),
  ),
  ({ addressId, standard }) => [addressId, standard],
)
