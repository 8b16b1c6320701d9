/** Creations of contracts: of one, of several, of a deployer. */

import { type Reader, type Row, type Statement, statement } from '../../engine/database.ts'
import { tx } from '../../schema/evm.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import { integerAt } from '../row-values.ts'
import { heightOf, posOfHeight } from './position.ts'

/** The transaction that created a contract, and the contract that did it inside, if one did. */
type CreationRow = { readonly txPos: number; readonly creatorId: number | undefined }

const transactions = statement(
  `select x.pos, x.created_id, x.status from evm_transaction_by_address a join evm_transaction x on x.pos = a.pos
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
 * Cost: one scan of at most 1,000 rows of `evm_transaction_by_address`, and of `internal_by_address` where
 * that finds nothing, a look-up by key per row.
 */
export async function creationOfContract(
  store: Reader,
  addressId: number,
): Promise<CreationRow | undefined> {
  const direct = await firstEntry(
    store,
    transactions,
    addressId,
    ([, created, status]) => created === addressId && status === 1,
  )
  if (direct !== undefined) return { txPos: direct[0], creatorId: undefined }
  const inner = await firstEntry(
    store,
    calls,
    addressId,
    ([, , , to, reverted, kind]) => to === addressId && reverted === 0 && creations.includes(kind),
  )
  if (inner === undefined) return undefined
  const pos = posOfHeight(heightOf(inner[0]))
  return { txPos: pos + inner[1], creatorId: inner[2] }
}

/** The first of the oldest entries of an address that `isIt`; its position comes first in a row. */
async function firstEntry<R extends readonly [number, ...Row]>(
  store: Reader,
  question: Statement<R>,
  addressId: number,
  isIt: (row: R) => boolean,
): Promise<R | undefined> {
  let after = -1
  let read = 0
  for (let limit = firstEntries; read < entriesLookedAt; limit = entriesLookedAt - read) {
    const rows = await store.all(question, [addressId, after, limit])
    const found = rows.find(isIt)
    const last = rows.at(-1)
    if (found !== undefined || last === undefined || rows.length < limit) return found
    after = last[0]
    read += rows.length
  }
  return undefined
}

/**
 * Numbers of the contracts by position of their transaction; those that failed have none. Cost: one
 * look-up by key each.
 */
export async function createdContracts(
  store: Reader,
  rows: readonly { readonly pos: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (rows.length === 0) return new Map()
  const positions = rows.map(({ pos }) => pos)
  const found = await store.lookup({ table: tx, key: ['pos'], select: ['created_id'] }, [positions])
  return new Map(
    positions.flatMap((pos, at) => {
      const id = found[at]?.[0]
      return typeof id === 'number' ? [[pos, id] as const] : []
    }),
  )
}

/** A contract, the transaction that created it, and the contract that did it inside, if one did. */
export type DeploymentRow = {
  readonly contractId: number
  readonly txPos: number
  /** Place in the order: the transaction's, then that of the creation in it. */
  readonly place: number
  readonly creatorId: number | undefined
}

/** Where to go on: transactions strictly before it, without those of `place` seen already. */
export type DeploymentCursor = { readonly txPos: number; readonly place: number }

/** Deployments of a page, and where reading ended before the list did. */
type Deployments = { readonly rows: readonly DeploymentRow[]; readonly goOnAt?: DeploymentCursor }

const sent = statement(
  `select x.pos, x.created_id from evm_transaction_by_address a join evm_transaction x on x.pos = a.pos
   where a.address_id = ? and a.pos <= ? and x.from_id = ? and x.status = 1
   order by a.pos desc limit ?`,
  { over: 'newest' },
)

const all = statement(
  'select pos, created_id from evm_transaction where pos <= ? and status = 1 order by pos desc limit ?',
  { over: 'newest' },
)

// Kinds 2 to 4 are the creations of `frameKinds` in the codec.
const inside = statement(
  `select j.value, i.pos, i.to_id, i.from_id from json_each(?) j cross join internal i
   where i.pos >= j.value / ${placesPerBlock} * ${placesPerBlock} and i.pos < (j.value / ${placesPerBlock} + 1) * ${placesPerBlock}
     and i.tx_index = j.value % ${placesPerBlock} and i.reverted = 0 and i.kind in (2, 3, 4)
     and i.to_id is not null`,
  {
    over: 'oldest',
    stage: 'traces',
    postgres: `select j.value::bigint, i.pos, i.to_id, i.from_id
      from json_array_elements_text(?::json) j join internal i
        on i.pos >= j.value::bigint / ${placesPerBlock} * ${placesPerBlock}
        and i.pos < (j.value::bigint / ${placesPerBlock} + 1) * ${placesPerBlock}
        and i.tx_index = j.value::bigint % ${placesPerBlock}
      where i.reverted = 0 and i.kind in (2, 3, 4) and i.to_id is not null`,
  },
)

const readAtOnce = 250
// Where hardly anything is deployed: some 5 ms for a page, which then has a token to go on.
const mostRead = 2_000

/**
 * Deployments of an address, or of all, from `cursor` on, newest transaction first, at most `limit`.
 *
 * Cost: a range of `evm_transaction_by_address` or `evm_transaction`, and for each transaction the internal ones of its block.
 */
export async function deployments(
  store: Reader,
  query: {
    readonly addressId: number | undefined
    readonly from: DeploymentCursor | undefined
    readonly limit: number
  },
): Promise<Deployments> {
  const { addressId, limit } = query
  const rows: DeploymentRow[] = []
  let before = query.from?.txPos ?? Number.MAX_SAFE_INTEGER
  let skipped = query.from?.place ?? -1
  for (let read = 0; read < mostRead; read += readAtOnce) {
    const transactions =
      addressId === undefined
        ? await store.all(all, [before, readAtOnce])
        : await store.all(sent, [addressId, before, addressId, readAtOnce])
    const created = await creationsIn(
      store,
      transactions.map((row) => ({ pos: row[0], createdId: row[1] ?? undefined })),
    )
    for (const row of created) {
      if (row.txPos === query.from?.txPos && row.place <= skipped) continue
      rows.push(row)
      if (rows.length === limit) return { rows }
    }
    const last = transactions.at(-1)
    if (last === undefined || transactions.length < readAtOnce) return { rows }
    before = last[0] - 1
    skipped = -1
  }
  return { rows, goOnAt: { txPos: before, place: -1 } }
}

type Sent = { readonly pos: number; readonly createdId: number | undefined }

/** Creations of transactions, in the order of these; the contract of a transaction itself first. */
async function creationsIn(store: Reader, transactions: readonly Sent[]): Promise<DeploymentRow[]> {
  if (transactions.length === 0) return []
  const found = await store.all(inside, [JSON.stringify(transactions.map(({ pos }) => pos))])
  const rows = found.map((row) => ({
    txPos: integerAt(row, 0),
    place: integerAt(row, 1) % placesPerBlock,
    contractId: integerAt(row, 2),
    creatorId: integerAt(row, 3),
  }))
  return transactions.flatMap(({ pos, createdId }) => {
    const own = rows
      .filter(({ txPos, contractId }) => txPos === pos && contractId !== createdId)
      .toSorted((a, b) => a.place - b.place)
      .map((row, at) => ({ ...row, place: at + 1 }))
    if (createdId === undefined) return own
    return [{ txPos: pos, place: 0, contractId: createdId, creatorId: undefined }, ...own]
  })
}
