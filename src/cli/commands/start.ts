import { flushCompileCache } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Config } from '../../config/settings.ts'
import { faultOf } from '../../core/fault.ts'
import { installationFolder } from '../../core/installation.ts'
import type { Running } from '../../service/assemble.ts'
import { version } from '../../service/version.ts'
import { silentLog } from '../../telemetry/log.ts'
import { openWorld } from '../../world/world.ts'
import { locatedConfig } from '../demo-network.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Flags } from '../flags.ts'
import { loadConfig } from '../load-config.ts'
import { showProgress, type Drawing, type Screen } from '../progress.ts'

/** Starts Firn and returns when it has been told to stop, even while it starts. */
export async function start(flags: Flags): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<unknown>()
  process.once('SIGINT', () => stop(undefined))
  // The reader of a pipe may leave (`firn start | head`); the log files and the service go on.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  process.once('SIGTERM', () => stop(undefined))
  if (process.env['npm_lifecycle_event'] !== undefined) stopWithoutParent(stop)
  const loaded = loadConfig(flags)
  const config = locatedConfig(loaded)
  const world = openWorld()
  // Most of the product, as `assemble` is: loaded once the form of all settings is right.
  const { checkConfig } = await import('../../service/check-config.ts')
  await checkConfig(config, { world, log: silentLog })
  const { makeDataFolder } = await import('../../service/stores/data-folder.ts')
  makeDataFolder(config.dataDir)
  const isTerminal = process.stdout.isTTY
  let progress: Drawing | undefined = undefined
  const { createLogs } = await import('../../telemetry/log-registry.ts')
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
  const { assemble } = await import('../../service/assemble.ts')
  const running = await assemble(config, { world, logs, failed: stop })
  const shown = screen(isTerminal)
  greet(shown, running, { config, isDemo: loaded.isDemo })
  // Otherwise it is written at the end of the process, and never when the process is killed.
  flushCompileCache()
  progress = showProgress(shown, running.indexed)
  const failure = await stopped
  progress.stop()
  if (failure !== undefined) {
    logs.log.error('stopping', { reason: faultOf(failure)?.message ?? failure })
    process.exitCode = exitCodes.failed
  }
  await running.stop()
  await world.close()
  logs.close()
  if (failure === undefined) shown.write('stopped; everything is saved\n')
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

/** The terminal, or else standard error, so that a pipe gets only the answers of commands. */
function screen(isTerminal: boolean): Screen {
  return {
    isTerminal,
    // A terminal without a size says 0.
    columns: () => process.stdout.columns || 120,
    write: (text) => (isTerminal ? process.stdout : process.stderr).write(text),
  }
}

function formatOf(config: Config, isTerminal: boolean): 'plain' | 'colors' | 'json' {
  if (config['log.format'] !== 'auto') return config['log.format']
  return isTerminal ? 'colors' : 'json'
}

/** The first thing a person reads. */
function greet(
  { write }: Screen,
  running: Running,
  { config, isDemo }: { readonly config: Config; readonly isDemo: boolean },
): void {
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
      `  your own chains   firn start --config firn.yaml (${relative(process.cwd(), fileURLToPath(guide))})`,
    )
  write(`${[...lines, ...remarks(config)].join('\n')}\n`)
}

/** Warnings about a configuration that lacks something, each with its remedy. */
function remarks({ chains, networks }: Config): string[] {
  const all = Object.values(networks).filter((one) => one !== undefined)
  const nothing =
    'Nothing is indexed: name a node under `networks` or a chain under `chains` in the configuration.'
  return [
    ...(chains.length + all.length === 0 ? [nothing] : []),
    ...chains.flatMap(({ name }, at) =>
      name.trim() === ''
        ? [`chains[${at}] has no name and is called by its place: give it one, \`name: My L1\`.`]
        : [],
    ),
  ]
}
