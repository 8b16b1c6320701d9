/** All metrics of a chain in small charts, or one in a large chart. */

import { h, type JSX } from 'preact'

import { isDayMetric, metricNames, timeIntervals } from '../../shape/metrics/metric-names.ts'
import { useAnswer } from './kit/answer.ts'
import { urlOf } from './kit/contract.ts'
import { visible, words } from './kit/format.ts'
import { to } from './kit/link.ts'
import { MetricChart, metricTitle } from './kit/metric-chart.ts'
import { CsvLink } from './kit/paged.ts'
import { card, facts, heading, segments, select, shown, type View } from './kit/parts.ts'
import { go, query, useTitle, withParams } from './kit/place.ts'
import { now, chainName, type World } from './kit/world.ts'

/** A chain, an interval and, when shown alone, a metric. */
export type MetricsProps = {
  readonly world: World
  readonly chainId: string
  readonly interval: string
  readonly metric: string
}

/** The page. */
export function MetricsPage({ world, chainId, interval, metric }: MetricsProps): JSX.Element {
  useTitle(
    `${metric === '' ? 'Metrics' : metricTitle(metric)} of ${chainId === 'total' ? 'all chains' : chainName(world, chainId)}`,
  )
  const chains = useAnswer(urlOf('/v2/chains', {}))
  const onlyDays = isDayMetric(metric)
  const rest = metric === '' ? [] : [metric]
  const choices: (readonly [string, string])[] = [
    ['total', 'All chains'],
    ...(chains.data?.chains ?? world.chains.map(asMetricsChain)).map(
      ({ evmChainId, chainName }) => [String(evmChainId), visible(chainName)] as const,
    ),
  ]
  return h('div', { class: 'stack' }, [
    heading(
      metric === ''
        ? 'Charts'
        : h('a', { href: to('metrics', chainId, interval) }, '← All metrics'),
      metric === '' ? 'Metrics' : metricTitle(metric),
      h('div', { class: 'controls' }, [
        select({ 'aria-label': 'chain' }, choices, {
          chosen: chainId,
          change: (id) => go(to('metrics', id, interval, ...rest)),
        }),
        h(
          'nav',
          { class: 'segments', 'aria-label': 'interval' },
          (onlyDays ? ['day'] : timeIntervals).map((name) =>
            h(
              'a',
              {
                href: to('metrics', chainId, name, ...rest),
                'aria-current': name === interval ? 'page' : undefined,
              },
              name,
            ),
          ),
        ),
      ]),
    ),
    metric === ''
      ? all(chainId, interval)
      : h(Alone, { key: metric, chainId, interval, metric, choices }),
  ])
}

function asMetricsChain({ chainId, chainName }: { chainId: string; chainName: string }): {
  evmChainId: number
  chainName: string
} {
  return { evmChainId: Number(chainId), chainName }
}

/** Groups of metrics by what is in their names; the last has the rest. */
const groups = [
  ['Gas and fees', /gas|gps|fees/i],
  ['Addresses', /address|sender/i],
  ['Contracts', /contract|deployer/i],
  ['Transactions', /./],
] as const

function all(chainId: string, interval: string): View {
  const names = metricNames.filter((name) => interval === 'day' || !isDayMetric(name))
  const of = Map.groupBy(names, (name) => groups.find(([, part]) => part.test(name))?.[0])
  // Each group stands where its first metric does.
  return [...of].map(([title, metrics]) => [
    h('h2', { class: 'group' }, title),
    h(
      'div',
      { class: `grid ${metrics.length === 4 ? 'four' : 'three'}` },
      metrics.map((metric) =>
        h(MetricChart, { key: `${chainId} ${metric}`, chainId, metric, interval, height: 140 }),
      ),
    ),
  ])
}

const ranges = [
  ['', 'All'],
  ['30', '30 d'],
  ['90', '90 d'],
  ['365', '1 y'],
] as const

type AloneProps = {
  readonly chainId: string
  readonly interval: string
  readonly metric: string
  readonly choices: readonly (readonly [id: string, name: string])[]
}

/** One metric, with range, comparison and scale in the address. */
function Alone({ chainId, interval, metric, choices }: AloneProps): JSX.Element {
  const params = query()
  const days = Number(params.get('days') ?? 0)
  // Of this day, so that the question stays the same while one looks.
  const today = Math.floor(now() / 86_400_000) * 86_400
  const otherId = params.get('with') ?? ''
  const other = choices.find(([id]) => id === otherId && id !== chainId)
  const study = {
    since: days > 0 ? today - days * 86_400 : 0,
    log: params.get('log') === 'on',
    other: other && {
      chainId: other[0],
      labels: [choices.find(([id]) => id === chainId)?.[1] ?? chainId, other[1]] as const,
    },
  }
  return h('div', { class: 'stack' }, [
    h('div', { class: 'controls' }, [
      segments('days', 'range', ranges),
      select(
        { 'aria-label': 'compare with' },
        [['', 'Compare with…'], ...choices.filter(([id]) => id !== chainId)],
        { chosen: otherId, change: (id) => go(withParams({ with: id })) },
      ),
      h('label', { class: 'check' }, [
        h('input', {
          type: 'checkbox',
          checked: study.log,
          onChange: () => go(withParams({ log: study.log ? '' : 'on' })),
        }),
        'Log scale',
      ]),
      h(CsvLink, {
        path: urlOf('/v2/chains/{chainId}/metrics/{metric}', {
          chainId,
          metric,
          timeInterval: interval,
        }),
        name: 'series',
      }),
      h('span', { class: 'quiet' }, 'Drag to zoom, double-click to reset.'),
    ]),
    h(MetricChart, { chainId, metric, interval, height: 380, points: 400, study }),
    metric.startsWith('cumulative')
      ? null
      : h(Windows, { key: `${chainId} ${metric} windows`, chainId, metric }),
  ])
}

/** Sums or maxima over windows that end now. */
function Windows({ chainId, metric }: Record<'chainId' | 'metric', string>): JSX.Element {
  const answer = useAnswer(
    urlOf('/v2/chains/{chainId}/rollingWindowMetrics/{metric}', { chainId, metric }),
  )
  const number = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 })
  return card(
    'Up to the latest block',
    shown(answer, ({ result }) =>
      facts(Object.entries(result).map(([name, value]) => [words(name), number.format(value)])),
    ),
  )
}
