/**
 * A series drawn by uPlot, in the colours of the style sheet; uPlot is loaded when first needed.
 */

import { h, type JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'

import type { MetricPoint } from '../../../shape/metrics/metric-point.ts'
import { brief, figure, moment, short, ticks } from './format.ts'
import { table } from './parts.ts'

/** Points oldest first. */
export type ChartProps = {
  readonly points: readonly MetricPoint[]
  readonly label: string
  readonly height: number
  readonly bars: boolean
  /** True when the moment of a point has an hour. */
  readonly hours: boolean
  /** Another series to compare with, at its own moments. */
  readonly other?: {
    /** Names of the first series and of this one. */
    readonly labels: readonly [string, string]
    readonly points: readonly MetricPoint[]
  }
  /** True when values are drawn by their logarithm. */
  readonly log?: boolean
  /** True when the period of the newest point goes on: it is drawn lighter. */
  readonly isRunning?: boolean
  /** True when a part can be chosen by dragging; a double click shows all again. */
  readonly zoom?: boolean
}

/** Draws; follows the width of its place and the colours of light and dark. One point is a number. */
export function Chart(props: ChartProps): JSX.Element {
  const [only] = props.points
  return only !== undefined && props.points.length === 1 && props.other === undefined
    ? h('p', { class: 'big' }, [
        h('span', { title: figure(only.value) }, brief(only.value)),
        h('small', null, ` ${moment(only.timestamp).slice(0, props.hours ? 16 : 10)}`),
      ])
    : h(Drawn, props)
}

function Drawn(props: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const host = place.current
    if (host === null) return undefined
    const over = new AbortController()
    void draw(host, props, over.signal)
    return () => over.abort()
  }, [props.points, props.label, props.height, props.bars, props.other, props.log])
  const newest = props.points.at(-1)
  const summary = `${props.label}: ${props.points.length} points, newest ${newest?.value ?? 'none'}`
  return h('div', null, [
    props.other === undefined ? null : legend(props.other.labels),
    h('div', {
      class: 'chart',
      ref: place,
      role: 'group',
      tabIndex: 0,
      'aria-label': `${summary}; arrow keys read the points`,
    }),
    h(Points, props),
  ])
}

function legend(labels: readonly string[]): JSX.Element {
  return h(
    'ul',
    { class: 'legend' },
    labels.map((label) => h('li', null, label)),
  )
}

/** The same as a table, for who does not see the picture; made when it is opened. */
function Points({ points, other, hours }: ChartProps): JSX.Element {
  const [open, setOpen] = useState(false)
  const others = new Map(other?.points.map(({ timestamp, value }) => [timestamp, value]))
  return h(
    'details',
    {
      class: 'points',
      onToggle: (event: Event) =>
        event.currentTarget instanceof HTMLDetailsElement && setOpen(event.currentTarget.open),
    },
    [
      h('summary', null, 'Show as table'),
      open
        ? table(
            [
              ['UTC'],
              ['Value', 'num'],
              ...(other === undefined ? [] : [[other.labels[1], 'num'] as const]),
            ],
            points
              .toReversed()
              .map(({ timestamp, value }) => [
                moment(timestamp).slice(0, hours ? 16 : 10),
                figure(value),
                ...(other === undefined ? [] : [valueText(others.get(timestamp))]),
              ]),
          )
        : null,
    ],
  )
}

function valueText(value: number | undefined): string {
  return value === undefined ? '–' : figure(value)
}

async function draw(host: HTMLElement, props: ChartProps, signal: AbortSignal): Promise<void> {
  const Plot = (await import('uplot')).default
  if (signal.aborted) return
  const data = dataOf(props)
  let plot: uPlot | undefined
  const paint = (): void => {
    plot?.destroy()
    host.replaceChildren()
    plot = new Plot(optionsOf(Plot, host, props), data, host)
  }
  paint()
  const resized = new ResizeObserver(() => {
    if (plot !== undefined && host.clientWidth !== plot.width) {
      plot.setSize({ width: host.clientWidth, height: props.height })
    }
  })
  resized.observe(host)
  host.addEventListener('keydown', (event) => plot !== undefined && step(plot, event), { signal })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint, { signal })
  addEventListener('themechange', paint, { signal })
  signal.addEventListener('abort', () => {
    resized.disconnect()
    plot?.destroy()
  })
}

const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at, last) => (at < 0 ? last : at - 1),
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_at, last) => last,
}

/** Moves the pointer of a chart from point to point by keys. */
function step(plot: uPlot, event: KeyboardEvent): void {
  const moments = plot.data[0]
  const last = moments.length - 1
  const next = steps[event.key]?.(plot.cursor.idx ?? -1, last)
  if (next === undefined) return
  event.preventDefault()
  const timestamp = moments[Math.max(0, Math.min(last, next))] ?? 0
  plot.setCursor({ left: plot.valToPos(timestamp, 'x'), top: 0 })
}

