/**
 * Sums over the UTXOs of addresses, now or at a moment.
 *
 * Plain UTXOs (see `utxoKinds`) are summed by asset in the store; all others are given one by
 * one, each once with the number of its owners queried, for the caller to judge locks and
 * stakes. Cost: two ranges of `open_holding` per address, four where there is more than AVAX; at a
 * moment, as many again of `spent_holding`.
 */

import { type Reader, type Statement, statement, type Value } from '../../engine/database.ts'
import { assetOf, listOf, packTraits, traitsSql } from '../../schema/primary/holding.ts'
import type { PrimaryChain } from '../../schema/primary/position.ts'
import { utxosByNumber, type StoredUtxo } from './utxos.ts'

/** Sum of the plain UTXOs of one asset. */
export type PlainSum = { readonly asset: number; readonly amount: bigint; readonly count: number }

/** Balances of addresses. */
export type Holdings = {
  readonly plain: readonly PlainSum[]
  /** Outputs for which enough of the owners were queried. */
  readonly others: readonly StoredUtxo[]
}

// Halves of 32 bits: sums of 64-bit amounts overflow SQLite's integers, these cannot.
const sums = `count(*), cast(sum(h.amount >> 32) as bigint),
  cast(sum(h.amount & 4294967295) as bigint)`

/** Almost all there is: plain AVAX, which has number 1 in every store. */
const plainAvax = packTraits({ asset: 1, kind: 0, needed: 1 })

function question(table: string, columns: string, rest: string): Statement {
  return statement(
    `select ${columns} from json_each(?) j cross join ${table} h
     where h.list = j.value and ${rest}`,
    {
      postgres: `select ${columns} from json_array_elements_text(?::json) j
        join ${table} h on h.list = j.value::bigint where ${rest}`,
    },
  )
}

type Questions = Readonly<Record<'avax' | 'rest' | 'assets' | 'others', Statement>>

function questionsOf(table: string, when: string): Questions {
  return {
    // Sum of AVAX: no groups, which would sort every entry.
    avax: question(table, `${plainAvax}, ${sums}`, `h.traits = ${plainAvax} and ${when}`),
    // Hardly ever is there anything else, and finding none is cheaper than sorting none.
    rest: question(table, '1', `h.traits <> ${plainAvax} and ${when} limit 1`),
    assets: question(
      table,
      `h.traits, ${sums}`,
      `${when} and h.traits <> ${plainAvax} and h.${traitsSql.isPlain} group by h.traits`,
    ),
    others: question(
      table,
      'h.utxo',
      `${when} and not h.${traitsSql.isPlain}
      group by h.utxo having ? = 1 or count(*) >= max(h.${traitsSql.needed}) order by h.utxo`,
    ),
  }
}

const openNow = questionsOf('open_holding', 'true')
const openThen = questionsOf('open_holding', 'h.created_at < ?')
const spentSince = questionsOf('spent_holding', 'h.created_at < ? and h.spent_at > ?')

/** Balances of `addresses` (numbers) in the lists of `chain`, now or just before `moment`. */
export async function balancesOfAddresses(
  reader: Reader,
  query: {
    readonly addresses: readonly number[]
    readonly chain: PrimaryChain
    /** Unix seconds: made before it, not spent at it or before. */
    readonly moment?: number | undefined
    /** Count also what was spent at `moment`: what was held when it came. */
    readonly withSpentThen?: boolean
    /** Count what has any of the owners queried, as nodes do. */
    readonly anyOwner?: boolean
  },
): Promise<Holdings> {
  const { chain, moment } = query
  const lists = JSON.stringify(query.addresses.map((address) => listOf(address, chain)))
  const least = query.anyOwner === true ? 1 : 0
  const parts =
    moment === undefined
      ? [await held(reader, openNow, [lists], least)]
      : [
          await held(reader, openThen, [lists, moment], least),
          await held(
            reader,
            spentSince,
            [lists, moment, query.withSpentThen === true ? moment - 1 : moment],
            least,
          ),
        ]
  const others = parts.flatMap((part) => part.others).sort((a, b) => a - b)
  // Sums of all parts by asset.
  const sumsByAsset = new Map<number, PlainSum>()
  for (const { asset, amount, count } of parts.flatMap(({ plain }) => plain)) {
    if (count === 0) continue
    const sum = sumsByAsset.get(asset) ?? { asset, amount: 0n, count: 0 }
    sumsByAsset.set(asset, { asset, amount: sum.amount + amount, count: sum.count + count })
  }
  return { plain: [...sumsByAsset.values()], others: await utxosByNumber(reader, others) }
}

type Part = { readonly plain: readonly PlainSum[]; readonly others: readonly number[] }

async function held(
  reader: Reader,
  statements: Questions,
  values: readonly Value[],
  least: number,
): Promise<Part> {
  const avax = await reader.all(statements.avax, values)
  const hasRest = (await reader.get(statements.rest, values)) !== undefined
  const rows = hasRest ? [...avax, ...(await reader.all(statements.assets, values))] : avax
  const others = hasRest ? await reader.all(statements.others, [...values, least]) : []
  return {
    plain: rows.map(([traits, count, high, low]) => ({
      asset: assetOf(Number(traits)),
      count: Number(count),
      amount: BigInt(Number(high)) * 4_294_967_296n + BigInt(Number(low)),
    })),
    others: others.map(([id]) => Number(id)),
  }
}
