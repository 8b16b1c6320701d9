/**
 * A backfill as people run it: `firn start` against a node on this machine, from an empty folder
 * to `live`, with every index of the API built.
 *
 *     node bench/backfill.ts [blocks] [folder]
 *
 * The node serves bytes of a file from a process of its own; it takes its share of the machine.
 * `peakMiB` is the most that the process had resident, by the kernel's count (Linux).
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { usualShape } from './evm-chain.ts'

const blocks = Number(process.argv[2] ?? usualShape.blocks)
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'firn-bench-'))
const path = join(folder, 'chain.ndjson')
const children: ChildProcess[] = []

/** Height and seconds since the first block was stored. */
type Mark = { readonly height: number; readonly at: number }

try {
  const { transfers, parseSeconds } = prepare()
  const port = Number(await told(start('backfill-node.ts', path), /^(\d+)$/m))
  const config = join(folder, 'firn.yaml')
  writeFileSync(
    config,
    `dataDir: ${join(folder, 'data')}\nchains:\n` +
      `  - { network: fuji, rpcUrls: ['http://127.0.0.1:${port}'], name: Bench, symbol: BNC, traces: off }\n`,
  )
  const began = performance.now()
  const args = ['start', '--config', config, '--port', '0', '--node-port', '0']
  const firn = start('../bin/firn.js', ...args)
  const url = await told(firn, /API and explorer +(\S+)/)
  const marks = await follow(`${url}/status`)
  const seconds = (performance.now() - began) / 1_000
  const rate = transfers / seconds
  const parseRate = transfers / parseSeconds
  report({
    blocks,
    transfers,
    seconds: seconds.toFixed(1),
    rate: Math.round(rate),
    parseRate: Math.round(parseRate),
    ratioToParse: (rate / parseRate).toFixed(3),
    'cpuMicros a transfer': ((processorSeconds(firn.pid ?? 0) / transfers) * 1e6).toFixed(1),
    'tenth 2 to last': tenths(marks),
    peakMiB: peakMib(firn.pid ?? 0),
  })
  firn.kill('SIGINT')
  await once(firn, 'exit')
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

function prepare(): { readonly transfers: number; readonly parseSeconds: number } {
  const script = join(import.meta.dirname, 'evm-ingest-prepare.ts')
  const args = [script, path, String(blocks), 'with-roots']
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

function start(script: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
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

async function follow(status: string): Promise<Mark[]> {
  const marks: Mark[] = []
  const began = performance.now()
  for (;;) {
    const { chains } = JSON.parse(await (await fetch(status)).text())
    const stage = chains?.[0]?.stages?.find((each: { stage: string }) => each.stage === 'blocks')
    if (stage?.state === 'stopped') throw new Error(String(stage.reason))
    const height = Number(stage?.indexedHeight ?? -1)
    if (height > (marks.at(-1)?.height ?? -1)) marks.push({ height, at: performance.now() - began })
    if (height === blocks - 1) return marks
    await pause(100)
  }
}

/** Rate over the last tenth by that over the second: the first has the start of the process. */
function tenths(marks: readonly Mark[]): string {
  const timeAt = (height: number): number => {
    const next = marks.findIndex((mark) => mark.height >= height)
    const [a, b] = [marks[next - 1] ?? marks[0], marks[next]]
    if (a === undefined || b === undefined || a.height === b.height) return b?.at ?? 0
    return a.at + ((b.at - a.at) * (height - a.height)) / (b.height - a.height)
  }
  const second = timeAt(blocks * 0.2) - timeAt(blocks * 0.1)
  const last = timeAt(blocks - 1) - timeAt(blocks * 0.9)
  return (second / last).toFixed(2)
}

/** Of all threads, in user mode and in the kernel, which counts hundredths of a second. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

function peakMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024)
}

function report(figures: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(20)} ${value}`)
}
