/**
 * Places of transactions: the latest of a chain, those of addresses, those of an L1 validation.
 *
 * Order: place, either way, strictly within (`from`, `until`). Each comes once.
 */

import { type Reader, statement, type Statement } from '../../engine/database.ts'
import { mergeLists } from './merged-lists.ts'

/** Range, count and direction of the places to read. */
export type PlaceQuery = {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly until: number
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

const latest = {
  asc: statement('select pos from tx where pos >= ? and pos < ? order by pos limit ?', {
    over: 'tables',
  }),
  desc: statement('select pos from tx where pos >= ? and pos < ? order by pos desc limit ?', {
    over: 'tables',
  }),
} as const

/** Transactions of whatever kind. One range of the key. */
export async function latestTransactions(reader: Reader, query: PlaceQuery): Promise<number[]> {
  const rows = await reader.all(latest[query.order], [query.from, query.until, query.limit])
  return rows.map(([pos]) => Number(pos))
}

function listQuestion(order: 'asc' | 'desc', onlyOpenStakes: boolean): Statement {
  const join = onlyOpenStakes ? 'join staker s on s.pos = a.pos' : ''
  const open = onlyOpenStakes ? 'and s.status in (0, 1)' : ''
  const text = (types: string): string =>
    `select a.pos from tx_by_address a ${join}
     where a.address_id = ? and a.pos >= ? and a.pos < ? ${open}
       and (? = 0 or a.type in (${types})) order by a.pos ${order} limit ?`
  return statement(text('select j.value from json_each(?) j'), {
    over: 'tables',
    postgres: text('select j.value::bigint from json_array_elements_text(?::json) j'),
  })
}

const lists = {
  asc: { any: listQuestion('asc', false), openStakes: listQuestion('asc', true) },
  desc: { any: listQuestion('desc', false), openStakes: listQuestion('desc', true) },
} as const

/** Parameters of {@link transactionsOfAddresses}. */
export type AddressPlaceQuery = PlaceQuery & {
  /** Numbers of addresses. */
  readonly addresses: readonly number[]
  /** Wire type ids; absent: all. */
  readonly types?: readonly number[] | undefined
  /** Only staking transactions whose stake is pending or active. */
  readonly onlyOpenStakes?: boolean
}

/**
 * Transactions that concern any of `addresses`. One range of `tx_by_address` each; those of other
 * types are passed over in it.
 */
export async function transactionsOfAddresses(
  reader: Reader,
  query: AddressPlaceQuery,
): Promise<number[]> {
  const { order, types } = query
  const asked = lists[order][query.onlyOpenStakes === true ? 'openStakes' : 'any']
  const sign = order === 'asc' ? 1 : -1
  return mergeLists<number, number>({
    lists: query.addresses,
    limit: query.limit,
    compare: (a, b) => sign * (a - b),
    accepts: () => true,
    read: async (address, after, limit) => {
      const from = after === undefined || order === 'desc' ? query.from : after + 1
      const until = after === undefined || order === 'asc' ? query.until : after
      const filter = [types === undefined ? 0 : 1, JSON.stringify(types ?? [])]
      const rows = await reader.all(asked, [address, from, until, ...filter, limit])
      return rows.map(([pos]) => Number(pos))
    },
  })
}

function validationQuestion(order: 'asc' | 'desc'): Statement {
  return statement(
    `select c.pos from l1_change c join tx t on t.pos = c.pos
     where c.l1_id = ? and c.pos >= ? and c.pos < ? order by c.height ${order}, c.pos ${order}`,
    { over: 'tables' },
  )
}

const ofValidation = { asc: validationQuestion('asc'), desc: validationQuestion('desc') } as const

/** Transactions about an L1 validation, by its number. A validation has few. */
export async function transactionsOfValidation(
  reader: Reader,
  l1Id: number,
  query: PlaceQuery,
): Promise<number[]> {
  const rows = await reader.all(ofValidation[query.order], [l1Id, query.from, query.until])
  return [...new Set(rows.map(([pos]) => Number(pos)))]
}
