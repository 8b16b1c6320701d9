/**
 * Prices of a service on the network.
 *
 * A price is kept for five minutes. When the service fails, the last price is given for an hour,
 * then none: callers never see an error for want of a price.
 */

import { setBounded } from '../../core/bounded-maps.ts'
import { toHex } from '../../core/bytes.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { dayText, decimalOfJson, plainDecimal, product } from '../../core/text.ts'
import type { Clock, Transport } from '../../core/world.ts'
import type { CurrencyCode } from '../../shape/evm/token.ts'
import type { Log } from '../../telemetry/log.ts'
import { type ChainNames, field, type HostRequest, type PriceHost } from './price-hosts.ts'
import type { Priced, PriceQuestion, PriceSource } from './token-lists.ts'

/** A price service: its address, and the names it has for chains. */
export type HttpPrices = {
  readonly host: PriceHost
  /** Without a slash at the end. */
  readonly url: string
  /** Names of chains by EVM chain id, before those the host is known to use. */
  readonly chains: ReadonlyMap<string, ChainNames>
  /** Answers `{ "rates": { "EUR": 0.92 } }` for one dollar; `{date}` is `latest` or a day. */
  readonly fiatUrl?: string | undefined
}

const freshMs = 5 * 60 * 1_000
const staleMs = 60 * 60 * 1_000
const failurePauseMs = 30_000

/** A caller waits for this at most. */
const timeoutMs = 3_000
const maxReplyBytes = 4 * 1_048_576

/** Prices kept: 200 bytes each. Beyond, those that were read longest ago are forgotten. */
const maxKept = 20_000

type Kept = { readonly price: string | undefined; readonly atMs: number; readonly untilMs: number }

/** A source over `options`. */
export function httpPrices(
  options: HttpPrices,
  client: { readonly transport: Transport; readonly clock: Clock; readonly log: Log },
): PriceSource {
  const cache = new PriceCache(client.clock, (keys) => requestAll(options, client, keys))
  const find = async (
    { chain, of, currency }: PriceQuestion,
    timestamp?: number,
  ): Promise<(string | undefined)[]> => {
    const names =
      options.chains.get(String(chain.evmChainId)) ?? options.host.chains[chain.evmChainId]
    if (names === undefined) return of.map(() => undefined)
    const direct = options.host.quotes(currency)
    const when = timestamp === undefined ? {} : { timestamp: dayStart(timestamp) }
    const keys = of.map((thing): Key => ({
      ...when,
      names,
      thing,
      currency: direct ? currency : 'usd',
    }))
    if (direct) return cache.prices(keys)
    if (options.fiatUrl === undefined) return of.map(() => undefined)
    const [rate, ...prices] = await cache.prices([{ ...when, thing: 'rate', currency }, ...keys])
    return prices.map((price) =>
      price === undefined || rate === undefined ? undefined : product(price, rate),
    )
  }
  return {
    offered: true,
    current: (question) => find(question),
    historical: (question) => find(question, question.timestamp),
  }
}

/** The coin or token that a price belongs to. */
type Key = {
  readonly thing: Priced | 'rate'
  readonly names?: ChainNames
  readonly currency: CurrencyCode
  readonly timestamp?: number
}

function nameOf({ thing, names, currency, timestamp }: Key): string {
  const what = typeof thing === 'string' ? thing : toHex(thing)
  return `${names?.slug} ${names?.native} ${what} ${currency} ${timestamp}`
}

/** Noon of a day, UTC: one price for all of it. */
function dayStart(timestamp: number): number {
  return Math.floor(timestamp / 86_400) * 86_400 + 43_200
}

/** Keeps prices and sends no second request for the same at once. */
class PriceCache {
  readonly #clock: Clock
  readonly #request: (keys: readonly Key[]) => Promise<Map<string, string> | undefined>
  readonly #kept = new Map<string, Kept>()
  readonly #pending = new Map<string, Promise<void>>()

  constructor(
    clock: Clock,
    request: (keys: readonly Key[]) => Promise<Map<string, string> | undefined>,
  ) {
    this.#clock = clock
    this.#request = request
  }

