/** Requests to two public price services, and readers of their answers. */

import { toHex } from '../../core/bytes.ts'
import { dayText, plainDecimal } from '../../core/text.ts'
import type { CurrencyCode } from '../../shape/evm/token.ts'
import type { Priced } from './token-lists.ts'

/** Names that a service uses for a chain's coin and for the chain itself. */
export type ChainNames = { readonly slug?: string; readonly native?: string }

/** A request for prices of some things of one chain in one currency. */
export type HostQuestion = {
  readonly names: ChainNames
  readonly of: readonly Priced[]
  readonly currency: CurrencyCode
  /** Unix seconds; absent for now. */
  readonly timestamp?: number
}

/** One request and how to find the price of each thing in its answer (a decimal text). */
export type HostRequest = {
  readonly path: string
  readonly of: readonly Priced[]
  readonly priceOf: (answer: unknown, thing: Priced) => string | undefined
}

/** A price service. */
export type PriceHost = {
  /** Currencies it quotes; others are computed from dollars. */
  readonly quotes: (currency: CurrencyCode) => boolean
  readonly chains: Readonly<Record<number, ChainNames>>
  readonly requests: (question: HostQuestion) => readonly HostRequest[]
}

/** Things of one request: addresses of 42 characters, below any limit of an address. */
const perRequest = 40

/** Source: api-docs.defillama.com, part Coins. Dollars only. */
export const defillama: PriceHost = {
  quotes: (currency) => currency === 'usd',
  chains: { 43114: { slug: 'avax', native: 'coingecko:avalanche-2' } },
  requests: ({ names, of, timestamp }) => {
    const nameOf = (thing: Priced): string | undefined =>
      thing === 'native' ? names.native : names.slug && `${names.slug}:${addressText(thing)}`
    const named = of.filter((thing) => nameOf(thing) !== undefined)
    const route = timestamp === undefined ? 'prices/current' : `prices/historical/${timestamp}`
    return chunks(named).map((part) => ({
      path: `/${route}/${part.map(nameOf).join(',')}`,
      of: part,
      priceOf: (answer, thing) => {
        const coins = entries(field(answer, 'coins'))
        const wanted = nameOf(thing)?.toLowerCase()
        const found = coins.find(([name]) => name.toLowerCase() === wanted)?.[1]
        return textOf(field(found, 'price'))
      },
    }))
  },
}

/** Source: docs.coingecko.com, parts Simple and Coins. Every currency of document B. */
export const coingecko: PriceHost = {
  quotes: () => true,
  chains: { 43114: { slug: 'avalanche', native: 'avalanche-2' } },
  requests: (question) =>
    question.timestamp === undefined ? coingeckoNow(question) : coingeckoThen(question),
}

function coingeckoNow({ names, of, currency }: HostQuestion): HostRequest[] {
  const { slug, native } = names
  const requests: HostRequest[] = []
  if (native !== undefined && of.includes('native'))
    requests.push({
      path: `/simple/price?ids=${native}&vs_currencies=${currency}&precision=full`,
      of: ['native'],
      priceOf: (answer) => textOf(field(field(answer, native), currency)),
    })
  if (slug === undefined) return requests
  for (const part of chunks(of.filter((thing) => thing !== 'native'))) {
    const addresses = part.map(addressText).join(',')
    requests.push({
      path: `/simple/token_price/${slug}?contract_addresses=${addresses}&vs_currencies=${currency}&precision=full`,
      of: part,
      priceOf: (answer, thing) => textOf(field(field(answer, addressText(thing)), currency)),
    })
  }
  return requests
}

function coingeckoThen({ names, of, currency, timestamp = 0 }: HostQuestion): HostRequest[] {
  const { slug, native } = names
  return of.flatMap((thing): HostRequest[] => {
    if (thing === 'native') {
      const [year, month, day] = dayText(timestamp).split('-')
      if (native === undefined) return []
      const path = `/coins/${native}/history?date=${day}-${month}-${year}&localization=false`
      const priceOf = (answer: unknown): string | undefined =>
        textOf(field(field(field(answer, 'market_data'), 'current_price'), currency))
      return [{ path, of: [thing], priceOf }]
    }
    if (slug === undefined) return []
    const range = `from=${timestamp - 86_400}&to=${timestamp}`
    const path = `/coins/${slug}/contract/${addressText(thing)}/market_chart/range?vs_currency=${currency}&${range}`
    const priceOf = (answer: unknown): string | undefined => {
      const points = field(answer, 'prices')
      const last: unknown = Array.isArray(points) ? points.at(-1) : undefined
      return Array.isArray(last) ? textOf(last[1]) : undefined
    }
    return [{ path, of: [thing], priceOf }]
  })
}

/** An own field of a JSON object. */
export function field(value: unknown, name: string): unknown {
  return entries(value).find(([key]) => key === name)?.[1]
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? plainDecimal(value) : undefined
}

function addressText(thing: Priced): string {
  return thing === 'native' ? thing : `0x${toHex(thing)}`
}

function chunks(things: readonly Priced[]): Priced[][] {
  const parts: Priced[][] = []
  for (let at = 0; at < things.length; at += perRequest)
    parts.push(things.slice(at, at + perRequest))
  return parts
}
