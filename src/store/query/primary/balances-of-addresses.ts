/**
 * Sums over the UTXOs of addresses, now or at a moment.
 *
 * Plain UTXOs (see `utxoKinds`) are summed by asset in the store; all others are given one by
 * one, each once with the number of its owners asked for, for the caller to judge locks and
 * stakes. Cost: one range of `holding_open` per address; at a moment, one range of the table's
 * key up to it.
 */

import { type Reader, statement, type Value } from '../../engine/database.ts'
import { chainNumbers, type PrimaryChain } from '../../schema/primary-position.ts'
import { utxosByNumber, type StoredUtxo } from './utxo-rows.ts'

/** Sum of the plain UTXOs of one asset. */
export type PlainSum = { readonly asset: number; readonly amount: bigint; readonly count: number }

/** What addresses hold. */
export type Holdings = {
  readonly plain: readonly PlainSum[]
  /** Those of which enough owners were asked for. */
  readonly others: readonly StoredUtxo[]
}

// Halves of 32 bits: sums of 64-bit amounts overflow SQLite's integers, these cannot.
const sums = `count(*), cast(sum(h.amount / 4294967296) as bigint),
  cast(sum(h.amount % 4294967296) as bigint)`

const open = 'h.spent_at is null'
const atMoment = 'h.created_at < ? and (h.spent_at is null or h.spent_at > ?)'

/** Almost all there is. AVAX has number 1 in every store. */
const avax = 1

/** Sum of AVAX: no groups, which would sort every entry. */
function avaxQuestion(when: string, index: string): ReturnType<typeof statement> {
  const rest = `h.place = ? and ${when} and h.kind = 0 and h.asset = ${avax}`
  return plainQuestion(`${avax}`, rest, index)
}

/** Sums of everything else. */
function assetsQuestion(when: string, index: string): ReturnType<typeof statement> {
  const rest = `h.place = ? and ${when} and h.kind = 0 and h.asset <> ${avax} group by h.asset`
  return plainQuestion('h.asset', rest, index)
}

function plainQuestion(asset: string, rest: string, index: string): ReturnType<typeof statement> {
  return statement(
    `select ${asset}, ${sums} from json_each(?) j cross join holding h ${index}
     where h.address_id = j.value and ${rest}`,
    {
      postgres: `select ${asset}, ${sums} from json_array_elements_text(?::json) j
        join holding h on h.address_id = j.value::bigint where ${rest}`,
    },
  )
}

function othersQuestion(when: string, index: string): ReturnType<typeof statement> {
  const rest = `h.place = ? and ${when} and h.kind <> 0
    group by h.utxo having ? = 1 or count(*) >= max(h.needed) order by h.utxo`
  return statement(
    `select h.utxo from json_each(?) j cross join holding h ${index}
     where h.address_id = j.value and ${rest}`,
    {
      postgres: `select h.utxo from json_array_elements_text(?::json) j
        join holding h on h.address_id = j.value::bigint where ${rest}`,
    },
  )
}

function questionsAt(
  when: string,
  index: string,
): Readonly<Record<'avax' | 'assets' | 'others', ReturnType<typeof statement>>> {
  return {
    avax: avaxQuestion(when, index),
    assets: assetsQuestion(when, index),
    others: othersQuestion(when, index),
  }
}

const questions = {
  now: questionsAt(open, 'indexed by holding_open'),
  moment: questionsAt(atMoment, ''),
} as const

/** What `addresses` (numbers) hold in the lists of `chain`, now or just before `moment`. */
export async function balancesOfAddresses(
  reader: Reader,
  query: {
    readonly addresses: readonly number[]
    readonly chain: PrimaryChain
    /** Unix seconds: made before it, not spent at it or before. */
    readonly moment?: number
    /** Count what has any of the owners asked for, as nodes do. */
    readonly anyOwner?: boolean
  },
): Promise<Holdings> {
  const { addresses, chain, moment } = query
  const asked = moment === undefined ? questions.now : questions.moment
  const values: Value[] = [JSON.stringify(addresses), chainNumbers[chain]]
  if (moment !== undefined) values.push(moment, moment)
  const rows = [
    ...(await reader.all(asked.avax, values)),
    ...(await reader.all(asked.assets, values)),
  ]
  const plain = rows.filter(([, count]) => Number(count) > 0)
  const others = await reader.all(asked.others, [...values, query.anyOwner === true ? 1 : 0])
  return {
    plain: plain.map(([asset, count, high, low]) => ({
      asset: Number(asset),
      count: Number(count),
      amount: BigInt(Number(high)) * 4_294_967_296n + BigInt(Number(low)),
    })),
    others: await utxosByNumber(
      reader,
      others.map(([id]) => Number(id)),
    ),
  }
}
