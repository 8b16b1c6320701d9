/**
 * Lists over HTTP while the same process fills its store from a node, and after it has.
 *
 *     node bench/lists-while-indexing.ts [blocks] [folder]
 *
 * Eight connections ask for the latest transactions and for those of one busy address. Node,
 * service and callers share the machine, so the ratio is an upper bound.
 */

import { Worker } from 'node:worker_threads'

import { type Backfill, withBackfill } from './backfill-run.ts'

const blocks = Number(process.argv[2] ?? 10_000)
const seconds = 5

type Load = { readonly requests: number; readonly latencies: Float64Array }

await withBackfill({ blocks }, process.argv[3], async (run) => {
  await run.reached(Math.floor(blocks / 5))
  const paths = await pathsOf(run)
  report('while indexing', await load(run, paths))
  const during = await run.height()
  await run.reached(blocks - 1)
  if (during >= blocks - 1) throw new Error('indexing ended before the load: take more blocks')
  report('live', await load(run, paths))
})

/** The latest transactions, and those of whoever sent the first of them. */
async function pathsOf({ url }: Backfill): Promise<string[]> {
  const latest = '/v1/chains/123456/transactions'
  const reply = await fetch(url + latest)
  const body: { transactions: { from: { address: string } }[] } = JSON.parse(await reply.text())
  const address = body.transactions[0]?.from.address ?? ''
  return [latest, `/v1/chains/123456/addresses/${address}/transactions:listNative`]
}

function load({ url }: Backfill, paths: readonly string[]): Promise<Load> {
  const { hostname: host, port } = new URL(url)
  const worker = new Worker(new URL('./http-load.ts', import.meta.url), {
    workerData: { host, port: Number(port), paths, connections: 8, seconds },
  })
  return new Promise((resolve, reject) => {
    worker.on('message', (told: Load | 'counting') => {
      if (told !== 'counting') resolve(told)
    })
    worker.once('error', reject)
  })
}

function report(name: string, { requests, latencies }: Load): void {
  const sorted = latencies.toSorted()
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2)
  console.log(
    `${name.padEnd(16)} ${String(Math.round(requests / seconds)).padStart(6)} requests/s  ` +
      `p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`,
  )
}
