/** Every metric and label of the rules and of the dashboard is one that `/ext/metrics` has. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { gaugeTable } from '../../src/telemetry/gauges.ts'
import { listUnder, objectUnder, plainOf, under } from './deploy-files.ts'

/** Labels that Prometheus or a histogram adds. */
const added = ['instance', 'job', 'le']
const rows = new Map<string, { readonly kind: string; readonly labels: readonly string[] }>(
  Object.entries(gaugeTable),
)

/** Fails for a metric that is none, and for a label that no metric of the expression has. */
function checkExpression(expression: string, where: string): readonly string[] {
  const metrics = [...expression.matchAll(/\bfirn_\w+/g)].map(([metric]) => metric)
  const used = metrics.map((metric) => {
    const row = rows.get(metric) ?? rows.get(metric.replace(/_(bucket|sum|count)$/, ''))
    assert.ok(row !== undefined, `${where}: no metric ${metric}`)
    assert.equal(metric.endsWith('_bucket'), row.kind === 'histogram', `${where}: ${metric}`)
    return row
  })
  const labels = new Set([...added, ...used.flatMap((row) => row.labels)])
  const named = [
    ...[...expression.matchAll(/\b(?:by|without) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(',').map((label) => label.trim()),
    ),
    ...[...expression.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    ),
  ]
  for (const label of named) assert.ok(labels.has(label), `${where}: no label ${label}`)
  assert.equal(expression.split('(').length, expression.split(')').length, `${where}: brackets`)
  // A counter is only of use as a change; anything else never falls.
  for (const metric of metrics.filter((each) => rows.get(each)?.kind === 'counter'))
    assert.match(expression, new RegExp(`(rate|increase)\\(${metric}`), `${where}: ${metric}`)
  return [...labels]
}

void test('rules: each alert has a metric, labels and a description that exist', () => {
  const alerts: string[] = []
  for (const group of listUnder(plainOf('prometheus-rules.yaml'), 'groups')) {
    assert.deepEqual(Object.keys(Object(group)), ['name', 'rules'])
    for (const rule of listUnder(group, 'rules')) {
      const alert = String(under(rule, 'alert'))
      const keys = Object.keys(Object(rule))
      for (const key of keys)
        assert.ok(['alert', 'expr', 'for', 'labels', 'annotations'].includes(key), alert)
      assert.match(String(under(rule, 'labels', 'severity')), /^(warning|critical)$/, alert)
      if (keys.includes('for')) assert.match(String(under(rule, 'for')), /^\d+[smhd]$/, alert)
      const labels = checkExpression(String(under(rule, 'expr')), alert)
      const summary = String(under(rule, 'annotations', 'summary'))
      for (const [, label = ''] of summary.matchAll(/\$labels\.(\w+)/g))
        assert.ok(labels.includes(label), `${alert}: ${label}`)
      alerts.push(alert)
    }
  }
  assert.equal(new Set(alerts).size, alerts.length)
  // The guide says what to do about each.
  const guide = readFileSync(new URL('../../docs/guide/monitoring.md', import.meta.url), 'utf8')
  assert.deepEqual(
    [...guide.matchAll(/^\| `(\w+)` /gm)].map(([, alert]) => alert),
    alerts,
  )
})

void test('dashboard: each panel asks for metrics that exist, and none covers another', () => {
  const dashboard = plainOf('grafana-dashboard.json')
  const variables = listUnder(dashboard, 'templating', 'list')
  const names = variables.map((variable) => String(under(variable, 'name')))
  assert.deepEqual(names, ['datasource', 'instance'])
  checkExpression(
    String(under(variables[1], 'query')).replace(
      /^label_values\((.+), (\w+)\)$/,
      'sum by ($2) ($1)',
    ),
    'variable',
  )
  const taken = new Set<string>()
  const ids = new Set<number>()
  const panels = listUnder(dashboard, 'panels')
  for (const panel of panels) {
    const title = String(under(panel, 'title'))
    ids.add(Number(under(panel, 'id')))
    assert.match(String(under(panel, 'type')), /^(timeseries|stat)$/, title)
    const { x, y, w, h } = objectUnder(panel, 'gridPos')
    assert.ok(Number(x) + Number(w) <= 24, title)
    for (let column = Number(x); column < Number(x) + Number(w); column++)
      for (let line = Number(y); line < Number(y) + Number(h); line++) {
        assert.ok(!taken.has(`${column} ${line}`), `${title} covers another`)
        taken.add(`${column} ${line}`)
      }
    for (const target of listUnder(panel, 'targets')) {
      assert.equal(under(target, 'datasource', 'uid'), '${datasource}', title)
      const expression = String(under(target, 'expr'))
      for (const [, variable = ''] of expression.matchAll(/\$(\w+)/g))
        assert.ok(names.includes(variable), title)
      const labels = checkExpression(expression, title)
      for (const [, label = ''] of String(under(target, 'legendFormat')).matchAll(/\{\{(\w+)\}\}/g))
        assert.ok(labels.includes(label), `${title}: ${label}`)
    }
  }
  assert.equal(ids.size, panels.length)
  assert.ok(panels.length >= 12)
})
