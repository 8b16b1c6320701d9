/**
 * A page for the operator of this Firn, at `/ext/firn`: health and figures as people read them.
 *
 * It holds no script, asks nothing, and tells nothing that `/ext/health` and `/ext/metrics` do not.
 */

import { escaped } from '../core/html-text.ts'
import type { Gauges } from '../telemetry/gauges.ts'
import type { Health, HealthEntry } from '../telemetry/health.ts'
import type { NodeReply } from './node-http.ts'
import type { RouteHandler } from './route-table.ts'

/** Values that the page shows. */
export type OperatorParts = {
  readonly version: string
  readonly nodeId: string | undefined
  readonly health: Health
  readonly gauges: Gauges
}

const style = `:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:0 auto;padding:24px}
table{border-collapse:collapse;width:100%;margin-bottom:28px}
th,td{text-align:left;padding:6px 14px 6px 0;border-top:1px solid #8886;vertical-align:top;overflow-wrap:anywhere}
td.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.bad{font-weight:600}`

const headers = {
  'content-security-policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

/** Handlers of the page and its style. */
export function operatorRoutes(parts: OperatorParts): ReadonlyMap<string, RouteHandler> {
  return new Map<string, RouteHandler>([
    ['', () => page(parts)],
    [
      '/style.css',
      () => ({ status: 200, contentType: 'text/css; charset=utf-8', headers, body: style }),
    ],
  ])
}

async function page({ version, nodeId, health, gauges }: OperatorParts): Promise<NodeReply> {
  const figures = figuresOf(await gauges.text())
  const groups = Map.groupBy(figures, ({ name }) => name.split('_')[1] ?? '')
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(version)}, for its operator</title>
<link rel="stylesheet" href="/ext/firn/style.css"></head><body><main>
<h1>${escaped(version)}</h1>
<p>${nodeId === undefined ? '' : `${escaped(nodeId)} · `}<a href="/ext/health">health</a> · <a href="/ext/metrics">metrics</a> · <a href="/ext/firn">read again</a></p>
<h2>Health</h2>
<table><thead><tr><th>Check</th><th>State</th><th>What it says</th></tr></thead><tbody>
${health.entries().map(checkRow).join('\n')}
</tbody></table>
${[...groups].map(([group, all]) => groupTable(group, all)).join('\n')}
</main></body></html>
`
  return { status: 200, contentType: 'text/html; charset=utf-8', headers, body }
}

function checkRow({ name, result }: HealthEntry): string {
  const { error, message, timestamp } = result
  const state = error !== undefined ? 'unhealthy' : timestamp === undefined ? 'not yet' : 'healthy'
  const told = error ?? (message === undefined ? '' : JSON.stringify(message))
  const mood = state === 'unhealthy' ? ' class="bad"' : ''
  return `<tr><td>${escaped(name)}</td><td${mood}>${state}</td><td>${escaped(told)}</td></tr>`
}

/** A number of Prometheus' text format. */
type Figure = {
  readonly name: string
  readonly labels: string
  readonly value: string
  readonly help: string
}

/** Figures of ours; of histograms the sums and counts, not the buckets. */
function figuresOf(text: string): Figure[] {
  const help = new Map<string, string>()
  const figures: Figure[] = []
  for (const line of text.split('\n')) {
    const [, named = '', about = ''] = /^# HELP (\S+) (.*)$/.exec(line) ?? []
    if (named !== '') help.set(named, about)
    const [, name = '', labels = '', value = ''] =
      /^(firn_\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === '' || name.endsWith('_bucket')) continue
    const family = name.replace(/_(sum|count)$/, '')
    figures.push({ name, labels, value, help: help.get(name) ?? help.get(family) ?? '' })
  }
  return figures
}

function groupTable(group: string, figures: readonly Figure[]): string {
  const rows = figures.map(({ name, labels, value, help }) => {
    const number = Number(value)
    const shown = Number.isFinite(number)
      ? number.toLocaleString('en-US', { maximumFractionDigits: 3 })
      : value
    return `<tr><td title="${escaped(help)}">${escaped(name)}</td><td>${escaped(labels)}</td><td class="num">${escaped(shown)}</td></tr>`
  })
  return `<h2>${escaped(group)}</h2>
<table><thead><tr><th>Figure</th><th>Of</th><th>Value</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`
}
