/**
 * Every GET operation of a running Firn with the parameters that cost most: processor time a page on chains of two
 * sizes, and how long one in a hundred live checks waits beside two callers of it.
 *
 *     node bench/operations.ts [blocks] [more blocks] [pattern of operation ids]
 *
 * Both Firns have the demo as well, of which the operations of other networks are asked. Addresses are the busiest,
 * pages the largest, blocks the oldest. `growth` is the larger chain's time divided by the smaller one's.
 */

import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { itemAt } from '../src/core/item-at.ts'
import { demoConfigured, startOver, withBackfill } from './backfill-run.ts'
import { mainThreadSeconds } from './process-figures.ts'

const [small, large] = [Number(process.argv[2] ?? 2_000), Number(process.argv[3] ?? 20_000)]
const only = new RegExp(process.argv[4] ?? '')
const times = 20
/** Live checks beside two callers of each operation. */
const checks = 200
const chainId = '123456'

/** A request: its operation, and its path with parameters. */
type Asked = { readonly id: string; readonly path: string }

/** Milliseconds: processor time of the thread that answers, the slowest answer, and the wait beside it. */
type Cost = { readonly processor: number; readonly slowest: number; readonly waited: number }

const costs = await Promise.all([small, large].map(async (blocks) => costsOf(blocks)))
const [less, more] = [itemAt(costs, 0), itemAt(costs, 1)]
console.log(
  'operation                            small ms  large ms  growth  slowest  live check p99',
)
for (const [id, { processor, slowest, waited }] of more) {
  const before = less.get(id)?.processor ?? Number.NaN
  const figures = [before.toFixed(2), processor.toFixed(2), (processor / before).toFixed(2)]
  const rest = [slowest.toFixed(1), waited.toFixed(1)]
  console.log(
    `${id.padEnd(36)} ${[...figures, ...rest].map((text) => text.padStart(8)).join('  ')}`,
  )
}

async function costsOf(blocks: number): Promise<ReadonlyMap<string, Cost>> {
  const found = new Map<string, Cost>()
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  const children: ChildProcess[] = []
  try {
    await withBackfill({ blocks, freezes: true }, undefined, async (alone) => {
      const own = join(folder, 'data')
      mkdirSync(own)
      const options = { folder: own, urls: alone.nodeUrls, traces: 'traces: off', freezes: true }
      const firn = await startOver({ ...options, beside: demoConfigured() }, children)
      await firn.reached(blocks - 1)
      await pause(10_000)
      for (const asked of await requestsTo(firn.url)) found.set(asked.id, await costOf(firn, asked))
      await firn.stop()
    })
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  return found
}

async function costOf(
  { url, pid }: { readonly url: string; readonly pid: number },
  { path }: Asked,
): Promise<Cost> {
  for (let at = 0; at < 3; at++) await (await fetch(url + path)).arrayBuffer()
  const from = mainThreadSeconds(pid)
  let slowest = 0
  for (let at = 0; at < times; at++) slowest = Math.max(slowest, await answered(url + path))
  const processor = ((mainThreadSeconds(pid) - from) * 1_000) / times
  const waits: number[] = []
  const ask = async (): Promise<void> => {
    while (waits.length < checks) await answered(url + path)
  }
  const check = async (): Promise<void> => {
    while (waits.length < checks) waits.push(await answered(`${url}/v1/live-check`))
  }
  await Promise.all([ask(), ask(), check()])
  const waited = itemAt(
    waits.toSorted((a, b) => a - b),
    Math.floor(checks * 0.99),
  )
  return { processor, slowest, waited }
}

/** Milliseconds until an answer has arrived. */
async function answered(url: string): Promise<number> {
  const from = performance.now()
  await (await fetch(url)).arrayBuffer()
  return performance.now() - from
}

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly example?: string | number | boolean
  readonly schema: { readonly maximum?: number }
}

type Document = {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get?: { readonly operationId: string; readonly parameters?: readonly Parameter[] }
      }
    >
  >
}

async function read(url: string): Promise<string> {
  return (await fetch(url)).text()
}

/** A request to each GET operation of the document that answers one. */
async function requestsTo(url: string): Promise<readonly Asked[]> {
  const { paths }: Document = JSON.parse(await read(`${url}/openapi.json`))
  const own = await valuesOf(url)
  const requests: Asked[] = []
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined || !only.test(get.operationId)) continue
    const query = new URLSearchParams()
    let filled = path
    for (const { name, in: place, required, example, schema } of get.parameters ?? []) {
      const value = (path.includes('{chainId}') ? own.get(name) : undefined) ?? example
      if (value === undefined) continue
      if (place === 'path') filled = filled.replace(`{${name}}`, String(value))
      else if (name === 'pageSize') query.set(name, String(schema.maximum ?? value))
      else if (place === 'query' && (required === true || name === 'addresses'))
        query.set(name, String(value))
    }
    const asked = query.size === 0 ? filled : `${filled}?${query}`
    const { status } = await fetch(url + asked)
    if (status === 200) requests.push({ id: get.operationId, path: asked })
    else console.error(`${get.operationId} is left out, ${status}: ${asked}`)
  }
  return requests
}

type Transactions = {
  readonly transactions: readonly {
    readonly txHash: string
    readonly from: { readonly address: string }
  }[]
}

/** Values of parameters on the made-up chain: the busiest of what its newest transactions name. */
async function valuesOf(url: string): Promise<ReadonlyMap<string, string>> {
  const chain = `${url}/v1/chains/${chainId}`
  const { transactions }: Transactions = JSON.parse(
    await read(`${chain}/transactions?pageSize=100`),
  )
  const counts = new Map<string, number>()
  for (const { from } of transactions) counts.set(from.address, (counts.get(from.address) ?? 0) + 1)
  const [busiest] = itemAt(
    [...counts].toSorted(([, a], [, b]) => b - a),
    0,
  )
  const { tokens }: { tokens: readonly { address: string }[] } = JSON.parse(
    await read(`${chain}/tokens?pageSize=1`),
  )
  const { txHash } = itemAt(transactions, 0)
  return new Map([
    ['chainId', chainId],
    ['address', busiest],
    ['contractAddress', tokens[0]?.address ?? busiest],
    ['blockId', '1'],
    ['txHash', txHash],
    ['rpcTxHash', txHash],
  ])
}
