import { flushCompileCache } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import { chainSettings, networkSettings } from '../../config/chain-settings.ts'
import type { Setting } from '../../config/setting.ts'
import { type Config, settings } from '../../config/settings.ts'
import { type Fault, faultOf } from '../../core/fault.ts'
import { installationFolder } from '../../core/installation.ts'
import { membersOf, ownValue } from '../../core/json.ts'
import { version } from '../../core/version.ts'
import { growingPause } from '../../core/waiting.ts'
import type { World } from '../../core/world.ts'
import type { Running } from '../../service/assemble.ts'
import { keepsHistoryInTables } from '../../service/stores/store-location.ts'
import { type Log, silentLog } from '../../telemetry/log.ts'
import type { LogRegistry } from '../../telemetry/logs/log-registry.ts'
import { openWorld } from '../../world/world.ts'
import { type Located, locateConfig } from '../discovery/load-config.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { showProgress, type Drawing, type Screen } from '../progress.ts'

/** Starts Firn and returns when it has been stopped, even while it starts. */
export async function start(flags: Flags): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<unknown>()
  process.once('SIGINT', () => stop(undefined))
  // The reader of a pipe may leave (`firn start | head`); the log files and the service go on.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  process.once('SIGTERM', () => stop(undefined))
  if (process.env['npm_lifecycle_event'] !== undefined) stopWithoutParent(stop)
  const world = openWorld()
  const located = await locateConfig(flags, { transport: world.transport, isStart: true })
  const { config } = located
  if (flags['printConfig'] === true) {
    console.log(await configText(config))
    return world.close()
  }
  // Most of the product, as `assemble` is: loaded once the form of all settings is right.
  const { checkConfig } = await import('../../service/check-config.ts')
  await checkConfig(config, { world, log: silentLog })
  const { keepPrivate, makeDataFolder } = await import('../../service/stores/data-folder.ts')
  makeDataFolder(config)
  keepPrivate(config)
  if (located.isDemo && config.role !== 'serve')
    await (await import('./contracts.ts')).takeBundledContracts(config)
  const isTerminal = process.stdout.isTTY && config['log.format'] !== 'json'
  let progress: Drawing | undefined = undefined
  const { createLogs } = await import('../../telemetry/logs/log-registry.ts')
  const logs = createLogs({
    now: world.clock.now,
    display: (line) => {
      const print = (): unknown => process.stderr.write(line.endsWith('\n') ? line : `${line}\n`)
      if (progress === undefined) print()
      else progress.makeRoom(print)
    },
    format: formatOf(config, isTerminal),
    directory: `${config.dataDir}/logs`,
    logLevel: config['log.level'],
    displayLevel: config['log.displayLevel'],
  })
  const shown = screen(isTerminal, logs.log, config)
  const draw = (drawing: Drawing): unknown => (progress = drawing)
  const failed = await serve(located, { world, logs, shown, stopped, stop, draw })
  await world.close()
  logs.close()
  if (failed) process.exitCode = exitCodes.failed
  else shown.write('stopped; everything is saved\n')
}

type Serving = {
  readonly world: World
  readonly logs: LogRegistry
  readonly shown: Screen
  /** Resolves when it is to stop, with a failure where that is the reason. */
  readonly stopped: Promise<unknown>
  readonly stop: (failure: unknown) => void
  readonly draw: (drawing: Drawing) => unknown
}

