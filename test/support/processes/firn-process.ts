/** Runs Firn as a process of its own, as people do. */

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { objectOf } from '../../../src/codec/evm/raw.ts'
import { openRecording } from '../../../src/source/recorded/recording.ts'
import { copyOfMade } from '../stores/made-stores.ts'

/** The entry of the product. */
export const entry = fileURLToPath(new URL('../../../bin/firn.js', import.meta.url))

/** A running Firn and the addresses it listens on. */
export type RunningFirn = {
  /** Empty where it serves no API. */
  readonly apiUrl: string
  readonly nodeUrl: string
  readonly startedMs: number
  /** Standard output: nothing, for it is no terminal. */
  readonly output: () => string
  /** Standard error: greeting, progress, log. */
  readonly errors: () => string
  /** Parsed answer of the data API. Throws unless its status is 200. */
  readonly get: (path: string) => Promise<Readonly<Record<string, unknown>>>
  /** Sends a signal and gives the exit code, or the signal that ended it. */
  readonly end: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>
}

/** Machines that test may be busy: a limit for what takes a second or two. */
const limitMs = 90_000
/** A limit for a program that compares all of a chain. */
const programMs = 300_000
// A look costs both processes some milliseconds.
const lookEveryMs = 50

/** A folder that is removed after the test, when the processes that write it have ended. */
export async function freshFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-start-'))
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Where to register how to end what was started: a test, or a program that ends it itself. */
export type Ending = { readonly after: (work: () => Promise<void>) => void }

/** Work that is left to the end of each test, in the order in which it was registered. */
const endings = new WeakMap<Ending, (() => Promise<unknown>)[]>()

/**
 * Does `work` after the test: what was registered last is done first, and all of it is done.
 *
 * `t.after` by itself begins with the oldest and leaves out the rest when one fails: a folder
 * would be removed below a process that writes it, and the process would never end.
 */
export function atEnd(t: Ending, work: () => Promise<unknown>): void {
  let list = endings.get(t)
  if (list === undefined) {
    const own: (() => Promise<unknown>)[] = (list = [])
    endings.set(t, own)
    t.after(() => doAll(own))
  }
  list.push(work)
}

async function doAll(list: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = []
  for (let work = list.pop(); work !== undefined; work = list.pop())
    await work().catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('; '))
}

/** The chains of `two-chains.yaml`. */
export const demoChains = ['fuji-demo-chain', 'fuji-demo-l1', 'primary-fuji']

/**
 * The environment with two generated chains of which tests know every block: what a Firn serves here
 * when its flags name no configuration.
 */
export function twoChains(): NodeJS.ProcessEnv {
  const FIRN_CONFIG = fileURLToPath(new URL('two-chains.yaml', import.meta.url))
  return { ...process.env, FIRN_CONFIG }
}

