/**
 * Places in the history of a chain that a webhook is to be notified of.
 *
 * The same question fills the outbox in the commit of new blocks and answers for what is older than
 * the outbox: what is sent again is what was sent.
 */

import type { Reader } from '../../engine/database.ts'
import { placesPerBlock } from '../../schema/sums.ts'
import { addressIds } from '../evm/addresses.ts'
import { numbersOfAddresses } from '../primary/addresses.ts'
import { missedPlaces } from '../primary/proposer-slots.ts'
import { transactionsOfAddresses } from '../primary/transactions.ts'
import { thresholdPlaces } from './l1-balances.ts'
import { primaryChainOf } from './ledger-places.ts'
import { type PlaceRange, placesOfAddress } from './places-of-addresses.ts'
import { concerns, ranOutPlaces, validatorPlaces } from './validator-places.ts'
import { slotLedgers, type Watch } from './watch.ts'

/**
 * P-Chain blocks looked through at once, since of validators nothing leads to their places: some
 * thousand transactions, which take a few milliseconds.
 */
const placesAtOnce = 512 * placesPerBlock

/** The places to find. `isHistory`: also those from before something was watched. */
export type PlacesQuery = {
  readonly range: PlaceRange
  readonly limit: number
  readonly isHistory: boolean
}

/** Places found, oldest first, and where to go on: `range.until` when all of it was looked through. */
export type FoundPlaces = { readonly places: readonly number[]; readonly next: number }

/**
 * Places of `watch`, at most `limit`, oldest first. Cost: a range of each list of each address; for
 * validators the transactions of 512 blocks.
 */
export async function findPlaces(
  reader: Reader,
  watch: Watch,
  query: PlacesQuery,
): Promise<FoundPlaces> {
  const { watched } = watch
  if (query.range.from >= query.range.until) return { places: [], next: query.range.until }
  if (watched.kind === 'addresses') {
    const found = await addressPlaces(reader, watch, query)
    const last = found.at(-1)
    const isFull = found.length >= query.limit && last !== undefined
    return { places: found, next: isFull ? last + 1 : query.range.until }
  }
  const from = query.isHistory ? query.range.from : Math.max(query.range.from, watched.from)
  const chain = primaryChainOf(watch.ledger)
  if (chain !== undefined && slotLedgers[chain] === watch.ledger) {
    const { until } = query.range
    const places = await missedPlaces(reader, watched.key, { from, until }, query.limit)
    const last = places.at(-1)
    return { places, next: last !== undefined && places.length >= query.limit ? last + 1 : until }
  }
  const until = Math.min(query.range.until, from + placesAtOnce)
  if (from >= until) return { places: [], next: query.range.until }
  const range = { from, until }
  const facts = await validatorPlaces(reader, range)
  const all = [
    ...facts.filter((place) => concerns(watched, place)).map(({ pos }) => pos),
    ...(await ranOutPlaces(reader, watched, range)),
    ...(await thresholdPlaces(reader, watched, range)),
  ]
  const sorted = [...new Set(all)].toSorted((a, b) => a - b)
  const places = sorted.slice(0, query.limit)
  const last = places.at(-1)
  return { places, next: sorted.length > places.length && last !== undefined ? last + 1 : until }
}

async function addressPlaces(
  reader: Reader,
  { ledger, watched }: Watch,
  { range, limit, isHistory }: PlacesQuery,
): Promise<number[]> {
  if (watched.kind !== 'addresses') return []
  const isEvm = ledger === 'blocks' || ledger === 'traces'
  const numbers = await (isEvm ? addressIds : numbersOfAddresses)(
    reader,
    watched.addresses.map(({ bytes }) => bytes),
  )
  const found = new Set<number>()
  for (const [at, address] of watched.addresses.entries()) {
    const number = numbers[at]
    const own = {
      from: isHistory ? range.from : Math.max(address.from, range.from),
      until: range.until,
    }
    if (number === undefined || own.from >= own.until) continue
    const places = isEvm
      ? await placesOfAddress(reader, {
          addressId: number,
          withTraces: ledger === 'traces',
          range: own,
          limit,
        })
      : await transactionsOfAddresses(reader, {
          addresses: [number],
          ...own,
          order: 'asc',
          limit,
        })
    for (const pos of places) found.add(pos)
  }
  return [...found].toSorted((a, b) => a - b).slice(0, limit)
}
