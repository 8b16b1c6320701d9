/**
 * Prices from an operator's file.
 *
 * A line is `chainId,token,date,currency,price`: the token a contract or `native`, the date
 * `YYYY-MM-DD` or empty for now. `fiat,usd,date,eur,0.92` says what one dollar is in euro; with it
 * a price in dollars is one in euro. Lines that begin with `#` and a first line of names are left
 * out.
 */

import { toHex } from '../../core/bytes.ts'
import { plainDecimal, product } from '../../core/text.ts'
import { type CurrencyCode, currencies } from '../../shape/evm/token.ts'
import { wrongAt } from './text-place.ts'
import type { Priced, PriceQuestion, PriceSource } from './token-lists.ts'

/** A price from a day on, days since 1970; `now` for one without a date. */
type Dated = { readonly day: number; readonly price: string }
const now = Number.POSITIVE_INFINITY

/** A price is valid for this many days when no later one is given. */
const maxAgeDays = 7
const secondsPerDay = 86_400

type Table = ReadonlyMap<string, readonly Dated[]>

/** Reads a price file. Throws `bad-config` with line and column. */
export function filePrices(file: string, text: string): PriceSource {
  const table = tableOf(file, text)
  const find = ({ chain, of, currency }: PriceQuestion, day: number): (string | undefined)[] =>
    of.map((thing) => priceOf(table, keyOf(chain.evmChainId, thing), { currency, day }))
  return {
    offered: true,
    current: async (question) => find(question, now),
    historical: async (question) => find(question, Math.floor(question.timestamp / secondsPerDay)),
  }
}

function priceOf(
  table: Table,
  key: string,
  wanted: { readonly currency: CurrencyCode; readonly day: number },
): string | undefined {
  const { currency, day } = wanted
  const direct = atDay(table.get(`${key},${currency}`), day)
  if (direct !== undefined || currency === 'usd') return direct
  const dollars = atDay(table.get(`${key},usd`), day)
  const rate = atDay(table.get(`fiat,usd,${currency}`), day)
  return dollars === undefined || rate === undefined ? undefined : product(dollars, rate)
}

/** The newest price at or before a day that is not too old; now: the undated, else the newest. */
function atDay(prices: readonly Dated[] | undefined, day: number): string | undefined {
  if (prices === undefined) return undefined
  if (day === now) return prices.at(-1)?.price
  const last = prices.findLast((each) => each.day <= day)
  return last === undefined || day - last.day > maxAgeDays ? undefined : last.price
}

function keyOf(chainId: number, thing: Priced): string {
  return `${chainId},${thing === 'native' ? 'native' : `0x${toHex(thing)}`}`
}

function tableOf(file: string, text: string): Table {
  const table = new Map<string, Dated[]>()
  for (const [at, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '')
    if (line.trim() === '' || line.startsWith('#')) continue
    if (at === 0 && line.toLowerCase().startsWith('chainid,')) continue
    const { key, dated } = entryOf(file, line, at + 1)
    const known = table.get(key)
    if (known === undefined) table.set(key, [dated])
    else known.push(dated)
  }
  // Stable, so that of two prices of a day the later line counts.
  for (const prices of table.values())
    prices.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
  return table
}

function entryOf(file: string, line: string, number: number): { key: string; dated: Dated } {
  const fields = line.split(',')
  const texts = fields.map((field) => field.trim())
  const [chainId = '', token = '', date = '', currency = '', price = ''] = texts
  const wrong = (at: number, what: string): Error => {
    const column = fields.slice(0, at).join(',').length + (at === 0 ? 1 : 2)
    return wrongAt(file, { line: number, column }, `${what}: ${texts[at] ?? ''}`)
  }
  const isFiat = chainId.toLowerCase() === 'fiat'
  if (texts.length !== 5) throw wrong(Math.min(texts.length - 1, 5), 'a line has five fields')
  if (!isFiat && !/^\d{1,15}$/.test(chainId)) throw wrong(0, 'neither an EVM chain id nor fiat')
  const tokenProblem = problemOfToken(token, isFiat)
  if (tokenProblem !== undefined) throw wrong(1, tokenProblem)
  const day = date === '' ? now : dayOf(date)
  if (day === undefined) throw wrong(2, 'not a date of the form 2026-01-31')
  if (!currencies.some((each) => each === currency)) throw wrong(3, 'not a currency we know')
  const decimal = plainDecimal(price)
  if (decimal === undefined) throw wrong(4, 'not a decimal number')
  const name = isFiat ? 'fiat' : String(Number(chainId))
  return { key: `${name},${token.toLowerCase()},${currency}`, dated: { day, price: decimal } }
}

/** Problem of the second field: a token, or in lines of exchange rates the currency they are of. */
function problemOfToken(token: string, isFiat: boolean): string | undefined {
  if (isFiat) return token === 'usd' ? undefined : 'rates are of usd'
  const isToken = /^(native|0x[0-9a-fA-F]{40})$/.test(token)
  return isToken ? undefined : 'neither native nor an address'
}

function dayOf(date: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined
  const ms = Date.parse(`${date}T00:00:00Z`)
  const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
  return isReal ? ms / 1_000 / secondsPerDay : undefined
}
