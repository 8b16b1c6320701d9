/**
 * Distinct addresses over several chains: real unions of addresses, not sums.
 *
 * Each chain numbers its addresses by itself. The union keeps one number per address of any
 * chain, about 100 bytes each, in the memory of the process that answers; it grows as series of
 * several chains are read and forgets nothing, since accepted blocks never change. A deployment
 * with one chain in a network never makes one.
 */

import { keyOf } from '../core/bytes.ts'
import { i32At } from '../core/item-at.ts'
import type { Reader } from '../store/engine/database.ts'
import { activityHours, deployDays } from '../store/query/metrics/deploy-days.ts'
import { address } from '../store/schema/evm.ts'
import { visitMembers } from './member-list.ts'
import { nextPeriod, periodStart, type Unit } from './period.ts'

/** A chain of the union; `deploySource` 1 where it has traces. */
export type UnionChain = {
  readonly key: string
  readonly store: Reader
  readonly deploySource: 0 | 1
}

/** Parts of a chain whose addresses can be united with others. */
export type UnionSet = 'addresses' | 'senders' | 'deployers'

const bytesOfId = { table: address, key: ['id'], select: ['bytes'] } as const

/** Counts unions of the chains it is given; one object per process. */
export class AddressUnion {
  /** Number of an address by its bytes. */
  readonly #numbers = new Map<string, number>()
  /** By chain: number of each of its ids, 0 = not looked up yet. */
  readonly #byChain = new Map<string, Int32Array>()
  /** Day on which a number was first active (or first deployed), by set of chains. */
  readonly #firstDays = new Map<string, FirstDays>()

  /** Members of `set` in the period of `unit` that starts at `start`, over all `chains`. */
  count(chains: readonly UnionChain[], set: UnionSet, unit: Unit, start: number): Promise<number> {
    return this.countRange(chains, set, { from: start, until: nextPeriod(unit, start) })
  }

  /**
   * Members of `set` in the hours (for deployers, days) that start in `range`, over all `chains`.
   */
  async countRange(chains: readonly UnionChain[], set: UnionSet, range: Range): Promise<number> {
    const seen = new Set<number>()
    for (const chain of chains) {
      const ids = await this.#idsOf(chain, set, range)
      if (chains.length === 1) return ids.size
      const numbers = await this.#numbersOf(chain, ids)
      for (const id of ids) seen.add(i32At(numbers, id))
    }
    return seen.size
  }

  /** Number of addresses whose first day in `set` was each day, over all `chains`. */
  async firstDays(
    chains: readonly UnionChain[],
    set: 'addresses' | 'deployers',
  ): Promise<ReadonlyMap<number, number>> {
    const name = JSON.stringify([set, chains.map((chain) => [chain.key, chain.deploySource])])
    const first = this.#firstDays.get(name) ?? {
      days: new Map(),
      byNumber: new Map(),
      until: new Map(),
    }
    this.#firstDays.set(name, first)
    for (const chain of chains) {
      // The last hour or day read may have grown since: read it again, which changes nothing else.
      const from = first.until.get(chain.key) ?? 0
      for (const { start, ids } of await this.#periodsOf(chain, set, { from, until: Infinity })) {
        const numbers = await this.#numbersOf(chain, ids)
        const day = periodStart('day', start)
        for (const id of ids) noteFirst(first, i32At(numbers, id), day)
        first.until.set(chain.key, start)
      }
    }
    return first.days
  }

  async #idsOf(chain: UnionChain, set: UnionSet, range: Range): Promise<Set<number>> {
    const ids = new Set<number>()
    for (const period of await this.#periodsOf(chain, set, range))
      for (const id of period.ids) ids.add(id)
    return ids
  }

  async #periodsOf(
    chain: UnionChain,
    set: UnionSet,
    range: Range,
  ): Promise<{ start: number; ids: Set<number> }[]> {
    const until = Math.min(range.until, Number.MAX_SAFE_INTEGER)
    if (set === 'deployers') {
      const days = await deployDays(chain.store, chain.deploySource, range.from)
      return days
        .filter(({ start }) => start < until)
        .map(({ start, members }) => ({ start, ids: idsIn(members, (id) => id) }))
    }
    const hours = await activityHours(chain.store, { from: range.from, until })
    const pick =
      set === 'senders'
        ? (member: number): number => (member % 2 === 1 ? Math.floor(member / 2) : 0)
        : (member: number): number => Math.floor(member / 2)
    return hours.map(({ start, members }) => ({ start, ids: idsIn(members, pick) }))
  }

  async #numbersOf(chain: UnionChain, ids: ReadonlySet<number>): Promise<Int32Array> {
    let numbers = this.#byChain.get(chain.key) ?? new Int32Array(1_024)
    let highest = 0
    for (const id of ids) if (id > highest) highest = id
    if (highest >= numbers.length) {
      const grown = new Int32Array(Math.max(highest + 1, numbers.length * 2))
      grown.set(numbers)
      numbers = grown
    }
    this.#byChain.set(chain.key, numbers)
    const unknown = [...ids].filter((id) => numbers[id] === 0)
    const rows = await chain.store.lookup(bytesOfId, [unknown])
    for (const [at, id] of unknown.entries()) {
      const bytes = rows[at]?.[0]
      if (!(bytes instanceof Uint8Array)) continue
      const key = keyOf(bytes)
      const number = this.#numbers.get(key) ?? this.#numbers.size + 1
      this.#numbers.set(key, number)
      numbers[id] = number
    }
    return numbers
  }
}

type Range = { readonly from: number; readonly until: number }

type FirstDays = {
  /** Addresses by their first day. */
  readonly days: Map<number, number>
  readonly byNumber: Map<number, number>
  /** By chain: the last period read. */
  readonly until: Map<string, number>
}

/** Chains come in any order: a day earlier than the one known moves the address there. */
function noteFirst(first: FirstDays, number: number, day: number): void {
  const before = first.byNumber.get(number)
  if (before !== undefined && before <= day) return
  if (before !== undefined) first.days.set(before, (first.days.get(before) ?? 1) - 1)
  first.byNumber.set(number, day)
  first.days.set(day, (first.days.get(day) ?? 0) + 1)
}

/** Ids picked from a member list; 0 means none. */
function idsIn(members: Uint8Array, pick: (member: number) => number): Set<number> {
  const ids = new Set<number>()
  visitMembers(members, (member) => {
    const id = pick(member)
    if (id !== 0) ids.add(id)
  })
  return ids
}
