/** A series of nAVAX by day, drawn in AVAX. */

import { h, type JSX } from 'preact'

import type { MetricPoint } from '../../../shape/metrics/metric-point.ts'
import { useAnswer } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { card, shown } from '../kit/parts.ts'

const navax = 1_000_000_000

/** Path of the series, newest first as the API has it, and its title. */
export type AvaxSeriesProps = { readonly path: string; readonly title: string }

/** The chart in a card. */
export function AvaxSeries({ path, title }: AvaxSeriesProps): JSX.Element {
  const answer = useAnswer<{ results: MetricPoint[] }>(path)
  return card(
    title,
    shown(answer, ({ results }) =>
      results.length === 0
        ? h('p', { class: 'empty' }, 'No points yet.')
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
