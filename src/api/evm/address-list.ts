/**
 * Paging of the rows of one address or token: its chain, and a page.
 */

import type { AddressListQuery } from '../../shape/evm/parameters.ts'
import type { ObjectSchema, Static } from '../../shape/type.ts'
import type { Database, MaybePromise } from '../../store/engine/database.ts'
import { heightAtTime, indexedHeight } from '../../store/query/evm/heights.ts'
import {
  posOfHeight,
  posRange,
  type PosRange,
  rangeBefore,
} from '../../store/query/evm/position.ts'
import type { ServedChain } from '../operation/chain-directory.ts'
import { type NumberedList, numberedPage, type Page } from '../operation/paging.ts'
import type { EvmContext } from './evm-context.ts'

type Query = Static<ObjectSchema<typeof AddressListQuery>>

/** A question to the store: rows of an address inside a range, newest first. */
type AddressQuestion = {
  readonly addressId: number
  readonly range: PosRange
  readonly limit: number
}

/** A list of rows of the address in a path. */
export type AddressList<R> = {
  /** Operation id: tokens of another are refused. */
  readonly route: string
  readonly path: { readonly chainId: string; readonly address: string }
  readonly query: Query
  readonly rows: (store: Database, question: AddressQuestion) => Promise<readonly R[]>
  /** Of all rows those that are wanted; absent: all are. */
  readonly fits?: ((row: R) => boolean) | undefined
}

/** A page of an address's rows. */
type AddressPage<R> = { readonly chain: ServedChain; readonly page: Page<R> }

type Row = { readonly pos: number; readonly fromId: number; readonly toId: number | undefined }

/** Reads one page; an address the chain has never shown has none. Throws `bad-page-token`. */
export async function addressPage<R extends Row>(
  context: EvmContext,
  list: AddressList<R>,
): Promise<AddressPage<R>> {
  const { route, path, query } = list
  const subject = await subjectOf(context, path)
  const { chain, id, binding } = subject
  const ranged = id === undefined ? undefined : rangeOf(chain, query)
  const range = ranged instanceof Promise ? await ranged : ranged
  const { counterparty } = query
  const sought =
    counterparty === undefined ? undefined : context.addressBooks(chain).find(counterparty)
  const other = sought instanceof Promise ? await sought : sought
  const read: ReadRows<R> = (addressId, part, limit) =>
    list.rows(chain.store, { addressId, range: part, limit })
  const isNobody = other !== undefined && other.id === undefined
  const rows: NumberedList<R>['rows'] =
    id === undefined || range === undefined || isNobody
      ? () => []
      : other?.id === undefined
        ? (before, limit) => read(id, rangeBefore(range, before), limit)
        : rowsOfBoth(read, { id, other: other.id, range })
  const numbered = { route, subject: binding, query, rows, numberOf: posOf }
  const fits = fitsOf(id, other?.id, list)
  return { chain, page: await numberedPage(context.tokens, numbered, fits) }
}

type ReadRows<R> = (id: number, range: PosRange, limit: number) => Promise<readonly R[]>

/**
 * Rows of `id`; where these are many and the other's few, which are read at once, those alone that they share. One of
 * millions that has to do with hardly any of them would be read for long.
 */
function rowsOfBoth<R extends Row>(
  read: ReadRows<R>,
  { id, other, range }: { readonly id: number; readonly other: number; readonly range: PosRange },
): NumberedList<R>['rows'] {
  let hasFew = true
  return async (before, limit) => {
    const part = rangeBefore(range, before)
    const own = await read(id, part, limit)
    if (own.length < limit || !hasFew) return own
    const rows = await read(other, part, limit)
    hasFew = rows.length < limit
    if (!hasFew) return own
    const shared: R[] = []
    for (const row of rows) {
      const { pos, fromId, toId } = row
      const isShared =
        fromId === id ||
        toId === id ||
        // Of a creation the row does not say what was created.
        (toId === undefined && (await read(id, { from: pos, until: pos + 1 }, 1)).length > 0)
      if (isShared) shared.push(row)
    }
    return shared
  }
}

function posOf({ pos }: Row): number {
  return pos
}

// What follows waits only where a query has such a part: few have, and each wait costs every page.

function rangeOf({ store }: ServedChain, query: Query): MaybePromise<PosRange> {
  const range = posRange(query.startBlock, query.endBlock)
  const { startTimestamp, endTimestamp } = query
  return startTimestamp === undefined && endTimestamp === undefined
    ? range
    : withinTimes(store, range, { startTimestamp, endTimestamp })
}

async function withinTimes(
  store: Database,
  range: PosRange,
  { startTimestamp, endTimestamp }: Pick<Query, 'startTimestamp' | 'endTimestamp'>,
): Promise<PosRange> {
  const newest = await indexedHeight(store, 'blocks')
  const firstSince = async (seconds: number): Promise<number> =>
    posOfHeight(1 + (await heightAtTime(store, { seconds: seconds - 1, newest })))
  return {
    from:
      startTimestamp === undefined
        ? range.from
        : Math.max(range.from, await firstSince(startTimestamp)),
    until:
      endTimestamp === undefined
        ? range.until
        : Math.min(range.until, await firstSince(endTimestamp)),
  }
}

/** The rows that are wanted; `undefined` where all are. */
function fitsOf<R extends Row>(
  id: number | undefined,
  other: number | undefined,
  { query: { direction }, fits }: AddressList<R>,
): ((row: R) => boolean) | undefined {
  if (direction === undefined && other === undefined) return fits
  return (row) =>
    (direction === undefined || (direction === 'in' ? row.toId : row.fromId) === id) &&
    (other === undefined || row.fromId === other || row.toId === other) &&
    fits?.(row) !== false
}

/** An address of a chain. */
export type Subject = {
  readonly chain: ServedChain
  readonly address: Uint8Array
  /** `undefined` when the chain has never shown the address. */
  readonly id: number | undefined
  /** Part of the binding of page tokens. */
  readonly binding: Readonly<Record<string, string>>
}

/** Finds chain and address. Throws `not-found` for a chain that is not served. */
export async function subjectOf(
  { chains, addressBooks }: EvmContext,
  path: { readonly chainId: string; readonly address: string },
): Promise<Subject> {
  const chain = chains.find(path.chainId)
  const soon = addressBooks(chain).find(path.address)
  const { bytes, lowerText, id } = soon instanceof Promise ? await soon : soon
  return { chain, address: bytes, id, binding: { chain: chain.facts.key, of: lowerText } }
}
