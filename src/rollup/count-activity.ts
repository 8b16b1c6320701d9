/** Counts transactions and gas of days by address, from stored transactions: 1 µs each. */

import { equalBytes } from '../core/bytes.ts'
import { type Reader, type Statement, statement } from '../store/engine/database.ts'
import { blockHashAt, blockTimestamp } from '../store/query/evm/blocks.ts'
import { heightAtTime } from '../store/query/evm/heights.ts'
import { posOfHeight } from '../store/query/evm/position.ts'
import {
  activityLists,
  type ActivityList,
  type CountedBlock,
} from '../store/query/metrics/activity-days.ts'
import { integerAt } from '../store/query/row-values.ts'
import { ActivityCounts } from './activity-counts.ts'
import { nextPeriod, periodStart } from './period.ts'

/** A day, or a part of one. */
export type CountedDay = CountedBlock & {
  readonly senders: ActivityCounts
  readonly callees: ActivityCounts
}

/** Transactions of one statement: some 20 ms of the thread. */
const mostTransactions = 50_000
/** Days of one commit. */
const mostDays = 64

const senders = sumsBy('from_id', '')
const callees = sumsBy('to_id', ' and to_id is not null and input_length >= 4')

/** Transactions and gas of each address of a column, in places from the first to before the second. */
function sumsBy(column: string, only: string): Statement {
  const text = (gas: string): string =>
    `select ${column}, count(*), ${gas} from evm_transaction where pos >= ? and pos < ?${only} group by ${column}`
  return statement<string>(text('sum(gas_used)'), {
    postgres: text('sum(gas_used)::bigint'),
    over: 'oldest',
    within: { pos: [0, 1] },
  })
}

const transactionsOf = statement('select first_tx, tx_count from evm_block where height = ?', {
  over: 'newest',
  within: { height: [0] },
})

/**
 * Days from height `from` on, as far as one commit goes; the first one with what is `counted` of it. `end` is the
 * last stored height. None where the chain was cut meanwhile.
 */
export async function countActivity(
  store: Reader,
  {
    counted,
    from,
    end,
  }: {
    readonly counted: CountedBlock | undefined
    readonly from: number
    readonly end: number
  },
): Promise<readonly CountedDay[]> {
  const days = new Map<number, CountedDay>()
  let next = from
  let transactions = 0
  while (next <= end && transactions < mostTransactions && days.size < mostDays) {
    const seconds = await blockTimestamp(store, next)
    const last = await blockTimestamp(store, end)
    if (seconds === undefined || last === undefined) return []
    const start = periodStart('day', seconds)
    const before = nextPeriod('day', start)
    const part = await partOfDay(store, { from: next, end, isLast: last < before, before })
    const hash = await blockHashAt(store, part.until - 1)
    const day =
      days.get(start) ??
      (await withStored(store, counted, {
        start,
        senders: new ActivityCounts(),
        callees: new ActivityCounts(),
      }))
    await addRange(store, { from: next, until: part.until }, day)
    const after = await blockHashAt(store, part.until - 1)
    // The chain was cut meanwhile.
    if (hash === undefined || after === undefined || !equalBytes(hash, after)) return []
    days.set(start, { ...day, height: part.until - 1, hash })
    transactions += part.transactions
    next = part.until
  }
  return [...days.values()]
}

/** Heights from `from` on whose blocks are before a moment, as many as are counted at once. */
async function partOfDay(
  store: Reader,
  {
    from,
    end,
    isLast,
    before,
  }: {
    readonly from: number
    readonly end: number
    readonly isLast: boolean
    readonly before: number
  },
): Promise<{ readonly until: number; readonly transactions: number }> {
  const until = 1 + (isLast ? end : await heightAtTime(store, { seconds: before - 1, newest: end }))
  const transactions = await transactionsIn(store, from, until)
  if (transactions <= mostTransactions) return { until, transactions }
  const share = Math.floor(((until - from) * mostTransactions) / transactions)
  const less = from + Math.max(1, share)
  return { until: less, transactions: await transactionsIn(store, from, less) }
}

async function transactionsIn(store: Reader, from: number, until: number): Promise<number> {
  const first = await store.get(transactionsOf, [from])
  const last = await store.get(transactionsOf, [until - 1])
  return first === undefined || last === undefined ? 0 : last[0] + last[1] - first[0]
}

/** A day with what is stored of it, where it is the one `counted` last. */
export async function withStored<D extends Pick<CountedDay, 'start' | ActivityList>>(
  store: Reader,
  counted: CountedBlock | undefined,
  day: D,
): Promise<D> {
  if (counted?.start !== day.start) return day
  const lists = await activityLists(store, day.start)
  day.senders.addList(lists.senders)
  day.callees.addList(lists.callees)
  return day
}

async function addRange(
  store: Reader,
  range: { readonly from: number; readonly until: number },
  day: Pick<CountedDay, 'senders' | 'callees'>,
): Promise<void> {
  const places = [posOfHeight(range.from), posOfHeight(range.until)]
  for (const [counts, question] of [
    [day.senders, senders],
    [day.callees, callees],
  ] as const)
    for (const row of await store.all(question, places))
      counts.add(integerAt(row, 0), integerAt(row, 1), integerAt(row, 2))
}
