/** Internal transactions: of a transaction, an address. */

import { to0x } from '../../../core/bytes.ts'
import { itemAt } from '../../../core/item-at.ts'
import { type Reader, type Row, statement } from '../../engine/database.ts'
import { block, tx } from '../../schema/evm.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import { flag, hex, integer, maybe, type RowOf, storedRow, bothOrders } from '../stored-row.ts'
import { heightOf, posOfHeight, placeOf, overOf, positionsOf, type ListPart } from './position.ts'

/** A listed call frame `i`. */
const frameRow = storedRow({
  pos: integer('i.pos'),
  txIndex: integer('i.tx_index'),
  /** A value of `frameKinds` in the codec. */
  kind: integer('i.kind'),
  fromId: integer('i.from_id'),
  /** `undefined` for a creation that failed. */
  toId: maybe(integer('i.to_id')),
  /** `0x` hex, like the hashes; zero is `0x`. */
  value: hex('i.value'),
  gasLimit: hex('i.gas_limit'),
  gasUsed: integer('i.gas_used'),
  reverted: flag('i.reverted'),
})
/** A listed call frame with its block and its transaction, whose segments are others than its own. */
export type InternalRow = RowOf<typeof frameRow> & {
  readonly blockHash: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly timestampMs: number | undefined
  readonly txHash: string
}

/** Columns of a frame `i`, for {@link internalsOf}. */
const internalStatement = frameRow.statement

const blockOf = {
  table: block,
  key: ['height'],
  select: ['hash', 'timestamp', 'timestamp_ms'],
} as const
const transactionOf = { table: tx, key: ['pos'], select: ['hash'] } as const

/**
 * Frames of an answer, without those whose block was removed meanwhile. Cost: two look-ups by key
 * for each.
 */
async function internalsOf(store: Reader, rows: readonly Row[]): Promise<InternalRow[]> {
  if (rows.length === 0) return []
  const frames = rows.map(frameRow.read)
  const heights = frames.map(({ pos }) => heightOf(pos))
  const places = frames.map(({ txIndex }, at) => posOfHeight(itemAt(heights, at)) + txIndex)
  const blocks = await store.lookup(blockOf, [heights])
  const transactions = await store.lookup(transactionOf, [places])
  return frames.flatMap((frame, at) => {
    const [header, transaction] = [blocks[at], transactions[at]]
    if (header === undefined || transaction === undefined) return []
    return {
      ...frame,
      blockHash: to0x(header[0]),
      timestamp: header[1],
      timestampMs: header[2] ?? undefined,
      txHash: to0x(transaction[0]),
    }
  })
}

const internalsOfTransactionQuestion = internalStatement(
  (columns) => `select ${columns}
   from internal i
   where i.pos >= ? and i.pos < ? and i.tx_index = ?
   order by i.pos limit ?`,
  { over: 'oldest', within: { pos: [0, 1] }, stage: 'traces' },
)

/**
 * Listed call frames of the transaction at `txPos`, the first `most`, in the order they were entered.
 *
 * Cost: one scan of the block's frames by key.
 */
export async function internalsOfTransaction(
  store: Reader,
  txPos: number,
  most: number = placesPerBlock,
): Promise<InternalRow[]> {
  const from = posOfHeight(heightOf(txPos))
  const rows = await store.all(internalsOfTransactionQuestion, [
    from,
    from + placesPerBlock,
    placeOf(txPos),
    most,
  ])
  return internalsOf(store, rows)
}

const ofAddress = {
  key: { of: 'address', at: [0] },
  within: { pos: [1, 2] },
  stage: 'traces',
} as const

const questions = bothOrders((direction) =>
  internalStatement(
    (columns) => `select ${columns}
   from internal_by_address a
   join internal i on i.pos = a.pos
   where a.address_id = ? and a.pos >= ? and a.pos < ?
   order by a.pos ${direction} limit ?`,
    { over: overOf[direction], ...ofAddress },
  ),
)

/**
 * Listed call frames to or from an address inside `range`, newest first, or in `direction`, each once.
 *
 * Cost: one range scan of `internal_by_address`, and three look-ups by key per row.
 */
export async function internalsOfAddress(
  store: Reader,
  query: ListPart & { readonly addressId: number },
): Promise<InternalRow[]> {
  const { addressId, range, limit, direction = 'desc' } = query
  const rows = await store.all(questions[direction], [addressId, range.from, range.until, limit])
  return internalsOf(store, rows)
}

/** Positions of {@link internalsOfAddress}. Cost: one range scan of `internal_by_address`. */
export const internalPlaces = positionsOf<{ readonly addressId: number }>(
  bothOrders((direction) =>
    statement(
      `select a.pos from internal_by_address a
     where a.address_id = ? and a.pos >= ? and a.pos < ?
     order by a.pos ${direction} limit ?`,
      { over: overOf[direction], ...ofAddress },
    ),
  ),
  ({ addressId }) => [addressId],
)
