/** Messages counted. Source: official clients, ICMMetricsApiResponse and neighbours. */

import { keyOf } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { networkNames } from '../../core/network.ts'
import { periodStart } from '../../rollup/period.ts'
import { Icm } from '../../shape/operations/icm.ts'
import type { Reader } from '../../store/engine/database.ts'
import { type MessageHour, messageHours } from '../../store/query/icm/messages.ts'
import { inWindows } from '../metrics/rolling-window.ts'
import { knownUntil } from '../metrics/scope.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import type { IcmContext } from './icm-context.ts'
import { blockchainIdOf, networkNumbers } from './parameters.ts'

type Filters = {
  readonly srcBlockchainId?: string | undefined
  readonly destBlockchainId?: string | undefined
  readonly groupBy?: string | undefined
  readonly network?: (typeof networkNames)[number] | undefined
}

const hourSeconds = 3_600

const defaultPoints = 100

/** Messages sent per period; periods and pairs without any are left out. */
export function icmTimeseries(context: IcmContext): Operation<'getICMTimeseries'> {
  return operation(Icm.getICMTimeseries, async ({ query }) => {
    const unit = query.timeInterval ?? 'day'
    const { startTimestamp = -1, endTimestamp = Infinity } = query
    const hours = await hoursOf(context, query)
    const points = grouped(hours, query, ({ hour }) => periodStart(unit, hour))
      .filter(({ start }) => start > startTimestamp && start < endTimestamp)
      .toSorted((a, b) => b.start - a.start || b.sent - a.sent)
    const page = await numberedPage(context.tokens, {
      route: Icm.getICMTimeseries.id,
      subject: {},
      query,
      usualSize: defaultPoints,
      rows: (after = 0, limit) =>
        points
          .slice(after, after + limit)
          .map((point, at) => ({ ...point, place: after + at + 1 })),
      numberOf: ({ place }) => place,
    })
    const results = page.rows.map(({ sent, start, ...ends }) => ({
      value: sent,
      timestamp: start,
      srcBlockchainId: ends.srcBlockchainId,
      destBlockchainId: ends.destBlockchainId,
    }))
    return { body: { ...nextToken(page), results } }
  })
}

/** Messages sent within windows that end with the newest hour that has any, or is known to have none. */
export function icmSummary(context: IcmContext): Operation<'getICMSummary'> {
  return operation(Icm.getICMSummary, async ({ query }) => {
    const hours = await hoursOf(context, query)
    const known = await knownUntil(context.chains.all())
    const quiet = known - (known % hourSeconds)
    const newest = hours.reduce((last, { hour }) => Math.max(last, hour), quiet)
    const rows = grouped(hours, query, () => 0).map(({ hours: own, ...ends }) => {
      const within = (length: number): number =>
        own.reduce((sum, one) => sum + (one.hour > newest - length - 1 ? one.sent : 0), 0)
      return {
        srcBlockchainId: ends.srcBlockchainId,
        destBlockchainId: ends.destBlockchainId,
        ...inWindows(within),
      }
    })
    const results = rows.toSorted((a, b) => b.allTime - a.allTime)
    return { body: { result: results[0] ?? { ...inWindows(() => 0), ...endsOf(query) }, results } }
  })
}

/** Messages a chain sent, received, or both, ever. */
export function teleporterMetrics(context: IcmContext): Operation<'getTeleporterMetricsByChain'> {
  return operation(Icm.getTeleporterMetricsByChain, async ({ path }) => {
    const hours = await hoursNamed(context, path.chainId)
    const total = ({ sent, received }: { sent: number; received: number }): number =>
      path.metric === 'teleporterSourceTxnCount'
        ? sent
        : path.metric === 'teleporterDestinationTxnCount'
          ? received
          : sent + received
    return { body: { result: { value: hours.reduce((sum, one) => sum + total(one), 0) } } }
  })
}

async function hoursNamed(
  context: IcmContext,
  name: string,
): Promise<readonly { sent: number; received: number }[]> {
  if (name === 'total') return hoursOf(context, {})
  if (name === 'mainnet' || name === 'testnet') return hoursOf(context, { network: name })
  const { blockchainId } = context.chains.find(name).facts
  if (blockchainId === undefined) return []
  const id = toCb58(blockchainId)
  const sent = await hoursOf(context, { srcBlockchainId: id })
  const received = await hoursOf(context, { destBlockchainId: id })
  return [
    ...sent.map((one) => ({ sent: one.sent, received: 0 })),
    ...received.map((one) => ({ sent: 0, received: one.received })),
  ]
}

async function hoursOf({ messages }: IcmContext, filters: Filters): Promise<MessageHour[]> {
  const store: Reader | undefined = messages()
  const source = blockchainIdOf('srcBlockchainId', filters.srcBlockchainId)
  const destination = blockchainIdOf('destBlockchainId', filters.destBlockchainId)
  if (store === undefined) return []
  const lists = await Promise.all(
    networkNumbers(filters.network).map((network) =>
      messageHours(store, { network, source, destination }),
    ),
  )
  return lists.flat()
}

type Ends = { readonly srcBlockchainId: string; readonly destBlockchainId: string }

type Group = Ends & { readonly start: number; sent: number; readonly hours: MessageHour[] }

/** Hours by period and by the ids of the filter. */
function grouped(
  hours: readonly MessageHour[],
  filters: Filters,
  startOf: (hour: MessageHour) => number,
): Group[] {
  const by = filters.groupBy?.split(',') ?? []
  const ends = endsOf(filters)
  const groups = new Map<string, Group>()
  for (const hour of hours) {
    const start = startOf(hour)
    const bySource = by.includes('srcBlockchainId')
    const byDestination = by.includes('destBlockchainId')
    const key = `${start} ${bySource ? keyOf(hour.source) : ''} ${byDestination ? keyOf(hour.destination) : ''}`
    const group = groups.get(key) ?? {
      srcBlockchainId: bySource ? toCb58(hour.source) : ends.srcBlockchainId,
      destBlockchainId: byDestination ? toCb58(hour.destination) : ends.destBlockchainId,
      start,
      sent: 0,
      hours: [],
    }
    group.sent += hour.sent
    group.hours.push(hour)
    groups.set(key, group)
  }
  return [...groups.values()].filter(({ sent }) => sent > 0)
}

/** The ids of a row that sums over all chains: the id of the filter, or `total`. */
function endsOf({ srcBlockchainId, destBlockchainId }: Filters): Ends {
  const named = (name: string, text: string | undefined): string => {
    const id = blockchainIdOf(name, text)
    return id === undefined ? 'total' : toCb58(id)
  }
  return {
    srcBlockchainId: named('srcBlockchainId', srcBlockchainId),
    destBlockchainId: named('destBlockchainId', destBlockchainId),
  }
}