/** Serves until it is to stop, put together anew when a node begins to serve another chain. Returns whether it failed. */
async function serve(first: Located, options: Serving): Promise<boolean> {
  const { world, logs, shown } = options
  const { newChains } = await import('../discovery/new-chains.ts')
  const stopped = options.stopped.then((failure) => ({ failure }))
  for (let now = first; ;) {
    const lacks = lacksOf(now, world)
    const running = await begin(now.config, options)
    if (running === undefined) return false
    if (now.config['log.format'] === 'json') logs.log.info('started', startedOf(running, now))
    else greet(shown, running, now)
    // Otherwise it is written at the end of the process, and never when the process is killed.
    flushCompileCache()
    const drawing = showProgress(shown, running.indexed)
    options.draw(drawing)
    void lacks.then((notes) => drawing.makeRoom(() => shown.write(notes)))
    const over = new AbortController()
    const found = newChains(now, { world, log: logs.log, signal: over.signal })
    const end = await Promise.race([stopped, found])
    over.abort()
    drawing.stop()
    const failure = 'failure' in end ? end.failure : undefined
    if (failure !== undefined)
      logs.log.error('stopping', { reason: faultOf(failure)?.message ?? failure })
    await running.stop()
    if ('failure' in end) return failure !== undefined
    now = end
  }
}

/**
 * Puts Firn together. A database that breaks off during the start is waited for, one that was never reachable for
 * `postgres.waitSeconds`: it may be starting, or the setting is wrong. Gives nothing when it is stopped before.
 */
async function begin(
  config: Config,
  { world, logs, stopped, stop }: Serving,
): Promise<Running | undefined> {
  const { assemble } = await import('../../service/assemble.ts')
  const endMs = world.clock.monotonic() + config['postgres.waitSeconds'] * 1_000
  let wasReached = false
  for (let failures = 0; ; failures++) {
    try {
      return await assemble(config, { world, logs, failed: stop })
    } catch (error) {
      const fault = faultOf(error)
      wasReached ||= fault !== undefined && isBrokenOff(fault)
      const isAwaited = wasReached || (isAway(fault) && world.clock.monotonic() < endMs)
      if (fault?.code !== 'store-failed' || !isAwaited) throw error
      logs.log.warn('starting waits for the database', { reason: fault.message })
    }
    const pause = world.clock.sleep(growingPause(failures, { firstMs: 500, longestMs: 10_000 }))
    const end = await Promise.race([stopped.then(() => 'stopped'), pause])
    if (end === 'stopped') return undefined
  }
}

/** A server that was reached, and ended what it had begun. Source: PostgreSQL, appendix A. */
function isBrokenOff({ detail, message }: Fault): boolean {
  return (
    /^(?:57P0|08)/.test(String(detail['sqlstate'])) ||
    /Connection terminated|ECONNRESET|EPIPE/.test(message)
  )
}

/** A server that is not there, or has no room for another connection. Source: PostgreSQL, appendix A. */
function isAway(fault: Fault | undefined): boolean {
  return (
    fault?.detail['sqlstate'] === '53300' ||
    /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EAI_AGAIN|timeout expired/.test(
      fault?.message ?? '',
    )
  )
}

/**
 * npm runs scripts by a shell that passes no signal on: this process stops once the shell has
 * ended.
 */
function stopWithoutParent(stop: (reason: undefined) => void): void {
  const { ppid } = process
  const look = (): void => {
    if (process.ppid !== ppid) stop(undefined)
  }
  setInterval(look, 500).unref()
}

/** Lines about what the nodes that were found do not offer, and what that costs. */
async function lacksOf({ config, target }: Located, { transport }: World): Promise<string> {
  if (target === undefined) return ''
  const { lacksOf: read, nodeAccessOf } = await import('../discovery/found-config.ts')
  try {
    const lacks = await read(config, nodeAccessOf(config, transport))
    return lacks.map((lack) => `  ${lack}\n`).join('')
  } catch {
    // A node that is away is reported by its chains.
    return ''
  }
}

/**
 * The terminal, or else standard error, so that a pipe gets only the answers of commands; records of the
 * log where all lines are JSON.
 */
function screen(isTerminal: boolean, log: Log, config: Config): Screen {
  const record = (text: string): void => {
    for (const line of text.split('\n')) if (line !== '') log.info(line.trim())
  }
  const stream = isTerminal ? process.stdout : process.stderr
  return {
    isTerminal,
    // A terminal without a size says 0.
    columns: () => process.stdout.columns || 120,
    write: config['log.format'] === 'json' ? record : (text) => stream.write(text),
  }
}

