/**
 * A page for the operator of this Firn, at `/ext/firn`: what is wrong and what to do about it, how
 * far each chain is, and the last hour of the process. It holds no script.
 */

import { escaped } from '../core/text.ts'
import type { Gauges } from '../telemetry/gauges.ts'
import type { Health } from '../telemetry/health.ts'
import type { LastHour } from '../telemetry/last-hour.ts'
import { humanLine, type LogRecord } from '../telemetry/log-line.ts'
import type { NodeReply } from './node-http.ts'
import type { RouteHandler } from './route-table.ts'

/** A chain as the page shows it; names and units are those of `/status`. */
export type OperatorChain = {
  readonly name: string
  readonly state: 'syncing' | 'live' | 'stopped' | 'off'
  readonly reason: string | undefined
  readonly indexedHeight: number
  readonly headHeight: number
  readonly blocksPerSecond: number
  readonly etaSeconds: number | undefined
  readonly nodes: readonly OperatorNode[]
  readonly stages: readonly OperatorStage[]
}

/** A stage of indexing. */
export type OperatorStage = {
  readonly stage: string
  readonly state: OperatorChain['state']
  readonly indexedHeight: number
  /** Height from which it is complete; absent where that is the first. */
  readonly completeFrom?: number | undefined
}

/** A node that a chain is read from. `name` is its scheme and host. */
export type OperatorNode = {
  readonly name: string
  readonly state: 'up' | 'waiting' | 'quarantined'
  readonly latencyMs: number
  readonly problem: string | undefined
}

/** Values that the page shows. */
export type OperatorPageOptions = {
  readonly version: string
  readonly nodeId: string | undefined
  readonly health: Health
  readonly gauges: Gauges
  readonly chains: () => Promise<readonly OperatorChain[]>
  readonly lastHour: LastHour
  readonly recentLog: () => readonly LogRecord[]
}

const style = `:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:0 auto;padding:24px}
h2{font-size:17px;margin:28px 0 8px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:6px 14px 6px 0;border-top:1px solid #8886;vertical-align:top}
th.num,td.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.scroll{overflow-x:auto}
.good{color:light-dark(#11663a,#6fd39b)}
.bad{color:light-dark(#a3222c,#ff9aa2);font-weight:600}
.busy{color:light-dark(#7a4d00,#f0b95c)}
.problems li{margin:6px 0}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(210px,1fr));gap:16px;margin:0}
.figures dt{font-size:13px}
.figures dd{margin:0;font-size:20px;font-variant-numeric:tabular-nums}
svg{display:block;width:100%;height:36px}
polyline{fill:none;stroke:currentColor;stroke-width:1.5;vector-effect:non-scaling-stroke}
pre{overflow-x:auto;font-size:12.5px;line-height:1.5}`

