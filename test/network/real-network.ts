/**
 * A real Avalanche network on this machine, started by a script that is no part of the project:
 * `FIRN_AVALANCHE_NETWORK`, else `../shared/tools/avalanche/network.sh` beside this repository.
 */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { avalancheNetwork } from '../test-settings.ts'
import { nodeAt, type NodeRpc } from './node-rpc.ts'

const runFile = promisify(execFile)

const beside = fileURLToPath(new URL('../../../shared/tools/avalanche/network.sh', import.meta.url))

/** The script, or `undefined` where there is none. In CI it must be there. */
export function networkScript(): string | undefined {
  const script = avalancheNetwork ?? beside
  if (existsSync(script)) return script
  if (process.env['CI'] === 'true') throw new Error(`there is no network script: ${script}`)
  return undefined
}

/** Beginning of a network. */
export type NetworkPlan = {
  readonly nodes: number
  /** Where given, a network of its own with this genesis; else the local one. */
  readonly genesis?: string
  readonly upgrades?: Readonly<Record<string, unknown>>
  /** More flags for every node. */
  readonly flags?: readonly string[]
}

/** A running network; nodes are numbered from 1. */
export type RealNetwork = {
  readonly folder: string
  /** Base URL of a node. */
  readonly url: (node: number) => string
  readonly node: (node: number) => NodeRpc
  readonly stop: (node: number) => Promise<void>
  /** Starts it again, stopping it first where it runs; with `flags` for good. */
  readonly restart: (node: number, flags?: readonly string[]) => Promise<void>
  /** Waits until a node answers and has caught up. */
  readonly ready: (node: number) => Promise<void>
  /** Ends all nodes and removes their folder. */
  readonly down: () => Promise<void>
}

/** Nodes take ten ports each. */
const portsPerNode = 10

/** Starts a network and waits until its first node has bootstrapped. */
export async function startNetwork(script: string, plan: NetworkPlan): Promise<RealNetwork> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-network-'))
  const port = await freePorts(plan.nodes * portsPerNode)
  const url = (node: number): string => `http://127.0.0.1:${port + (node - 1) * portsPerNode}`
  const run = (...args: string[]): Promise<unknown> =>
    runFile('bash', [script, ...args], { timeout: 180_000 })
  const flags = [...(await fileFlags(folder, plan)), ...(plan.flags ?? [])]
  const ready = async (node: number): Promise<void> => {
    await settled(`node ${node} is ready`, async () => {
      for (const chain of ['P', 'X', 'C']) {
        const said = await nodeAt(url(node)).call('/ext/info', 'info.isBootstrapped', { chain })
        if (said['isBootstrapped'] !== true) return false
      }
      return true
    })
  }
  const down = async (): Promise<void> => {
    await run('down', folder)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await run('start', folder, String(port), String(plan.nodes), ...flags)
  } catch (error) {
    await down()
    throw error
  }
  return {
    folder,
    url,
    node: (node) => nodeAt(url(node)),
    stop: async (node) => void (await run('stop', folder, String(node))),
    restart: async (node, more = []) => {
      if (more.length > 0) await addFlags(join(folder, `node${node}`, 'flags'), more)
      await run('restart', folder, String(node))
    },
    ready,
    down,
  }
}

async function fileFlags(folder: string, plan: NetworkPlan): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const flags: string[] = []
  if (plan.genesis !== undefined) {
    await writeFile(join(folder, 'genesis.json'), plan.genesis)
    const { networkID } = JSON.parse(plan.genesis) as { networkID: number }
    flags.push(`--network-id=${networkID}`, `--genesis-file=${join(folder, 'genesis.json')}`)
  }
  if (plan.upgrades !== undefined) {
    await writeFile(join(folder, 'upgrades.json'), JSON.stringify(plan.upgrades))
    flags.push(`--upgrade-file=${join(folder, 'upgrades.json')}`)
  }
  return flags
}

async function addFlags(file: string, flags: readonly string[]): Promise<void> {
  const before = (await readFile(file, 'utf8')).trim()
  await writeFile(file, `${before} ${flags.join(' ')}\n`)
}

/** The first of `count` ports in a row that nobody listens on. */
async function freePorts(count: number): Promise<number> {
  for (let first = 21_000; first < 60_000; first += count) {
    const free = await Promise.all(Array.from({ length: count }, (_, at) => isFree(first + at)))
    if (free.every(Boolean)) return first
  }
  throw new Error('no free ports for the nodes')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Longest time something a network does by itself may take on a busy machine. */
const settleMs = 120_000
const lookEveryMs = 250

/** Looks until `look` is true; what fails meanwhile counts as not yet, and is told in the end. */
export async function settled(what: string, look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + settleMs
  let last: unknown
  for (;;) {
    try {
      if (await look()) return
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > deadline) {
      throw new Error(`did not happen in time: ${what}`, last === undefined ? {} : { cause: last })
    }
    await pause(lookEveryMs)
  }
}