function formatOf(config: Config, isTerminal: boolean): 'plain' | 'colors' | 'json' {
  if (config['log.format'] !== 'auto') return config['log.format']
  return isTerminal ? 'colors' : 'plain'
}

/** The first thing a person reads. */
function greet({ write }: Screen, running: Running, { config, isDemo, found }: Located): void {
  const lines = [`Firn ${version}${isDemo ? ', serving the bundled demo network' : ''}`]
  if (running.apiUrl !== '') {
    lines.push(
      `  API and explorer  ${running.apiUrl}`,
      `  OpenAPI           ${running.apiUrl}/openapi.json`,
    )
  }
  lines.push(
    `  node listener     ${running.nodeUrl}/ext/health`,
    `  operator's page   ${running.nodeUrl}/ext/firn`,
    `  data              ${config.dataDir}`,
  )
  const guide = new URL('docs/guide/getting-started.md', installationFolder)
  if (isDemo)
    lines.push(
      `  your own node     firn start --node http://127.0.0.1:9650 (${relative(process.cwd(), fileURLToPath(guide))})`,
    )
  const notes = [...found, ...notesOn(config)].map((note) => `  ${note}`)
  write(`${[...lines, ...notes].join('\n')}\n`)
}

/** The greeting as a record of the log, which shows of an address with a path only a hash: a path may be a secret. */
function startedOf(
  { apiUrl, nodeUrl }: Running,
  { config, isDemo, found }: Located,
): Readonly<Record<string, unknown>> {
  const notes = [...found, ...notesOn(config)]
  return { version, isDemo, apiUrl, nodeUrl, dataDir: config.dataDir, notes }
}

/** Beside PostgreSQL without `index.store`. */
const historyInTables =
  'history stays in tables of PostgreSQL: name a bucket, or a folder that all hosts share, in index.store to keep it in files'

/** Warnings about a configuration that lacks something, each with its remedy. */
function notesOn(config: Config): string[] {
  const { chains, networks } = config
  const all = Object.values(networks).filter((one) => one !== undefined)
  const nothing =
    'nothing is indexed: start with --node, or name a node under `networks` or a chain under `chains`'
  return [
    ...(chains.length + all.length === 0 ? [nothing] : []),
    ...(chains.length > 0 && keepsHistoryInTables(config) ? [historyInTables] : []),
    ...chains.flatMap(({ name }, at) =>
      name.trim() === ''
        ? [`chains[${at}] has no name and is called by its place: give it one, \`name: My L1\`.`]
        : [],
    ),
  ]
}

/** Settings of `config` that are not the defaults; secrets are left out. */
async function configText(config: Config): Promise<string> {
  const { stringify } = await import('yaml')
  const networks = Object.entries(config.networks).map(([name, network]) => [
    name,
    changed(networkSettings, network ?? {}),
  ])
  const values = new Map<string, unknown>(Object.entries(nested(changed(settings, config))))
  if (networks.length > 0) values.set('networks', Object.fromEntries(networks))
  values.set(
    'chains',
    config.chains.map((chain) => changed(chainSettings, chain)),
  )
  return stringify(Object.fromEntries(values)).trimEnd()
}

function changed(
  table: Readonly<Record<string, Setting>>,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const shown = Object.entries(table).flatMap(([name, setting]) => {
    const value = ownValue(values, name)
    const isDefault = JSON.stringify(value) === JSON.stringify(setting.default)
    return isDefault || setting.secret === true ? [] : [[name, value]]
  })
  return Object.fromEntries(shown)
}

/** `{ 'api.port': 1 }` becomes `{ api: { port: 1 } }`. */
function nested(flat: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const groups = new Map<string, unknown>()
  for (const [path, value] of Object.entries(flat)) {
    const [group = '', name] = path.split('.')
    const before = groups.get(group)
    groups.set(group, name === undefined ? value : { ...membersOf(before), [name]: value })
  }
  return Object.fromEntries(groups)
}
