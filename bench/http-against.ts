/**
 * Lists over HTTP of this checkout against another one, for instance of an older commit.
 *
 *     node bench/http-against.ts FOLDER [processes] [windows]
 *
 * FOLDER is the other checkout, its packages installed. Both servers run side by side over a chain of
 * their own making and are asked in turns, either first: processor time of the server's thread a
 * request, this checkout's divided by the other's. A process keeps the luck of its start, so
 * that several are started one after the other; each is warmed up for six seconds.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

import type { StateReader } from '../src/api/operation/chain-directory.ts'
import { Fault } from '../src/core/fault.ts'
import { itemAt } from '../src/core/item-at.ts'
import type * as Lists from './list-server.ts'
import type { Load } from './list-server.ts'
import { printRatios } from './ratios.ts'

const [, , other = '', processes = '4', windows = '3'] = process.argv
const blocks = 2_000

/** A server: where it listens, and addresses of its chain. */
type Listening = {
  readonly port: number
  readonly busiest: string
  readonly spread: readonly string[]
}

if (process.send === undefined) await compare()
else await serve(other, processes)

/** The other process: a server of the code in `checkout`, which tells its processor time. */
async function serve(checkout: string, folder: string): Promise<void> {
  const { openBenchChain, listServer, holders }: typeof Lists = await import(
    pathToFileURL(join(checkout, 'bench/list-server.ts')).href
  )
  const none = async (): Promise<never> => {
    throw new Fault('not-served', 'no node here')
  }
  const state: StateReader = {
    balance: none,
    code: none,
    call: none,
    storage: none,
    tried: none,
    calls: none,
  }
  const store = await openBenchChain(folder, blocks)
  const url = await listServer({ store, state }).listen('127.0.0.1', 0)
  const [busiest = ''] = await holders(store, 'desc')
  const listening: Listening = {
    port: Number(new URL(url).port),
    busiest,
    spread: await holders(store, 'spread'),
  }
  process.send?.(listening)
  process.on('message', () => process.send?.(process.threadCpuUsage()))
}

async function compare(): Promise<void> {
  const checkouts = [resolve(other), resolve(import.meta.dirname, '..')]
  const folders = checkouts.map(() => mkdtempSync(join(tmpdir(), 'firn-bench-')))
  const ratios = new Map<string, number[]>()
  try {
    for (let round = 0; round < Number(processes); round++) {
      const servers = [started(checkouts, folders, 0), started(checkouts, folders, 1)]
      const listening = await Promise.all(servers.map(listeningOf))
      for (const [name, paths] of cases(itemAt(listening, 0)))
        ratios.set(name, [
          ...(ratios.get(name) ?? []),
          ...(await inTurns(servers, listening, paths, round)),
        ])
      for (const server of servers) server.kill()
    }
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
  for (const [name, all] of ratios) printRatios(name, all)
}

function started(
  checkouts: readonly string[],
  folders: readonly string[],
  at: number,
): ChildProcess {
  const checkout = itemAt(checkouts, at)
  return fork(import.meta.filename, [checkout, itemAt(folders, at)], { cwd: checkout })
}

async function listeningOf(server: ChildProcess): Promise<Listening> {
  const [listening]: Listening[] = await once(server, 'message')
  if (listening === undefined) throw new Error('a server told nothing')
  return listening
}

function cases({ busiest, spread }: Listening): [string, string[]][] {
  const ofAddress = (address: string, list: string): string =>
    `/v1/chains/1/addresses/${address}/transactions:${list}`
  return [
    ['erc20, busiest address', [ofAddress(busiest, 'listErc20')]],
    ['erc20, 2,000 addresses', spread.map((address) => ofAddress(address, 'listErc20'))],
    ['native, 2,000 addresses', spread.map((address) => ofAddress(address, 'listNative'))],
    ['latest transactions', ['/v1/chains/1/transactions']],
    ['live-check', ['/v1/live-check']],
  ]
}

/** Ratios of windows in turns, after one of each that warms up. */
async function inTurns(
  servers: readonly ChildProcess[],
  listening: readonly Listening[],
  paths: readonly string[],
  round: number,
): Promise<number[]> {
  const costOf = (at: number, seconds: number): Promise<number> =>
    cost(itemAt(servers, at), itemAt(listening, at).port, { paths, seconds })
  for (const at of [0, 1]) await costOf(at, 6)
  const ratios: number[] = []
  for (let window = 0; window < Number(windows); window++) {
    const first = (window + round) % 2
    const costs = new Map([[first, await costOf(first, 1)]])
    costs.set(1 - first, await costOf(1 - first, 1))
    ratios.push((costs.get(1) ?? NaN) / (costs.get(0) ?? NaN))
  }
  return ratios
}

/** Microseconds of the server's thread a request. */
async function cost(
  server: ChildProcess,
  port: number,
  asked: { readonly paths: readonly string[]; readonly seconds: number },
): Promise<number> {
  const workerData = { host: '127.0.0.1', port, connections: 8, ...asked }
  const worker = new Worker(new URL('./http-load.ts', import.meta.url), { workerData })
  await once(worker, 'message')
  const before = await spent(server)
  const [load]: Load[] = await once(worker, 'message')
  return ((await spent(server)) - before) / (load?.requests ?? NaN)
}

async function spent(server: ChildProcess): Promise<number> {
  server.send('spent')
  const [usage]: NodeJS.CpuUsage[] = await once(server, 'message')
  if (usage === undefined) throw new Error('a server told nothing')
  return usage.user + usage.system
}
