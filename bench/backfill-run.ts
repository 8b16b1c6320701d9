/** A node that serves a made-up chain, and a Firn that indexes it, as processes of this machine. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** A backfill under way. */
export type Backfill = {
  /** Of the data API. */
  readonly url: string
  readonly pid: number
  readonly transfers: number
  /** Processor time of parsing the same text alone. */
  readonly parseSeconds: number
  /** By `performance.now()`, when the process was started. */
  readonly startedAt: number
  readonly height: () => Promise<number>
  /** Looks ten times a second until `height` is stored; `seen` is told of every look. */
  readonly reached: (height: number, seen?: (height: number) => void) => Promise<void>
}

/** Runs `work` beside a backfill of `blocks` blocks and removes all traces of it. */
export async function withBackfill(
  blocks: number,
  parent: string | undefined,
  work: (run: Backfill) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(parent ?? tmpdir(), 'firn-bench-'))
  const children: ChildProcess[] = []
  try {
    const path = join(folder, 'chain.ndjson')
    const { transfers, parseSeconds } = prepare(path, blocks)
    const port = Number(await told(start(children, 'backfill-node.ts', path), /^(\d+)$/m))
    const config = join(folder, 'firn.yaml')
    writeFileSync(
      config,
      `dataDir: ${join(folder, 'data')}\nchains:\n` +
        `  - { network: fuji, rpcUrls: ['http://127.0.0.1:${port}'], name: Bench, symbol: BNC, traces: off }\n`,
    )
    const startedAt = performance.now()
    const args = ['start', '--config', config, '--port', '0', '--node-port', '0']
    const firn = start(children, '../bin/firn.js', ...args)
    const url = await told(firn, /API and explorer +(\S+)/)
    const height = (): Promise<number> => storedHeight(`${url}/status`)
    const reached: Backfill['reached'] = async (wanted, seen) => {
      for (let now = await height(); ; now = await height()) {
        seen?.(now)
        if (now >= wanted) return
        await pause(100)
      }
    }
    await work({ url, pid: firn.pid ?? 0, transfers, parseSeconds, startedAt, height, reached })
    firn.kill('SIGINT')
    await once(firn, 'exit')
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

function prepare(
  path: string,
  blocks: number,
): { readonly transfers: number; readonly parseSeconds: number } {
  const script = join(import.meta.dirname, 'evm-ingest-prepare.ts')
  const args = [script, path, String(blocks)]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

function start(children: ChildProcess[], script: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  return child
}

/** First group of `pattern` in what a child prints. */
function told(child: ChildProcess, pattern: RegExp): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`a process ended early: ${said}`)))
    child.stdout?.on('data', (part: Buffer) => {
      said += part.toString('utf8')
      const found = pattern.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
}

async function storedHeight(status: string): Promise<number> {
  const { chains } = JSON.parse(await (await fetch(status)).text())
  const stage = chains?.[0]?.stages?.find((each: { stage: string }) => each.stage === 'blocks')
  if (stage?.state === 'stopped') throw new Error(String(stage.reason))
  return Number(stage?.indexedHeight ?? -1)
}