  async prices(keys: readonly Key[]): Promise<(string | undefined)[]> {
    const nowMs = this.#clock.monotonic()
    const due = keys.filter((key) => (this.#kept.get(nameOf(key))?.untilMs ?? -1) <= nowMs)
    const fresh = due.filter((key) => !this.#pending.has(nameOf(key)))
    if (fresh.length > 0) {
      const filling = this.#fill(fresh)
      for (const key of fresh) this.#pending.set(nameOf(key), filling)
    }
    await Promise.all(due.flatMap((key) => this.#pending.get(nameOf(key)) ?? []))
    return keys.map((key) => this.#kept.get(nameOf(key))?.price)
  }

  async #fill(keys: readonly Key[]): Promise<void> {
    const found = await this.#request(keys).finally(() => {
      for (const key of keys) this.#pending.delete(nameOf(key))
    })
    const nowMs = this.#clock.monotonic()
    for (const key of keys) {
      const name = nameOf(key)
      const before = this.#kept.get(name)
      const now =
        found === undefined
          ? afterFailure(before, nowMs)
          : { price: found.get(name), atMs: nowMs, untilMs: nowMs + freshMs }
      setBounded(this.#kept, name, now, maxKept)
    }
  }
}

/** The price that is given until the service is called again. */
function afterFailure(before: Kept | undefined, nowMs: number): Kept {
  const isUsable = before !== undefined && nowMs - before.atMs < staleMs
  return {
    price: isUsable ? before.price : undefined,
    atMs: before?.atMs ?? nowMs,
    untilMs: nowMs + failurePauseMs,
  }
}

type PriceClient = { readonly transport: Transport; readonly clock: Clock; readonly log: Log }

/** Prices by name; `undefined` when the service failed. */
async function requestAll(
  options: HttpPrices,
  client: PriceClient,
  keys: readonly Key[],
): Promise<Map<string, string> | undefined> {
  const found = new Map<string, string>()
  const note = (key: Key, price: string | undefined): void => {
    if (price !== undefined) found.set(nameOf(key), price)
  }
  try {
    const rate = keys.find(({ thing }) => thing === 'rate')
    const rated = rate === undefined ? undefined : requestRate(options, client, rate)
    await Promise.all(
      requestsOf(options, keys).map(async ({ request, keyOf }) => {
        const answer = await requested(client, options.url + request.path)
        for (const thing of request.of) note(keyOf(thing), request.priceOf(answer, thing))
      }),
    )
    if (rate !== undefined) note(rate, await rated)
    return found
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined && !(error instanceof SyntaxError)) throw error
    client.log.warn('prices cannot be requested', { code: fault?.code ?? 'not JSON' })
    return undefined
  }
}

function requestsOf(
  { host }: HttpPrices,
  keys: readonly Key[],
): { request: HostRequest; keyOf: (thing: Priced) => Key }[] {
  const [first] = keys.filter(({ thing }) => thing !== 'rate')
  if (first?.names === undefined) return []
  const { names, currency, timestamp } = first
  const of = keys.flatMap(({ thing }) => (thing === 'rate' ? [] : [thing]))
  const when = timestamp === undefined ? {} : { timestamp }
  const keyOf = (thing: Priced): Key => ({ ...when, thing, names, currency })
  return host.requests({ ...when, names, of, currency }).map((request) => ({ request, keyOf }))
}

async function requestRate(
  { fiatUrl = '' }: HttpPrices,
  client: PriceClient,
  { currency, timestamp }: Key,
): Promise<string | undefined> {
  const day = timestamp === undefined ? 'latest' : dayText(timestamp)
  const answer = await requested(client, fiatUrl.replaceAll('{date}', day))
  const rate = field(field(answer, 'rates'), currency.toUpperCase())
  return typeof rate === 'string' ? plainDecimal(rate) : undefined
}

/** JSON in which every number is the decimal text it was written as. */
async function requested({ transport }: PriceClient, url: string): Promise<unknown> {
  const reply = await transport.request({
    url,
    method: 'GET',
    headers: { accept: 'application/json' },
    timeoutMs,
    maxBytes: maxReplyBytes,
  })
  // A price that the service does not know is an answer; a failure is none.
  if (reply.status === 404) return {}
  if (reply.status !== 200)
    throw new Fault('node-answer', `a price service answered with status ${reply.status}`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the typings lack the third parameter
  const parse = JSON.parse as (
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ) => unknown
  return parse(new TextDecoder().decode(reply.body), (_name, value, { source }) =>
    typeof value === 'number' ? decimalOfJson(source ?? '') : value,
  )
}
