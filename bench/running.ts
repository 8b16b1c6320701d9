/**
 * Lists of ten of a running Firn, as people start it: processor time of the thread that answers, and how long
 * eight callers wait.
 *
 *     node bench/running.ts [blocks] [rounds] [chains]
 *
 * Three servers over one made-up chain, frozen, of 150 transfers a block, are asked in turns: a Firn that has the
 * demo's chains and its primary network as well; one that has that chain alone; a bare `node:http` that sends the
 * same bytes. With `chains`, a fourth has so many chains whose nodes are away. The kernel counts the processor
 * time, so that the machine may be busy.
 */

import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { itemAt } from '../src/core/item-at.ts'
import {
  type Configured,
  demoConfigured,
  type IndexingFirn,
  start,
  startOver,
  told,
  withBackfill,
} from './backfill-run.ts'
import { type Load, loadOf } from './list-server.ts'
import { mainThreadSeconds, residentMib } from './process-figures.ts'

const blocks = Number(process.argv[2] ?? 2_000)
const rounds = Number(process.argv[3] ?? 7)
const many = Number(process.argv[4] ?? 0)
const addressesWanted = 500
const windowSeconds = 2

/** A server that is measured. */
type Measured = {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly costs: number[]
  readonly latencies: number[]
}

await withBackfill({ blocks, freezes: true }, undefined, async (alone) => {
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  const children: ChildProcess[] = []
  try {
    const beside = async (name: string, others: Configured): Promise<Measured> => {
      const own = join(folder, name.replaceAll(' ', '-'))
      mkdirSync(own)
      const options = { folder: own, urls: alone.nodeUrls, traces: 'traces: off', freezes: true }
      return measured(name, await startOver({ ...options, beside: others }, children))
    }
    const servers = [
      measured('one chain', alone),
      await beside('with the demo', demoConfigured()),
      ...(many > 0 ? [await beside(`with ${many} chains`, chainsAway(many))] : []),
    ]
    for (const { url } of servers) await settled(url)
    const paths = await pathsOf(itemAt(servers, 0).url)
    const bare = start(children, 'bare-server.ts', itemAt(servers, 0).url)
    const url = `http://127.0.0.1:${await told(bare, /^(\d+)$/m)}`
    await inTurns([measured('bare node:http', { url, pid: bare.pid ?? 0 }), ...servers], paths)
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})

function measured(name: string, { url, pid }: Pick<IndexingFirn, 'url' | 'pid'>): Measured {
  return { name, url, pid, costs: [], latencies: [] }
}

/** Chains that nobody serves now; port 9 discards. */
function chainsAway(count: number): Configured {
  const chains = Array.from({ length: count }, (_, at) => ({
    network: 'fuji',
    name: `Away ${at}`,
    symbol: 'AWY',
    rpcUrls: ['http://127.0.0.1:9'],
    traces: 'off',
  }))
  return { networks: {}, chains }
}

/** Waits until the made-up chain and the demo's are live and have frozen what is due. */
async function settled(url: string): Promise<void> {
  for (;;) {
    const { chains } = JSON.parse(await (await fetch(`${url}/status`)).text())
    const states = chains.map((chain: { state: string; name: string }) =>
      chain.name.startsWith('Away') ? 'live' : chain.state,
    )
    if (chains[0]?.indexedHeight === blocks - 1 && !states.includes('syncing')) break
    await pause(500)
  }
  await pause(5_000)
}

/** Lists of addresses that the newest transactions name. */
async function pathsOf(url: string): Promise<string[]> {
  const found = new Set<string>()
  for (let token = ''; found.size < addressesWanted;) {
    const page = `${url}/v1/chains/123456/transactions?pageSize=100${token}`
    const { transactions, nextPageToken } = JSON.parse(await (await fetch(page)).text())
    for (const { from } of transactions)
      found.add(`/v1/chains/123456/addresses/${from.address}/transactions:listErc20`)
    if (nextPageToken === undefined) break
    token = `&pageToken=${nextPageToken}`
  }
  return [...found]
}

async function inTurns(servers: readonly Measured[], paths: readonly string[]): Promise<void> {
  for (let round = -1; round < rounds; round++)
    for (const server of servers) {
      let from = 0
      const load = await loadOf(
        paths.map((path) => new URL(path, server.url)),
        windowSeconds,
        () => {
          from = mainThreadSeconds(server.pid)
        },
      )
      // The first round warms up.
      if (round < 0) continue
      server.costs.push(((mainThreadSeconds(server.pid) - from) * 1e6) / load.requests)
      server.latencies.push(percentile(load, 0.99))
    }
  const bare = median(itemAt(servers, 0).costs)
  for (const { name, pid, costs, latencies } of servers)
    console.log(
      `${name.padEnd(18)} ${median(costs).toFixed(1).padStart(6)} us a list (quartiles ${quartiles(costs)})  ` +
        `${(median(costs) / bare).toFixed(2)} x bare  p99 ${median(latencies).toFixed(2)} ms  ${residentMib(pid)} MiB`,
    )
}

function percentile({ latencies }: Load, share: number): number {
  const sorted = latencies.toSorted()
  return itemAt(sorted, Math.floor(sorted.length * share))
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return itemAt(sorted, Math.floor(sorted.length * share))
}

function median(values: readonly number[]): number {
  return at(values, 0.5)
}

function quartiles(values: readonly number[]): string {
  return [0.25, 0.75].map((share) => at(values, share).toFixed(1)).join(', ')
}
