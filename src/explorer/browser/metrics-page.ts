/** All metrics of a chain in small charts, or one in a large chart. */

import { h, type JSX } from 'preact'

import type { MetricsChain } from '../../shape/metrics/metrics-chain.ts'
import { useAnswer } from './answer.ts'
import { visible, words } from './format.ts'
import { to } from './link.ts'
import { MetricChart, metricTitle } from './metric-chart.ts'
import { card, facts, heading, shown } from './parts.ts'
import { go, useTitle } from './place.ts'
import { chainName, type World } from './world.ts'

const anyInterval = ['txCount', 'activeAddresses', 'activeSenders', 'gasUsed']
const daily = [
  'avgTps',
  'maxTps',
  'avgGps',
  'maxGps',
  'avgGasPrice',
  'maxGasPrice',
  'feesPaid',
  'contracts',
  'deployers',
  'cumulativeTxCount',
  'cumulativeAddresses',
  'cumulativeContracts',
  'cumulativeDeployers',
]
const intervals = ['hour', 'day', 'week', 'month']

/** Which chain, interval and, when alone, metric. */
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
  const chains = useAnswer<{ chains: MetricsChain[] }>('/v2/chains')
  const onlyDays = daily.includes(metric)
  const rest = metric === '' ? [] : [metric]
  const choices: (readonly [string, string])[] = [
    ['total', 'All chains'],
    ...(chains.data?.chains ?? world.chains.map(asMetricsChain)).map(
      ({ evmChainId, chainName }) => [String(evmChainId), visible(chainName)] as const,
    ),
  ]
  return h(
    'div',
    { class: 'stack' },
    heading(
      metric === ''
        ? 'Series'
        : h('a', { href: to('metrics', chainId, interval) }, '← All metrics'),
      metric === '' ? 'Metrics' : metricTitle(metric),
      h(
        'div',
        { class: 'controls' },
        h(
          'select',
          {
            'aria-label': 'chain',
            onChange: (event: Event) =>
              event.currentTarget instanceof HTMLSelectElement &&
              go(to('metrics', event.currentTarget.value, interval, ...rest)),
          },
          choices.map(([id, name]) => h('option', { value: id, selected: id === chainId }, name)),
        ),
        h(
          'nav',
          { class: 'segments', 'aria-label': 'interval' },
          (onlyDays ? ['day'] : intervals).map((name) =>
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
      ),
    ),
    metric === '' ? all(chainId, interval) : alone(chainId, interval, metric),
  )
}

function asMetricsChain({ chainId, chainName }: { chainId: string; chainName: string }): {
  evmChainId: number
  chainName: string
} {
  return { evmChainId: Number(chainId), chainName }
}

function all(chainId: string, interval: string): JSX.Element {
  const names = interval === 'day' ? [...anyInterval, ...daily] : anyInterval
  return h(
    'div',
    { class: 'grid three' },
    names.map((metric) =>
      h(MetricChart, { key: `${chainId} ${metric}`, chainId, metric, interval, height: 140 }),
    ),
  )
}

function alone(chainId: string, interval: string, metric: string): JSX.Element {
  return h(
    'div',
    { class: 'stack' },
    h(MetricChart, {
      key: `${chainId} ${metric}`,
      chainId,
      metric,
      interval,
      height: 380,
      points: 400,
    }),
    metric.startsWith('cumulative')
      ? null
      : h(Windows, { key: `${chainId} ${metric} windows`, chainId, metric }),
  )
}

/** Sums or maxima over windows that end now. */
function Windows({
  chainId,
  metric,
}: {
  readonly chainId: string
  readonly metric: string
}): JSX.Element {
  const answer = useAnswer<{ result: Record<string, number> }>(
    `/v2/chains/${encodeURIComponent(chainId)}/rollingWindowMetrics/${encodeURIComponent(metric)}`,
  )
  const number = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 })
  return card(
    'Windows up to the newest block',
    shown(answer, ({ result }) =>
      facts(Object.entries(result).map(([name, value]) => [words(name), number.format(value)])),
    ),
  )
}
