/** Where a contract was created. */

import { type Reader, type Row, type Statement, statement } from '../../engine/database.ts'
import { integerAt } from '../row-values.ts'
import { heightOf, posOfHeight } from './position.ts'

/** The transaction that created a contract, and the contract that did it inside, if one did. */
export type CreationRow = { readonly txPos: number; readonly creatorId: number | undefined }

const transactions = statement(
  `select x.pos, x.created_id, x.status from tx_by_address a join tx x on x.pos = a.pos
   where a.address_id = ? and a.pos > ? order by a.pos limit ?`,
  { over: 'oldest' },
)

const calls = statement(
  `select i.pos, i.tx_index, i.from_id, i.to_id, i.reverted, i.kind
   from internal_by_address a join internal i on i.pos = a.pos
   where a.address_id = ? and a.pos > ? order by a.pos limit ?`,
  { over: 'oldest', stage: 'traces' },
)

// The creations of `frameKinds` in the codec.
const creations: readonly number[] = [2, 3, 4]

// A contract is created before it is used; only coins can come earlier.
const entriesLookedAt = 1_000
// Nearly always the first entry is the creation.
const firstEntries = 8

/**
 * The first creation of the contract at an address, or `undefined`, also when it does not lie
 * among the first thousand entries of the address.
 *
 * Cost: one scan of at most 1,000 rows of `tx_by_address`, and of `internal_by_address` where
 * that finds nothing, a look-up by key per row.
 */
export async function creationOfContract(
  store: Reader,
  addressId: number,
): Promise<CreationRow | undefined> {
  const direct = await firstEntry(store, transactions, {
    addressId,
    isIt: ([, created, status]) => created === addressId && status === 1,
  })
  if (direct !== undefined) return { txPos: integerAt(direct, 0), creatorId: undefined }
  const inner = await firstEntry(store, calls, {
    addressId,
    isIt: ([, , , to, reverted, kind]) =>
      to === addressId && reverted === 0 && creations.includes(Number(kind)),
  })
  if (inner === undefined) return undefined
  const pos = posOfHeight(heightOf(integerAt(inner, 0)))
  return { txPos: pos + integerAt(inner, 1), creatorId: integerAt(inner, 2) }
}

/** The first of the oldest entries of an address that `isIt`; its position comes first in a row. */
async function firstEntry(
  store: Reader,
  question: Statement,
  { addressId, isIt }: { readonly addressId: number; readonly isIt: (row: Row) => boolean },
): Promise<Row | undefined> {
  let after = -1
  let read = 0
  for (let limit = firstEntries; read < entriesLookedAt; limit = entriesLookedAt - read) {
    const rows = await store.all(question, [addressId, after, limit])
    const found = rows.find(isIt)
    const last = rows.at(-1)
    if (found !== undefined || last === undefined || rows.length < limit) return found
    after = integerAt(last, 0)
    read += rows.length
  }
  return undefined
}
