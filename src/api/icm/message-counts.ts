/** Messages counted. Source: official clients, ICMMetricsApiResponse and neighbours. */

import { keyOf } from '../../core/bytes.ts'
import { toCb58 } from '../../core/cb58.ts'
import { networkOf, networkNames } from '../../core/network.ts'
import { periodStart } from '../../rollup/period.ts'
import { pageShape } from '../../shape/page-shape.ts'
import { Type, type Schema } from '../../shape/type.ts'
import type { Reader } from '../../store/engine/database.ts'
import { type MessageHour, messageHours } from '../../store/query/icm/messages.ts'
import { inWindows } from '../metrics/rolling-window.ts'
import { knownUntil } from '../metrics/scope.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { nextToken, numberedPage } from '../operation/paging.ts'
import { blockchainIdOf } from './blockchain-id-parameter.ts'
import type { IcmContext } from './icm-context.ts'

const groupings = [
  'srcBlockchainId',
  'destBlockchainId',
  'srcBlockchainId,destBlockchainId',
] as const

const filters = {
  srcBlockchainId: Type.Optional(
    Type.String({ description: 'only sent from this blockchain, cb58 or hex', maxLength: 128 }),
  ),
  destBlockchainId: Type.Optional(
    Type.String({ description: 'only sent to this blockchain, cb58 or hex', maxLength: 128 }),
  ),
  groupBy: Type.Optional(
    Type.Enum([...groupings], { description: 'a row for each id; default: all together' }),
  ),
  network: Type.Optional(Type.Enum([...networkNames], { description: 'only of this network' })),
}

const ends = {
  srcBlockchainId: Type.String({ description: 'cb58; `total` when any' }),
  destBlockchainId: Type.String({ description: 'cb58; `total` when any' }),
}

const sent = (window: string): Schema<number> =>
  Type.Integer({ description: `messages sent ${window}` })

const Windows = Type.Object(
  {
    ...ends,
    lastHour: sent('in this hour and the one before'),
    lastDay: sent('in the last 24 hours, whole hours'),
    lastWeek: sent('in 7 days'),
    lastMonth: sent('in 30 days'),
    last90Days: sent('in 90 days'),
    lastYear: sent('in 365 days'),
    allTime: sent('ever'),
  },
  { $id: 'IcmWindows', additionalProperties: false },
)

const GetIcmTimeseries = {
  id: 'getICMTimeseries',
  path: '/v2/icm/timeseries',
  summary: 'Interchain messages sent per period, newest first',
  tag: 'Interchain messages',
  weight: 100,
  parameters: {
    path: Type.Object({}),
    query: Type.Object({
      ...filters,
      startTimestamp: Type.Optional(
        Type.Integer({ minimum: 0, description: 'only periods after this Unix second' }),
      ),
      endTimestamp: Type.Optional(
        Type.Integer({ minimum: 0, description: 'only periods before this Unix second' }),
      ),
      timeInterval: Type.Optional(
        Type.Enum(['hour', 'day', 'week', 'month'], { default: 'day', description: 'period' }),
      ),
      pageToken: Type.Optional(Type.String({ description: 'nextPageToken of the page before' })),
      pageSize: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 2_160, default: 100, description: 'points a page' }),
      ),
    }),
  },
  response: pageShape({
    results: Type.Array(
      Type.Object(
        { value: sent('in the period'), timestamp: Type.Integer(), ...ends },
        { $id: 'IcmPoint', additionalProperties: false },
      ),
    ),
  }),
} as const

const GetIcmSummary = {
  id: 'getICMSummary',
  path: '/v2/icm/summary',
  summary: 'Interchain messages sent within windows that end now',
  tag: 'Interchain messages',
  weight: 100,
  parameters: { path: Type.Object({}), query: Type.Object(filters) },
  response: Type.Object({
    result: Type.Intersect([Windows], { description: 'the only row, or the greatest' }),
    results: Type.Array(Windows, { description: 'all rows, greatest first' }),
  }),
} as const

const GetTeleporterMetrics = {
  id: 'getTeleporterMetricsByChain',
  path: '/v2/chains/{chainId}/teleporterMetrics/{metric}',
  summary: 'Messages a chain sent, received, or both',
  tag: 'Interchain messages',
  weight: 100,
  parameters: {
    path: Type.Object({
      chainId: Type.String({
        description: 'chain id, blockchain id, or total, mainnet, testnet',
        maxLength: 512,
      }),
      metric: Type.Enum([
        'teleporterSourceTxnCount',
        'teleporterDestinationTxnCount',
        'teleporterTotalTxnCount',
      ]),
    }),
    query: Type.Object({}),
  },
  response: Type.Object({ result: Type.Object({ value: Type.Integer() }) }),
} as const

type Filters = {
  readonly srcBlockchainId?: string | undefined
  readonly destBlockchainId?: string | undefined
  readonly groupBy?: string | undefined
  readonly network?: (typeof networkNames)[number] | undefined
}

const always = { from: 0, to: Number.MAX_SAFE_INTEGER } as const
const hourSeconds = 3_600
const defaultPoints = 100

/** Messages sent per period; periods and pairs without any are left out. */
export function icmTimeseries(context: IcmContext): Operation {
  return operation(GetIcmTimeseries, async ({ query }) => {
    const unit = query.timeInterval ?? 'day'
    const { startTimestamp = -1, endTimestamp = Infinity } = query
    const hours = await hoursOf(context, query, always)
    const points = grouped(hours, query, ({ hour }) => periodStart(unit, hour))
      .filter(({ start }) => start > startTimestamp && start < endTimestamp)
      .toSorted((a, b) => b.start - a.start || b.sent - a.sent)
    const page = await numberedPage(context.tokens, {
      route: GetIcmTimeseries.id,
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
export function icmSummary(context: IcmContext): Operation {
  return operation(GetIcmSummary, async ({ query }) => {
    const hours = await hoursOf(context, query, always)
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
export function teleporterMetrics(context: IcmContext): Operation {
  return operation(GetTeleporterMetrics, async ({ path }) => {
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
  if (name === 'total') return hoursOf(context, {}, always)
  if (name === 'mainnet' || name === 'testnet') return hoursOf(context, { network: name }, always)
  const { blockchainId } = context.chains.find(name).facts
  if (blockchainId === undefined) return []
  const id = toCb58(blockchainId)
  const sent = await hoursOf(context, { srcBlockchainId: id }, always)
  const received = await hoursOf(context, { destBlockchainId: id }, always)
  return [
    ...sent.map((one) => ({ sent: one.sent, received: 0 })),
    ...received.map((one) => ({ sent: 0, received: one.received })),
  ]
}

async function hoursOf(
  { messages }: IcmContext,
  filters: Filters,
  range: { readonly from: number; readonly to: number },
): Promise<MessageHour[]> {
  const store: Reader | undefined = messages()
  const source = blockchainIdOf('srcBlockchainId', filters.srcBlockchainId)
  const destination = blockchainIdOf('destBlockchainId', filters.destBlockchainId)
  if (store === undefined) return []
  const networks =
    filters.network === undefined ? [0, 1] : [networkOf(filters.network) === 'mainnet' ? 0 : 1]
  const lists = await Promise.all(
    networks.map((network) =>
      messageHours(store, {
        network,
        ...range,
        source,
        destination,
      }),
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