/** A data folder in which the two chains are indexed; it is removed after the test. */
export async function indexedFolder(t: Ending): Promise<string> {
  const folder = await copyOfMade('demo-data', async (dataDir) => {
    const firn = await startFirn(t, ['--data-dir', dataDir])
    await untilAllServed(firn)
    if ((await firn.end()) !== 0) throw new Error(firn.errors())
  })
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts `firn start` on free ports and waits for its greeting; it is killed after the test. */
export async function startFirn(t: Ending, args: readonly string[]): Promise<RunningFirn> {
  const ports = ['--port', '0', '--node-port', '0']
  return follow(
    t,
    spawn(process.execPath, [entry, 'start', ...ports, ...args], { env: twoChains() }),
  )
}

/**
 * A port from `first` on that is free, and none that a server beside this test is given: those are above
 * 32,767. Each process of tests begins at a place of its own.
 */
export async function freePort(first = 20_000 + ((8 * process.pid) % 10_000)): Promise<number> {
  for (let port = first; ; port++) {
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    await new Promise((resolve) => server.close(resolve))
    if (isFree) return port
  }
}

/** The environment of a demo that holds no block back: all of it is there at once. */
export const wholeDemo = (): NodeJS.ProcessEnv => ({
  ...process.env,
  FIRN_RECORDINGS_HELD_BLOCKS: '0',
})

/** Starts Firn as people do who have no configuration: it serves the bundled demo, all of it at once. */
export async function startDemo(t: Ending, dataDir: string): Promise<RunningFirn> {
  const args = ['--port', '0', '--node-port', '0', '--data-dir', dataDir]
  return follow(t, spawn(process.execPath, [entry, 'start', ...args], { env: wholeDemo() }))
}

/** A data folder in which the bundled demo is indexed; it is removed after the test. */
export async function demoFolder(t: TestContext): Promise<string> {
  const folder = await copyOfMade('demo-network', async (dataDir) => {
    const firn = await startDemo(t, dataDir)
    await untilDemoServed(firn)
    if ((await firn.end()) !== 0) throw new Error(firn.errors())
  })
  atEnd(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Waits until all chains of the demo, its messages and its NFTs are indexed to their ends. */
export async function untilDemoServed(firn: RunningFirn): Promise<void> {
  await until('the demo', async () => {
    const { chains, messages } = await firn.get('/status')
    // The status lists them once their threads have opened them.
    if (messages === undefined || !Array.isArray(chains) || chains.length < 4) return false
    const stages = chains.flatMap((item) => objectOf(item, 'chain')['stages'])
    return [...chains, ...stages, messages].every((item) => {
      const { state, indexedHeight, headHeight } = objectOf(item, 'status')
      return state === 'off' || (state === 'live' && indexedHeight === headHeight)
    })
  })
}

/** Waits for the greeting of a Firn just started. */
export async function follow(t: Ending, child: ChildProcess): Promise<RunningFirn> {
  const startedMs = performance.now()
  let output = ''
  let errors = ''
  child.stdout?.on('data', (part: Buffer) => (output += part.toString('utf8')))
  child.stderr?.on('data', (part: Buffer) => (errors += part.toString('utf8')))
  const exited = once(child, 'exit')
  atEnd(t, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  })
  await until('greeting', () => {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${errors}`)
    return /\n {2}data /.test(errors)
  })
  const apiUrl = /API and explorer +(\S+)/.exec(errors)?.[1] ?? ''
  return {
    apiUrl,
    nodeUrl: /node listener +(\S+)\/ext/.exec(errors)?.[1] ?? '',
    startedMs,
    output: () => output,
    errors: () => errors,
    get: async (path) => {
      const reply = await fetch(`${apiUrl}${path}`)
      const body = await reply.text()
      if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${body}`)
      return objectOf(JSON.parse(body), path)
    },
    end: async (signal = 'SIGINT') => {
      child.kill(signal)
      await exited
      return child.exitCode ?? child.signalCode
    },
  }
}

/** Runs a command to its end. */
export async function runFirn(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return run(process.execPath, [entry, ...args], twoChains())
}

/** Runs any program to its end. */
export function run(
  program: string,
  args: readonly string[],
  env = process.env,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    const options = { timeout: programMs, maxBuffer: 67_108_864, env }
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, stdout, stderr })
    })
  })
}

/** Looks until `look` is true. */
export async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`did not happen in time: ${what}`)
    await pause(lookEveryMs)
  }
}

/** A chain as `/status` shows it. */
export type ChainStatus = {
  readonly chain: string
  readonly state: string
  readonly reason: string
  readonly indexedHeight: number
  readonly headHeight: number
}

/** The chains of `/status` by key. */
export async function chainStatuses(firn: RunningFirn): Promise<ReadonlyMap<string, ChainStatus>> {
  const { chains } = await firn.get('/status')
  const list = Array.isArray(chains) ? chains : []
  return new Map(
    list.map((item: unknown) => {
      const { chain, state, reason, indexedHeight, headHeight } = objectOf(item, 'chain')
      const status = {
        chain: String(chain),
        state: String(state),
        reason: typeof reason === 'string' ? reason : '',
        indexedHeight: Number(indexedHeight),
        headHeight: Number(headHeight),
      }
      return [status.chain, status]
    }),
  )
}

/** Waits until all of `keys` are live. */
export async function untilLive(firn: RunningFirn, keys: readonly string[]): Promise<void> {
  await until(`live: ${keys.join()}`, async () => {
    const chains = await chainStatuses(firn)
    return keys.every((key) => chains.get(key)?.state === 'live')
  })
}

/** Waits until the demo network and its interchain messages are indexed to their ends. */
export async function untilAllServed(firn: RunningFirn): Promise<void> {
  await untilLive(firn, demoChains)
  const file = new URL('../../../demo/chain-51001.firnrec', import.meta.url)
  const last = openRecording(readFileSync(file)).heights.until - 1
  await until('interchain messages', async () => {
    const { messages } = await firn.get('/status')
    // The status has them once their thread has opened them, which may be after the chains.
    if (messages === undefined) return false
    return objectOf(messages, 'messages')['indexedHeight'] === last
  })
}
