/** A node that serves a made-up chain, and a Firn that indexes it, as processes of this machine. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A Firn that indexes one chain. */
export type IndexingFirn = {
  readonly dataDir: string
  /** Of the data API. */
  readonly url: string
  readonly pid: number
  /** By `performance.now()`, when the process was started. */
  readonly startedAt: number
  readonly height: (stage?: string) => Promise<number>
  /** Looks ten times a second until `height` is stored; `seen` is told of every look. */
  readonly reached: (height: number, seen?: (height: number) => void) => Promise<void>
  readonly stop: () => Promise<void>
}

/** A backfill under way. */
export type Backfill = IndexingFirn & {
  /** The process that serves the chain. */
  readonly node: ChildProcess
  /** Addresses at which the chain is served. */
  readonly nodeUrls: readonly string[]
  readonly transfers: number
  /** Processor time of parsing the same text alone. */
  readonly parseSeconds: number
}

/** Size of the chain, and the part of it that the node has at first where that is not all. */
export type BackfillChain = {
  readonly blocks: number
  /** Shape of the blocks; swaps among transfers where it is not said. */
  readonly kind?: 'rich' | 'plain' | 'light'
  readonly firstHead?: number
  /**
   * Milliseconds the node takes for the traces of a block; it has none where this is absent.
   * Indexing then begins with block 1: a genesis block with transactions has no traces anywhere.
   */
  readonly traceMs?: number
  /** `index.freeze`; off where it is absent. */
  readonly freezes?: boolean
  /** Nodes that serve the chain; 1 where it is absent. */
  readonly nodes?: number
  /** Each node answers one call after the other, each after so many milliseconds. */
  readonly callMs?: number
}

/** Chains and networks of a configuration, as `firn.yaml` has them. */
export type Configured = {
  readonly networks: Readonly<Record<string, object>>
  readonly chains: readonly object[]
}

/** The configuration of the demo. */
export function demoConfigured(): Configured {
  const folder = join(import.meta.dirname, '../demo')
  const text = readFileSync(join(folder, 'firn.json'), 'utf8')
  return JSON.parse(text, (name, value: unknown) =>
    name === 'recording' || name === 'genesis' ? join(folder, String(value)) : value,
  )
}

/** Runs `work` beside a backfill of a chain and removes all traces of it. */
export async function withBackfill(
  chain: BackfillChain,
  parent: string | undefined,
  work: (run: Backfill) => Promise<void>,
): Promise<void> {
  const { blocks, kind = 'rich', firstHead = blocks - 1, traceMs, freezes = false } = chain
  const folder = mkdtempSync(join(parent ?? tmpdir(), 'firn-bench-'))
  const children: ChildProcess[] = []
  try {
    const path = join(folder, 'chain.ndjson')
    const { transfers, parseSeconds } = prepare(path, blocks, kind)
    const words = [path, String(firstHead), wordOf(traceMs), wordOf(chain.callMs)]
    const traces = traceMs === undefined ? 'traces: off' : 'traces: on, startHeight: 1'
    const node = start(children, 'backfill-node.ts', ...words)
    const nodes = [node]
    while (nodes.length < (chain.nodes ?? 1))
      nodes.push(start(children, 'backfill-node.ts', ...words))
    const ports = await Promise.all(nodes.map((each) => told(each, /^(\d+)$/m)))
    const urls = ports.map((port) => `http://127.0.0.1:${port}`)
    const firn = await startOver({ folder, urls, traces, freezes }, children)
    await work({ ...firn, node, nodeUrls: urls, transfers, parseSeconds })
    await firn.stop()
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts a Firn in `folder` that indexes the chain of `urls`; it is one of `children` from then on. */
export async function startOver(
  {
    folder,
    urls,
    traces,
    freezes,
    beside = { networks: {}, chains: [] },
  }: {
    readonly folder: string
    readonly urls: readonly string[]
    /** Settings of the chain that say so. */
    readonly traces: string
    readonly freezes: boolean
    /** Chains that it has besides, after that one. */
    readonly beside?: Configured
  },
  children: ChildProcess[],
): Promise<IndexingFirn> {
  const config = join(folder, 'firn.yaml')
  const dataDir = join(folder, 'data')
  const rpcUrls = JSON.stringify(urls)
  const chains = [
    `{ network: fuji, rpcUrls: ${rpcUrls}, name: Bench, symbol: BNC, ${traces} }`,
    ...beside.chains.map((chain) => JSON.stringify(chain)),
  ]
  const settings = [
    `dataDir: ${dataDir}`,
    `index: { freeze: ${freezes} }`,
    `networks: ${JSON.stringify(beside.networks)}`,
    `chains: [${chains.join(', ')}]`,
  ]
  writeFileSync(config, settings.join('\n'))
  const startedAt = performance.now()
  const args = ['start', '--config', config, '--port', '0', '--node-port', '0']
  const firn = start(children, '../bin/firn.js', ...args)
  const url = await told(firn, /API and explorer +(\S+)/)
  const height = (stage = 'blocks'): Promise<number> => storedHeight(`${url}/status`, stage)
  return {
    dataDir,
    url,
    pid: firn.pid ?? 0,
    startedAt,
    height,
    reached: async (wanted, seen) => {
      for (let now = await height(); ; now = await height()) {
        seen?.(now)
        if (now >= wanted) return
        await pause(100)
      }
    },
    stop: async () => {
      firn.kill('SIGINT')
      await once(firn, 'exit')
    },
  }
}

function wordOf(value: number | undefined): string {
  return value === undefined ? '' : String(value)
}

function prepare(
  path: string,
  blocks: number,
  kind: string,
): { readonly transfers: number; readonly parseSeconds: number } {
  const script = join(import.meta.dirname, 'evm-ingest-prepare.ts')
  const args = [script, path, String(blocks), kind]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

/** Starts a script of this folder, one of `children` from then on. */
export function start(
  children: ChildProcess[],
  script: string,
  ...args: readonly string[]
): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  children.push(child)
  return child
}

/** First group of `pattern` in what a child prints on either stream, within five minutes. */
export function told(child: ChildProcess, pattern: RegExp): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    const fail = (problem: string) => (): void => reject(new Error(`${problem}: ${said}`))
    const late = setTimeout(fail('a process did not say it in time'), 300_000)
    child.once('exit', fail('a process ended early'))
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => {
        const found = pattern.exec((said += part.toString('utf8')))?.[1]
        if (found === undefined) return
        clearTimeout(late)
        resolve(found)
      })
  })
}

async function storedHeight(status: string, name: string): Promise<number> {
  const { chains } = JSON.parse(await (await fetch(status)).text())
  const stage = chains?.[0]?.stages?.find((each: { stage: string }) => each.stage === name)
  if (stage?.state === 'stopped') throw new Error(String(stage.reason))
  return Number(stage?.indexedHeight ?? -1)
}
