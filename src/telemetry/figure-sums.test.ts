import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Counter, Histogram, Registry } from 'prom-client'

import { CountSums, TimeSums } from './figure-sums.ts'

/** Lines without their order, which the text format leaves open. */
function lines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .toSorted()
}

void test('sums: a counter prints as the metrics library prints it', async () => {
  const registry = new Registry()
  const about = { name: 'some_total', help: 'With a \\ and\na line.' }
  const theirs = new Counter({ ...about, labelNames: ['a', 'b'], registers: [registry] })
  const ours = new CountSums(['a', 'b'])
  const odd = { a: 'quote " and \\ and\nline', b: '' }
  for (const [labels, amount] of [
    [{ a: 'x', b: 'y' }, 1],
    [{ b: 'y', a: 'x' }, 2.5],
    [{ a: 'x', b: 'z' }, 1],
    [odd, 3],
  ] as const) {
    theirs.inc(labels, amount)
    ours.add(labels, amount)
  }
  assert.deepEqual(lines(ours.text(about.name, about.help)), lines(await registry.metrics()))
})

void test('sums: a counter without labels is there from the beginning', async () => {
  const registry = new Registry()
  const about = { name: 'some_total', help: 'Some.' }
  registry.registerMetric(new Counter({ ...about, registers: [] }))
  assert.deepEqual(
    lines(new CountSums([]).text('some_total', 'Some.')),
    lines(await registry.metrics()),
  )
})

void test('sums: a histogram prints as the metrics library prints it', async () => {
  const registry = new Registry()
  const about = { name: 'some_seconds', help: 'Some.' }
  const buckets = [0.001, 0.5, 10]
  const theirs = new Histogram({ ...about, buckets, labelNames: ['a'], registers: [registry] })
  const ours = new TimeSums(['a'], buckets)
  for (const value of [0, 0.001, 0.0011, 0.5, 9, 10, 11]) {
    for (const a of ['x', 'y']) {
      theirs.observe({ a }, value)
      ours.observe({ a }, value)
    }
  }
  assert.deepEqual(lines(ours.text(about.name, about.help)), lines(await registry.metrics()))
})
