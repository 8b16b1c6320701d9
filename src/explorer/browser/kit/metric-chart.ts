/** One series in a card: a metric of a chain, or nAVAX by day. */

import { h, type JSX } from 'preact'

import { metricTitles } from '../../../shape/metrics/metric-names.ts'
import type { MetricPoint } from '../../../shape/metrics/metric-point.ts'
import { useAnswer } from './answer.ts'
import { Chart } from './chart.ts'
import { urlOf, type Url } from './contract.ts'
import { brief, tick, words } from './format.ts'
import { to } from './link.ts'
import { card, shown } from './parts.ts'
import { now, pace } from './world.ts'

/** Title of a metric; its name in words where it has none. */
export function metricTitle(metric: string): string {
  const title = Object.entries(metricTitles).find(([name]) => name === metric)?.[1]
  return title ?? words(metric)
}

/** The series to draw. */
export type MetricChartProps = {
  readonly chainId: string
  readonly metric: string
  readonly interval: string
  readonly title?: string
  readonly height?: number
  readonly points?: number
  /** Range, comparison and scale of a chart alone, as its address has them. */
  readonly study?: Study
}

/** View of one chart. */
export type Study = {
  /** Unix second from which on; 0 for all that are kept. */
  readonly since: number
  readonly log: boolean
  /** Chain to compare with, and the names of both. */
  readonly other:
    | { readonly chainId: string; readonly labels: readonly [string, string] }
    | undefined
}

/** The newest points of a metric; its title leads to the chart alone. */
export function MetricChart(props: MetricChartProps): JSX.Element {
  const {
    chainId,
    metric,
    interval,
    title = metricTitle(metric),
    height = 180,
    points = 90,
    study,
  } = props
  const pathOf = (id: string): Url<{ results: MetricPoint[] }> =>
    urlOf('/v2/chains/{chainId}/metrics/{metric}', {
      chainId: id,
      metric,
      timeInterval: interval,
      pageSize: points,
      startTimestamp: study === undefined || study.since === 0 ? '' : study.since,
    })
  const answer = useAnswer(pathOf(chainId), ...pace(30_000))
  const { other } = study ?? {}
  const compared = useAnswer(other && pathOf(other.chainId))
  const isSum = metric.startsWith('cumulative')
  const isRunning = !isSum && goesOn(answer.data?.results[0]?.timestamp ?? 0, interval)
  return h('section', { class: 'card' }, [
    h('header', null, [
      h('h2', null, h('a', { href: to('metrics', chainId, interval, metric) }, title)),
      h(
        'span',
        { class: 'quiet num' },
        latest(answer.data?.results ?? [], { isSum, isRunning, interval }),
      ),
    ]),
    shown(answer, ({ results }) =>
      results.length === 0
        ? h('p', { class: 'empty' }, 'No data yet.')
        : results.length > 1 && results.every(({ value }) => value === 0)
          ? h('p', { class: 'empty' }, 'None in this time.')
          : h(Chart, {
              // Newest first from the API; charts run from left to right.
              points: results.toReversed(),
              label: title,
              height,
              bars: !isSum,
              isRunning,
              hours: interval === 'hour',
              zoom: study !== undefined,
              log: study?.log === true,
              ...(other === undefined || compared.data === undefined
                ? {}
                : { other: { labels: other.labels, points: compared.data.results.toReversed() } }),
            }),
    ),
  ])
}

/** Returns whether a period that began at a Unix second is not over. */
function goesOn(start: number, interval: string): boolean {
  const end = new Date(start * 1_000)
  if (interval === 'month') end.setUTCMonth(end.getUTCMonth() + 1)
  else end.setUTCHours(end.getUTCHours() + ({ hour: 1, week: 168 }[interval] ?? 24))
  return end.getTime() > now()
}

/** The last whole period in words; of sums, which are counted to where a period begins, that moment. */
function latest(
  [newest, before]: readonly MetricPoint[],
  of: { readonly isSum: boolean; readonly isRunning: boolean; readonly interval: string },
): string {
  if (newest === undefined) return ''
  if (of.isSum) return `${brief(newest.value)} at the start of ${tick(newest.timestamp, false)}`
  if (!of.isRunning) return `last ${of.interval} ${brief(newest.value)}`
  // A number alone is drawn large: it need not be said twice.
  return before === undefined
    ? `so far this ${of.interval}`
    : `last full ${of.interval} ${brief(before.value)}`
}

const navax = 1_000_000_000

/** Path of the series, newest first as the API has it, and its title. */
export type AvaxSeriesProps = {
  readonly path: Url<{ results: { readonly timestamp: number; readonly value: number | string }[] }>
  readonly title: string
}

/** The chart in a card. */
export function AvaxSeries({ path, title }: AvaxSeriesProps): JSX.Element {
  const answer = useAnswer(path)
  return card(
    title,
    shown(answer, ({ results }) =>
      results.length === 0
        ? h('p', { class: 'empty' }, 'No data yet.')
        : h(Chart, {
            points: results
              .toReversed()
              .map(({ timestamp, value }) => ({ timestamp, value: Number(value) / navax })),
            label: title,
            height: 200,
            bars: false,
            hours: false,
          }),
    ),
  )
}
