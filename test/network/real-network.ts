/** A real Avalanche network on this machine: nodes of AvalancheGo on loopback (`avalanche-tree.ts`). */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { freePorts } from '../support/stores/postgres.ts'
import { nodeAt, type NodeRpc } from './node-rpc.ts'

/** Beginning of a network. */
export type NetworkPlan = {
  readonly nodes: number
  readonly genesis: { readonly networkID: number } & Readonly<Record<string, unknown>>
  readonly upgrades: Readonly<Record<string, unknown>>
  /** More flags for every node. */
  readonly flags: readonly string[]
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

/** One port for HTTP, one for other nodes. */
const portsPerNode = 2
/** A node that does not end by itself until then is killed. */
const endMs = 20_000
/** Node id of the first of the local staking keys. */
const firstNodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'

/** Settings of a node's EVM chain: with its whole history, and tracers. */
export const archive = {
  'eth-apis': [
    'eth',
    'eth-filter',
    'net',
    'web3',
    'internal-eth',
    'internal-blockchain',
    'internal-transaction',
    'debug',
    'debug-tracer',
  ],
  'pruning-enabled': false,
  'state-sync-enabled': false,
  'warp-api-enabled': true,
}

/**
 * Starts the nodes of `tree` and waits until the first has bootstrapped. It has the Index API, the
 * admin API and an archive of the C-Chain, the others have what is usual.
 */
export async function startNetwork(tree: string, plan: NetworkPlan): Promise<RealNetwork> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-network-'))
  const port = await freePorts(plan.nodes * portsPerNode)
  const nodes = Array.from({ length: plan.nodes }, (_, at) => new Node(tree, folder, at + 1))
  const url = (node: number): string => `http://127.0.0.1:${port + (node - 1) * portsPerNode}`
  const at = (node: number): Node => {
    const found = nodes[node - 1]
    if (found === undefined) throw new RangeError(`there is no node ${node}`)
    return found
  }
  const ready = (node: number): Promise<void> =>
    settled(`node ${node} is ready: ${at(node).log}`, async () => {
      for (const chain of ['P', 'X', 'C']) {
        const said = await nodeAt(url(node)).call('/ext/info', 'info.isBootstrapped', { chain })
        if (said['isBootstrapped'] !== true) return false
      }
      return true
    })
  const down = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.end()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await writeFile(join(folder, 'genesis.json'), JSON.stringify(plan.genesis))
    await writeFile(join(folder, 'upgrades.json'), JSON.stringify(plan.upgrades))
    for (const node of nodes) await node.begin(port, plan)
    await ready(1)
  } catch (error) {
    await down()
    throw error
  }
  return {
    folder,
    url,
    node: (node) => nodeAt(url(node)),
    stop: (node) => at(node).end(),
    restart: async (node, more = []) => {
      await at(node).end()
      at(node).start(more)
    },
    ready,
    down,
  }
}

/** A node, whether it runs or not. */
class Node {
  readonly #tree: string
  readonly #networkFolder: string
  readonly #number: number
  #flags: readonly string[] = []
  #child: ChildProcess | undefined

  constructor(tree: string, networkFolder: string, number: number) {
    this.#tree = tree
    this.#networkFolder = networkFolder
    this.#number = number
    // Whatever ends the test ends its nodes.
    process.on('exit', () => this.#child?.kill('SIGKILL'))
  }

  /** Starts it for the first time. */
  async begin(firstPort: number, { nodes, genesis, flags }: NetworkPlan): Promise<void> {
    const number = this.#number
    const port = firstPort + (number - 1) * portsPerNode
    const keys = join(this.#tree, 'keys')
    const isFirst = number === 1
    await mkdir(join(this.#folder, 'chains', 'C'), { recursive: true })
    if (isFirst)
      await writeFile(join(this.#folder, 'chains', 'C', 'config.json'), JSON.stringify(archive))
    this.start([
      `--network-id=${genesis.networkID}`,
      `--genesis-file=${join(this.#networkFolder, 'genesis.json')}`,
      `--upgrade-file=${join(this.#networkFolder, 'upgrades.json')}`,
      `--data-dir=${this.#folder}`,
      `--chain-config-dir=${join(this.#folder, 'chains')}`,
      `--plugin-dir=${join(this.#tree, 'plugins')}`,
      `--http-port=${port}`,
      `--staking-port=${port + 1}`,
      '--http-host=127.0.0.1',
      '--staking-host=127.0.0.1',
      '--public-ip=127.0.0.1',
      '--network-allow-private-ips=true',
      `--staking-tls-cert-file=${join(keys, `staker${number}.crt`)}`,
      `--staking-tls-key-file=${join(keys, `staker${number}.key`)}`,
      `--staking-signer-key-file=${join(keys, `signer${number}.key`)}`,
      `--bootstrap-ips=${isFirst ? '' : `127.0.0.1:${firstPort + 1}`}`,
      `--bootstrap-ids=${isFirst ? '' : firstNodeId}`,
      `--snow-sample-size=${nodes}`,
      `--snow-quorum-size=${Math.floor(nodes / 2) + 1}`,
      '--network-health-min-conn-peers=3',
      // Bytes that must be free on the disk, of which usual nodes want gigabytes.
      '--system-tracker-disk-required-available-space=1000000',
      '--system-tracker-disk-warning-threshold-available-space=2000000',
      '--fd-limit=4096',
      ...(isFirst ? ['--index-enabled=true', '--api-admin-enabled=true'] : []),
      ...flags,
    ])
  }

  /** Starts it, with more flags from now on. */
  start(more: readonly string[]): void {
    this.#flags = [...this.#flags, ...more]
    const log = openSync(this.log, 'a')
    this.#child = spawn(join(this.#tree, 'avalanchego'), this.#flags, {
      stdio: ['ignore', log, log],
      env: { GOMAXPROCS: '2', ...process.env },
    })
  }

  async end(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    const patience = setTimeout(() => child.kill('SIGKILL'), endMs)
    child.kill('SIGTERM')
    await ended
    clearTimeout(patience)
  }

  /** File of everything it says. */
  get log(): string {
    return join(this.#folder, 'out.log')
  }

  get #folder(): string {
    return join(this.#networkFolder, `node${this.#number}`)
  }
}

/** Longest time something a network does by itself may take on a busy machine. */
const settleMs = 120_000
const lookEveryMs = 250

/** Looks until `look` is true; what fails meanwhile counts as not yet; the last failure is the cause of the error. */
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