const headers = {
  'content-security-policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

/** Handlers of the page and its style. */
export function operatorRoutes(options: OperatorPageOptions): ReadonlyMap<string, RouteHandler> {
  return new Map<string, RouteHandler>([
    ['', () => page(options)],
    [
      '/style.css',
      () => ({ status: 200, contentType: 'text/css; charset=utf-8', headers, body: style }),
    ],
  ])
}

async function page(options: OperatorPageOptions): Promise<NodeReply> {
  const { version, nodeId, health, gauges } = options
  const chains = await options.chains()
  const figures = figuresOf(await gauges.text())
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(version)}, for its operator</title>
<link rel="stylesheet" href="/ext/firn/style.css"></head><body><main>
<h1>${escaped(version)}</h1>
<p>${nodeId === undefined ? '' : `${escaped(nodeId)} · `}<a href="/ext/health">health</a> · <a href="/ext/metrics">all metrics</a> · <a href="/ext/firn">read again</a></p>
${problemList(problemsOf(chains, health))}
<h2>Chains</h2>
${table(['Chain', 'State', '#Height', '#Behind', '#Blocks/s', '#Time left', 'Stages'], chains.map(chainRow))}
<h2>Nodes</h2>
${table(['Chain', 'Node', 'State', '#Latency', 'Problem'], chains.flatMap(nodeRows))}
<h2>The last hour</h2>
${hour(options.lastHour)}
<h2>API requests by status</h2>
${table(['Status', '#Requests since the start'], requestRows(figures))}
<h2>Log</h2>
<pre tabindex="0">${escaped(
    options
      .recentLog()
      .map((record) => humanLine(record, false))
      .join(''),
  )}</pre>
</main></body></html>
`
  return { status: 200, contentType: 'text/html; charset=utf-8', headers, body }
}

/** Something wrong, and what helps. */
type Problem = { readonly what: string; readonly help: string }

function problemsOf(chains: readonly OperatorChain[], health: Health): Problem[] {
  const ofChains = chains.flatMap(({ name, state, reason = '', nodes }): Problem[] => {
    if (state === 'stopped')
      return [
        { what: `${name} stopped: ${reason}`, help: 'Mend the cause, then restart this Firn.' },
      ]
    if (state === 'syncing' && reason !== '')
      return [{ what: `${name} waits: ${reason}`, help: 'It goes on by itself once that is over.' }]
    return nodes
      .filter((node) => node.state === 'quarantined')
      .map((node) => ({
        what: `${name} does not use ${node.name}: ${node.problem ?? 'it gave something false'}`,
        help: 'Look at that node; its answers contradict the chain.',
      }))
  })
  // The state of chains is shown above, in words of the chain.
  const ofChecks = health.entries().flatMap(({ name, result: { error } }): Problem[] =>
    error === undefined || (name === 'chains' && ofChains.length > 0)
      ? []
      : [
          {
            what: `${name}: ${error}`,
            help: 'firn doctor looks at the configuration, the nodes and the disk.',
          },
        ],
  )
  return [...ofChains, ...ofChecks]
}

function problemList(problems: readonly Problem[]): string {
  if (problems.length === 0) return '<p class="good">Nothing is wrong.</p>'
  const items = problems.map(
    ({ what, help }) => `<li><span class="bad">${escaped(what)}</span><br>${escaped(help)}</li>`,
  )
  return `<ul class="problems">${items.join('')}</ul>`
}

const moods = { live: 'good', syncing: 'busy', stopped: 'bad', off: '' } as const

function chainRow(chain: OperatorChain): string[] {
  const { indexedHeight, headHeight, blocksPerSecond, etaSeconds, state } = chain
  // What waits for something makes no progress, however near the head it stands.
  const waits = state === 'syncing' && chain.reason !== undefined
  return [
    escaped(chain.name),
    `<span class="${waits ? 'bad' : moods[state]}">${waits ? 'waiting' : state}</span>`,
    indexedHeight < 0 ? '–' : count(indexedHeight),
    headHeight < 0 ? 'unknown' : count(Math.max(0, headHeight - indexedHeight)),
    blocksPerSecond === 0 ? '–' : count(blocksPerSecond),
    etaSeconds === undefined || waits || state === 'live' ? '–' : span(etaSeconds),
    chain.stages.map(stageText).join(', '),
  ]
}

/** `blocks live`, `traces off at 1,210`, `logs live from 4,096`. */
function stageText({ stage, state, indexedHeight, completeFrom }: OperatorStage): string {
  const from = completeFrom === undefined ? '' : ` from ${count(completeFrom)}`
  const at = state === 'live' || indexedHeight < 0 ? '' : ` at ${count(indexedHeight)}`
  return `${escaped(stage)} <span class="${moods[state]}">${state}</span>${from}${at}`
}

function nodeRows({ name, nodes }: OperatorChain): string[][] {
  return nodes.map((node) => [
    escaped(name),
    escaped(node.name),
    `<span class="${node.state === 'up' ? 'good' : 'bad'}">${node.state}</span>`,
    `${count(Math.round(node.latencyMs))} ms`,
    escaped(node.problem ?? ''),
  ])
}

function requestRows(figures: readonly Figure[]): string[][] {
  const sums = new Map<string, number>()
  for (const { name, labels, value } of figures) {
    const [, status] = /status="(\w+)"/.exec(labels) ?? []
    if (name !== 'firn_api_requests_total' || status === undefined) continue
    sums.set(status, (sums.get(status) ?? 0) + value)
  }
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, sum]) => [escaped(status), count(sum)])
}

/** Small charts, each with its newest value. */
function hour(series: LastHour): string {
  const items = [...series].map(([name, values]) => {
    const newest = values.at(-1) ?? 0
    const text = name.endsWith('bytes') ? `${count(newest / 2 ** 20)} MiB` : count(newest)
    return `<div><dt>${escaped(name.replace(/ bytes$/, ''))}</dt><dd>${text}</dd>${chart(values)}</div>`
  })
  return `<dl class="figures">${items.join('')}</dl>`
}

function chart(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const points = values.map((value, at) => {
    const x = values.length === 1 ? 0 : (at / (values.length - 1)) * 100
    return `${x.toFixed(1)},${(30 - ((value - low) / (high - low || 1)) * 28).toFixed(1)}`
  })
  return `<svg viewBox="0 0 100 32" preserveAspectRatio="none" aria-hidden="true"><polyline points="${points.join(' ')}"/></svg>`
}

/** A table; a column whose title begins with # holds numbers. Cells are HTML. */
function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p>None.</p>'
  const kind = (at: number): string => (titles[at]?.startsWith('#') === true ? ' class="num"' : '')
  const head = titles.map((title, at) => `<th${kind(at)}>${title.replace(/^#/, '')}</th>`)
  const body = rows.map(
    (row) => `<tr>${row.map((cell, at) => `<td${kind(at)}>${cell}</td>`).join('')}</tr>`,
  )
  return `<div class="scroll" tabindex="0" role="group" aria-label="table"><table><thead><tr>${head.join('')}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>`
}

/** A number of Prometheus' text format. */
type Figure = { readonly name: string; readonly labels: string; readonly value: number }

function figuresOf(text: string): Figure[] {
  return [...text.matchAll(/^(firn_\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value = '']) => ({ name, labels, value: Number(value) }),
  )
}

function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 })
}

function span(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${count(seconds / 3_600)} h`
}
