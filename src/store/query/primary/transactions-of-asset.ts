/** Places of X-Chain transactions that touch an asset. */

import { xTypes } from '../../../core/type-ids.ts'
import { type Reader, statement, type Statement } from '../../engine/database.ts'
import { txStart } from '../../schema/primary-bodies.ts'
import { bytesValue } from '../stored-row.ts'
import { latestTransactions, type PlaceQuery } from './transactions-of-addresses.ts'

// Every store numbers AVAX first; ordinary transfers of it are not listed.
const avax = 1

function question(order: 'asc' | 'desc'): Statement {
  const text = (types: string): string =>
    `select pos from tx_by_asset where asset = ? and pos >= ? and pos < ?
     and (? = 0 or type in (${types})) order by pos ${order} limit ?`
  return statement(text('select j.value from json_each(?) j'), {
    over: 'tables',
    postgres: text('select j.value::bigint from json_array_elements_text(?::json) j'),
  })
}

const questions = { asc: question('asc'), desc: question('desc') } as const

/** An asset, by number, and wire types of transactions; all types where absent. */
export type AssetPlaceQuery = PlaceQuery & {
  readonly asset: number
  readonly types?: readonly number[] | undefined
}

/**
 * Places in order. One range of `tx_by_asset`; where ordinary transfers of AVAX are wanted, one of
 * `tx`, in which those of other types are passed over.
 */
export async function transactionsOfAsset(
  reader: Reader,
  query: AssetPlaceQuery,
): Promise<number[]> {
  const { asset, types, from, until, order, limit } = query
  if (asset === avax && types === undefined) return latestTransactions(reader, query)
  if (asset === avax && types?.includes(xTypes.BaseTx) === true)
    return ofTypes(reader, query, types)
  const filter = [types === undefined ? 0 : 1, JSON.stringify(types ?? [])]
  const rows = await reader.all(questions[order], [asset, from, until, ...filter, limit])
  return rows.map(([pos]) => Number(pos))
}

const withBodies = {
  asc: statement('select pos, body from tx where pos >= ? and pos < ? order by pos limit ?', {
    over: 'tables',
  }),
  desc: statement('select pos, body from tx where pos >= ? and pos < ? order by pos desc limit ?', {
    over: 'tables',
  }),
} as const
const readAtOnce = 500

async function ofTypes(
  reader: Reader,
  query: PlaceQuery,
  types: readonly number[],
): Promise<number[]> {
  const found: number[] = []
  let { from, until } = query
  for (;;) {
    const rows = await reader.all(withBodies[query.order], [from, until, readAtOnce])
    for (const [pos, body] of rows) {
      if (types.includes(txStart.fromStart(bytesValue(body)).typeId)) found.push(Number(pos))
      if (found.length === query.limit) return found
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < readAtOnce) return found
    if (query.order === 'asc') from = Number(last[0]) + 1
    else until = Number(last[0])
  }
}
