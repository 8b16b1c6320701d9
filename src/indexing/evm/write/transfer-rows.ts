/** Rows of token transfers, of tokens, and of kept logs. */

import { type BlockBatch, standardOf } from '../../../codec/evm/columns/columns.ts'
import { f64At, itemAt, u32At, u8At } from '../../../core/item-at.ts'
import type { ColumnsOf, Writer } from '../../../store/engine/database.ts'
import {
  event,
  eventByKind,
  token,
  transfer,
  transferByAddress,
  transferByToken,
} from '../../../store/schema/evm.ts'
import { gather, gatherWords, radixOrder } from '../../stream/radix-order.ts'
import { storedColumns, storedEvents, storedTransfers } from './batch-columns.ts'
import { FanOut } from './fan-out.ts'

/** Where the rows of a batch go: positions, and places of their transactions in their blocks. */
type RowPlaces = {
  readonly ids: Float64Array
  readonly pos: Float64Array
  /** Place in its block of every transaction of the batch. */
  readonly txPlace: Uint32Array
}

const standards = [20, 721, 1155] as const

/** Writes transfers with the lists of addresses and tokens. */
export async function writeTransfers(
  writer: Writer,
  batch: BlockBatch,
  at: RowPlaces,
): Promise<void> {
  const { transfers, arena } = batch
  await writer.insert(transfer, {
    pos: at.pos,
    tx_index: gatherWords(at.txPlace, transfers.tx),
    ...storedColumns(storedTransfers, transfers, { arena, ids: at.ids }),
  })
  await writer.insert(transferByAddress, addressLists(batch, at))
  await writer.insert(transferByToken, tokenLists(batch, at))
}

/** In key order: address, standard, position. */
function addressLists(
  { transfers }: BlockBatch,
  { ids, pos }: RowPlaces,
): ColumnsOf<typeof transferByAddress> {
  // Three lists an address: their numbers keep the order of the key.
  const fanOut = new FanOut(transfers.count * 2)
  for (let row = 0; row < transfers.count; row++) {
    const list = standards.findIndex((each) => each === standardOf(u8At(transfers.kind, row)))
    if (list === -1) continue
    const from = u32At(transfers.from, row)
    const to = u32At(transfers.to, row)
    fanOut.add(f64At(ids, from) * 3 + list, row)
    if (to !== from) fanOut.add(f64At(ids, to) * 3 + list, row)
  }
  const { ids: lists, rows } = fanOut.sorted()
  return {
    address_id: lists.map((list) => Math.floor(list / 3)),
    standard: lists.map((list) => itemAt(standards, list % 3)),
    pos: gather(pos, rows),
  }
}

function tokenLists(
  { transfers }: BlockBatch,
  { ids, pos }: RowPlaces,
): ColumnsOf<typeof transferByToken> {
  const fanOut = new FanOut(transfers.count)
  for (let row = 0; row < transfers.count; row++)
    if (standardOf(u8At(transfers.kind, row)) > 0)
      fanOut.add(f64At(ids, u32At(transfers.token, row)), row)
  const { ids: owners, rows } = fanOut.sorted()
  return { token_id: owners, pos: gather(pos, rows) }
}

/**
 * Writes tokens seen for the first time, and the standard of those whose logs say more now: the
 * highest of 20, 721, 1155 that any log showed. `heights` are those of the transfers.
 */
export async function writeTokens(
  writer: Writer,
  batch: BlockBatch,
  at: { readonly ids: Float64Array; readonly heights: Float64Array },
): Promise<void> {
  const { transfers } = batch
  const seen = new Map<number, { standard: number; height: number }>()
  for (let row = 0; row < transfers.count; row++) {
    const standard = standardOf(u8At(transfers.kind, row))
    if (standard === 0) continue
    const id = f64At(at.ids, u32At(transfers.token, row))
    const known = seen.get(id)
    if (known === undefined) seen.set(id, { standard, height: f64At(at.heights, row) })
    else if (standard > known.standard) known.standard = standard
  }
  const tokens = Array.from(seen, ([id, what]) => ({ id, ...what })).toSorted((a, b) => a.id - b.id)
  const ids = tokens.map(({ id }) => id)
  const stored = await writer.lookup({ table: token, key: ['id'], select: ['standard'] }, [ids])
  const fresh = tokens.filter((_, row) => stored[row] === undefined)
  const raised = tokens.filter(({ standard }, row) => {
    const before = stored[row]
    return before !== undefined && before[0] < standard
  })
  await writer.insert(token, newTokens(fresh))
  await writer.update(token, {
    id: raised.map(({ id }) => id),
    standard: raised.map(({ standard }) => standard),
  })
}

/** Writes logs kept whole for later stages. */
export async function writeEvents(writer: Writer, batch: BlockBatch, at: RowPlaces): Promise<void> {
  const { events, arena } = batch
  await writer.insert(event, {
    pos: at.pos,
    tx_index: gatherWords(at.txPlace, events.tx),
    ...storedColumns(storedEvents, events, { arena, ids: at.ids }),
  })
  const order = radixOrder(Float64Array.from(events.kind))
  await writer.insert(eventByKind, {
    kind: gather(events.kind, order),
    pos: gather(at.pos, order),
  })
}

/** A token that a log showed: its number, the standard of the log, and the height of the first one. */
export type ShownToken = {
  readonly id: number
  readonly standard: number
  readonly height: number
}

/** Columns of new rows of `token`: these contracts were not called yet. */
export function newTokens(tokens: readonly ShownToken[]): ColumnsOf<typeof token> {
  const never = tokens.map(() => 0)
  const unknown = tokens.map(() => null)
  return {
    id: tokens.map(({ id }) => id),
    standard: tokens.map(({ standard }) => standard),
    first_height: tokens.map(({ height }) => height),
    name: unknown,
    symbol: unknown,
    decimals: unknown,
    decimals_reason: unknown,
    metadata_height: never,
    metadata_at: never,
    compared_at: never,
    code: unknown,
    source: unknown,
    inexact_height: unknown,
    inexact_holder: unknown,
    inexact_reason: unknown,
    agreed: never,
    transfers: never,
    holders: never,
  }
}
