/** A series drawn by uPlot, in the colours of the style sheet; uPlot is loaded when first needed. */

import { h, type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'

import type { MetricPoint } from '../../shape/metrics/metric-point.ts'
import { count, moment, short, tick } from './format.ts'

/** Points oldest first. */
export type ChartProps = {
  readonly points: readonly MetricPoint[]
  readonly label: string
  readonly height: number
  readonly bars: boolean
  /** Whether the moment of a point has an hour. */
  readonly hours: boolean
}

/** Draws; follows the width of its place and the colours of light and dark. */
export function Chart(props: ChartProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const host = place.current
    if (host === null) return undefined
    const over = new AbortController()
    void draw(host, props, over.signal)
    return () => over.abort()
  }, [props.points, props.label, props.height, props.bars])
  const newest = props.points.at(-1)
  const summary = `${props.label}: ${props.points.length} points, newest ${newest?.value ?? 'none'}`
  return h('div', { class: 'chart', ref: place, role: 'img', 'aria-label': summary })
}

async function draw(host: HTMLElement, props: ChartProps, signal: AbortSignal): Promise<void> {
  const Plot = (await import('uplot')).default
  if (signal.aborted) return
  const data: uPlot.AlignedData = [
    props.points.map(({ timestamp }) => timestamp),
    props.points.map(({ value }) => value),
  ]
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
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint, { signal })
  addEventListener('themechange', paint, { signal })
  signal.addEventListener('abort', () => {
    resized.disconnect()
    plot?.destroy()
  })
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
  const bars = props.bars ? Plot.paths.bars?.({ size: [0.7, 24], radius: 0.15 }) : undefined
  return {
    width: host.clientWidth,
    height: props.height,
    padding: [8, 4, 0, 0],
    legend: { show: false },
    // Points lie at moments in UTC, whatever the place of who looks.
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { range: (_plot, low, high) => wholeBars(props, low, high) },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    cursor: { y: false, points: { show: !props.bars }, drag: { x: false, y: false } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: props.hours ? 110 : 70,
        values: (_plot, ticks) => ticks.map((seconds) => tick(seconds, props.hours)),
      },
      { ...axis, size: 46, space: 36, values: (_plot, ticks) => ticks.map(short) },
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
    ],
    plugins: [{ hooks: hint(props) }],
  }
}

/** Room for half a bar at either end. */
function wholeBars({ points, bars }: ChartProps, low: number, high: number): [number, number] {
  const half =
    bars && points.length > 1 ? (high - low) / (points.length - 1) / 2 : bars ? 43_200 : 0
  return [low - half, high + half]
}

/** A line of text at the pointer: moment and value. */
function hint({ hours, points }: ChartProps): uPlot.Hooks.Defs {
  const label = document.createElement('div')
  label.className = 'hint'
  label.hidden = true
  return {
    init: (plot) => plot.over.append(label),
    setCursor: (plot) => {
      const point = points[plot.cursor.idx ?? -1]
      label.hidden = point === undefined
      if (point === undefined) return
      const at = moment(point.timestamp).slice(0, hours ? 16 : 10)
      label.textContent = `${at} · ${count(point.value)}`
      const left = plot.valToPos(point.timestamp, 'x')
      const most = plot.over.clientWidth - label.offsetWidth
      label.style.transform = `translateX(${Math.max(0, Math.min(most, left - label.offsetWidth / 2))}px)`
    },
  }
}
