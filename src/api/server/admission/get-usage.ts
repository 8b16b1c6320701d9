/** Usage of a key by period. Source: official clients, UsageMetrics. */

import { Fault } from '../../../core/fault.ts'
import { Service } from '../../../shape/operations/service.ts'
import type { Static } from '../../../shape/type.ts'
import { usageGroups, type UsageValue } from '../../../shape/usage.ts'
import type { Reader } from '../../../store/engine/database.ts'
import { callsOfKey, type CountedCalls, newestCalls } from '../../../store/query/api-use.ts'
import { operation, type Operation } from '../../operation/operation.ts'
import { bucketOf, type CallBody, middleOf } from './call-recorder.ts'
import { keyOf, startOf, organisation, type UsageContext } from './usage-context.ts'

type Query = Static<(typeof Service.getApiUsageMetrics)['parameters']['query']>

type Group = (typeof usageGroups)[number] | 'None'

/** Rows read for one answer: more are requested in shorter ranges. */
const mostRows = 200_000

const hourSeconds = 3_600

const defaultDays = 30

/** Usage of the caller's key. Throws `key-required` without one. */
export function getUsage(context: UsageContext): Operation<'getApiUsageMetrics'> {
  return operation(Service.getApiUsageMetrics, async ({ query, caller }) => {
    const keyId = keyOf(caller)
    const { timeInterval = 'daily', groupBy } = query
    await context.flush()
    const end = query.endTimestamp ?? Math.floor(context.clock.now() / 1_000)
    const store = await context.store()
    const rows =
      timeInterval === 'minute'
        ? await rowsOfMinutes(store, keyId, { start: query.startTimestamp, end })
        : await rowsOfHours(store, keyId, { start: query.startTimestamp, end })
    if (rows.length > mostRows)
      throw new Fault('bad-parameter', 'the range of time holds too much: request a shorter one')
    const periods = periodsOf(rows.filter(wanted(query, keyId)), {
      start: periodStart[timeInterval],
      group: groupBy ?? 'None',
      keyId,
    })
    const metrics = [...periods].toReversed().map(([timestamp, groups]) => ({
      timestamp,
      values: [...groups].map(([value, sum]) =>
        valueOf(sum, {
          group: groupBy ?? 'None',
          value,
          seconds: periodLength[timeInterval](timestamp),
        }),
      ),
    }))
    return { body: { aggregateDuration: timeInterval, orgId: organisation, metrics } }
  })
}

type Range = { readonly start: number | undefined; readonly end: number }

function rowsOfHours(store: Reader, keyId: string, { start, end }: Range): Promise<CountedCalls[]> {
  const from = startOf(start ?? end - defaultDays * 86_400) / hourSeconds
  const until = Math.floor(end / hourSeconds) + 1
  return callsOfKey(store, { keyId, from, until, limit: mostRows + 1 })
}

/**
 * Minutes are not counted: these are the newest answers of the key, which are kept one by one, as
 * counts of fractions of hours.
 */
async function rowsOfMinutes(
  store: Reader,
  keyId: string,
  { start, end }: Range,
): Promise<CountedCalls[]> {
  const calls = await newestCalls(store, {
    keyId,
    before: { atMs: (end + 1) * 1_000, id: '' },
    since: startOf(start ?? end) * 1_000,
    limit: mostRows + 1,
  })
  return calls.toReversed().map(({ atMs, status, chain, path, body }) => {
    const { units, elapsedMs }: CallBody = JSON.parse(body)
    const hour = Math.floor(atMs / 60_000) / 60
    return { hour, path, status, chain, bucket: bucketOf(elapsedMs), requests: 1, units }
  })
}

/** Filters that the parameters name; no call counted here is an RPC call. */
function wanted(query: Query, keyId: string): (row: CountedCalls) => boolean {
  const { chainId, responseCode, requestType, apiKeyId, requestPath } = query
  return ({ chain, status, path }) =>
    (chainId === undefined || chainId === chain) &&
    (responseCode === undefined || Number(responseCode) === status) &&
    requestType !== 'rpc' &&
    (apiKeyId === undefined || apiKeyId === keyId) &&
    (requestPath === undefined || requestPath === path)
}

/** Beginnings of periods, Unix seconds, by a second of an hour. Weeks begin on Monday. */
const periodStart = {
  // Minutes come as fractions of hours, which a double does not hold exactly.
  minute: (seconds: number): number => Math.round(seconds / 60) * 60,
  hourly: (seconds: number): number => seconds,
  daily: (seconds: number): number => startOf(seconds),
  weekly: (seconds: number): number => {
    const day = startOf(seconds)
    // The first of January 1970 was a Thursday.
    return day - ((day / 86_400 + 3) % 7) * 86_400
  },
  monthly: (seconds: number): number => {
    const date = new Date(seconds * 1_000)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1_000
  },
} as const

/** Seconds of the period that begins at a moment. */
const periodLength = {
  minute: (): number => 60,
  hourly: (): number => hourSeconds,
  daily: (): number => 86_400,
  weekly: (): number => 7 * 86_400,
  monthly: (start: number): number => {
    const date = new Date(start * 1_000)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1_000 - start
  },
} as const

type Sum = {
  requests: number
  failed: number
  invalid: number
  units: number
  wasted: number
  readonly buckets: Map<number, number>
}

function periodsOf(
  rows: readonly CountedCalls[],
  by: {
    readonly start: (seconds: number) => number
    readonly group: Group
    readonly keyId: string
  },
): Map<number, Map<string, Sum>> {
  const periods = new Map<number, Map<string, Sum>>()
  for (const row of rows) {
    const start = by.start(row.hour * hourSeconds)
    const groups = periods.get(start) ?? new Map<string, Sum>()
    periods.set(start, groups)
    const name = groupValue(row, by.group, by.keyId)
    const sum = groups.get(name) ?? {
      requests: 0,
      failed: 0,
      invalid: 0,
      units: 0,
      wasted: 0,
      buckets: new Map<number, number>(),
    }
    groups.set(name, sum)
    const isFailed = row.status >= 400
    sum.requests += row.requests
    sum.units += row.units
    if (isFailed) sum.failed += row.requests
    if (isFailed) sum.wasted += row.units
    if (isFailed && row.status < 500) sum.invalid += row.requests
    sum.buckets.set(row.bucket, (sum.buckets.get(row.bucket) ?? 0) + row.requests)
  }
  return periods
}

function groupValue(row: CountedCalls, group: Group, keyId: string): string {
  switch (group) {
    case 'requestPath':
      return row.path
    case 'responseCode':
      return String(row.status)
    case 'chainId':
      return row.chain
    case 'apiKeyId':
      return keyId
    case 'requestType':
      return 'data'
    default:
      return ''
  }
}

function valueOf(
  sum: Sum,
  of: { readonly group: Group; readonly value: string; readonly seconds: number },
): Static<typeof UsageValue> {
  const { requests, failed, invalid, units, wasted } = sum
  return {
    groupedBy: of.group,
    groupValue: of.value === '' ? undefined : of.value,
    totalRequests: requests,
    requestsPerSecond: requests / of.seconds,
    successRatePercent: ((requests - failed) / requests) * 100,
    medianResponseTimeMsecs: medianOf(sum),
    invalidRequests: invalid,
    apiCreditsUsed: units,
    apiCreditsWasted: wasted,
  }
}

function medianOf({ buckets, requests }: Sum): number {
  let seen = 0
  for (const [bucket, count] of [...buckets].sort(([a], [b]) => a - b)) {
    seen += count
    if (seen * 2 >= requests) return Math.round(middleOf(bucket) * 100) / 100
  }
  return 0
}