/** Moments of both series, and a value or nothing at each. */
function dataOf({ points, other, log }: ChartProps): uPlot.AlignedData {
  if (other === undefined && log !== true)
    return [points.map(({ timestamp }) => timestamp), points.map(({ value }) => value)]
  const series = [points, other?.points ?? []].map(
    (list) => new Map(list.map(({ timestamp, value }) => [timestamp, value])),
  )
  const moments = [...new Set(series.flatMap((one) => [...one.keys()]))].toSorted((a, b) => a - b)
  // Nothing has a logarithm of zero.
  const values = (at: number): (number | null)[] =>
    moments.map((moment) => {
      const value = series[at]?.get(moment)
      return value === undefined || (log === true && value <= 0) ? null : value
    })
  return other === undefined ? [moments, values(0)] : [moments, values(0), values(1)]
}

function lineOf(other: ChartProps['other'], stroke: string): uPlot.Series[] {
  return other === undefined
    ? []
    : [
        {
          label: other.labels[1],
          stroke,
          width: 2,
          // No line leads to a point alone.
          points: { show: other.points.length === 1, size: 9, fill: stroke },
        },
      ]
}

/** Bars; that of an unfinished period is lighter. */
function barsOf(
  { points, other, isRunning }: ChartProps,
  colour: (name: string) => string,
): uPlot.Series.BarsPathBuilderOpts {
  // The gap is in pixels besides: a share of a narrow bar is less than one, and then none is drawn.
  const usual = { size: [0.8, 24] as [number, number], gap: 1, radius: 0.15 }
  // Beside another series moments are those of both.
  if (isRunning !== true || other !== undefined) return usual
  const last = points.length - 1
  const values = (): string[] =>
    points.map((_, at) => `${colour('--accent')}${at === last ? '66' : ''}`)
  return { ...usual, disp: { fill: { unit: 3, values } } }
}

function optionsOf(Plot: typeof uPlot, host: HTMLElement, props: ChartProps): uPlot.Options {
  const style = getComputedStyle(host)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const axis: uPlot.Axis = {
    stroke: colour('--quiet'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  }
  const bars = props.bars ? Plot.paths.bars?.(barsOf(props, colour)) : undefined
  return {
    width: host.clientWidth,
    height: props.height,
    // Half a label of the axis of time.
    padding: [8, 22, 0, 0],
    legend: { show: false },
    // Points lie at moments in UTC, whatever the place of who looks.
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: {
        range: ({ data: [moments] }, low, high) => wholeBars(props, moments, [low, high]),
      },
      y:
        props.log === true
          ? { distr: 3, range: (_plot, low, high) => logRange(low, high) }
          : { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    cursor: { y: false, points: { show: !props.bars }, drag: { x: props.zoom === true, y: false } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: props.hours ? 110 : 70,
        values: (_plot, moments) => ticks(moments, props.hours),
      },
      {
        ...axis,
        size: 54,
        space: 36,
        values: (_plot, values) => values.map((value) => (value === null ? '' : short(value))),
      },
    ],
    series: [
      {},
      {
        label: props.label,
        stroke: colour('--accent'),
        fill: colour(props.bars ? '--accent' : '--wash'),
        width: props.bars ? 0 : 2,
        points: { show: false },
        ...(bars === undefined ? {} : { paths: bars }),
      },
      ...lineOf(props.other, colour('--busy')),
    ],
    plugins: [{ hooks: hint(props) }],
  }
}

/** Room below the least and above the greatest value of a logarithmic axis. */
const logMargin = 1.3

/** A logarithmic axis, which begins at the data: at a number of one digit and zeros, as its ticks are. */
function logRange(low: number, high: number): [number, number] {
  if (!(low > 0)) return [1, 10]
  const unit = 10 ** Math.floor(Math.log10(low / logMargin))
  return [Math.floor(low / logMargin / unit) * unit, high * logMargin]
}

const halfDay = 43_200

/** Room for half a bar at either end; a moment alone has its day. */
function wholeBars(
  { bars }: ChartProps,
  moments: ArrayLike<number>,
  [low, high]: readonly [number, number],
): [number, number] {
  const count = moments.length
  const only = moments[0]
  if (count === 1 && only !== undefined) return [only - halfDay, only + halfDay]
  const half = bars && count > 1 ? (high - low) / (count - 1) / 2 : 0
  return [low - half, high + half]
}

/** A line of text at the pointer: moment and values. */
function hint(props: ChartProps): uPlot.Hooks.Defs {
  const { hours } = props
  const [moments, values, others] = dataOf(props)
  const label = document.createElement('div')
  label.className = 'hint'
  label.setAttribute('role', 'status')
  label.hidden = true
  return {
    init: (plot) => plot.over.append(label),
    setCursor: (plot) => {
      const index = plot.cursor.idx ?? -1
      const timestamp = moments?.[index]
      label.hidden = timestamp === undefined
      if (timestamp === undefined) return
      const isRunning = props.isRunning === true && index === (moments?.length ?? 0) - 1
      const at = moment(timestamp).slice(0, hours ? 16 : 10) + (isRunning ? ', so far' : '')
      const shown = [values, ...(others === undefined ? [] : [others])]
      label.textContent = [at, ...shown.map((all) => valueText(all?.[index] ?? undefined))].join(
        ' · ',
      )
      const left = plot.valToPos(timestamp, 'x')
      const most = plot.over.clientWidth - label.offsetWidth
      label.style.transform = `translateX(${Math.max(0, Math.min(most, left - label.offsetWidth / 2))}px)`
    },
  }
}
