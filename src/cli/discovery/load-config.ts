/**
 * Finds and reads the configuration of a command: flags, environment, file, nodes that are read.
 */

import { readFileSync, statSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { readConfig, type ReadConfig } from '../../config/read-config.ts'
import type { Setting } from '../../config/setting.ts'
import { type Config, settings } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import { installationFolder } from '../../core/installation.ts'
import { ownValue } from '../../core/json.ts'
import type { Transport } from '../../core/world.ts'
import { type Flags, networkIn, textIn } from '../flags.ts'
import type { Found, Target } from './found-config.ts'

/** A configuration, whose folder is absolute, and where its chains come from. */
export type Located = Found & {
  /** Nodes that were read; absent where the configuration says it all. */
  readonly target: Target | undefined
  readonly isDemo: boolean
}

/**
 * The configuration that `flags` name: of a file, of what `--node` and `--rpc` find, of the demo network
 * where nothing is named. `isStart`: nodes are read even where it is known what they had before.
 * Throws `bad-config`, and as `findChains`.
 */
export async function locateConfig(
  flags: Flags,
  { transport, isStart }: { readonly transport: Transport; readonly isStart: boolean },
): Promise<Located> {
  const { config, origins, isDemo } = loadConfig(flags, isStart)
  const base: Config = { ...config, dataDir: resolve(config.dataDir) }
  // Most commands call nobody, and a demo has nobody to call.
  const discovery = (): Promise<typeof import('./found-config.ts')> => import('./found-config.ts')
  const isKept = isDemo && origins['dataDir'] !== 'default'
  const target = config.autoChains
    ? ({ kind: 'auto' } as const)
    : (targetOf(flags) ?? (isKept ? (await discovery()).targetIn(base) : undefined))
  if (target === undefined) {
    const isHeld = origins['recordings.heldBlocks'] !== 'default'
    const located = isDemo ? withDemoNetwork(base, isHeld) : base
    return { config: located, target, isDemo, found: [], isPartial: false }
  }
  const { findChains, foundBefore, nodeAccessOf } = await discovery()
  const before = isStart ? undefined : foundBefore(base, target)
  if (before !== undefined)
    return { config: before, target, isDemo: false, found: [], isPartial: false }
  return {
    ...(await findChains(base, target, nodeAccessOf(base, transport))),
    target,
    isDemo: false,
  }
}

/** The target of `--node` or `--rpc`, where no file is named. */
function targetOf(flags: Flags): Target | undefined {
  if (typeof flags['config'] === 'string') return undefined
  const [node, rpc] = [textIn(flags, 'node'), textIn(flags, 'rpc')]
  if (node !== undefined) return { kind: 'node', url: node }
  if (rpc === undefined) return undefined
  const contracts = textIn(flags, 'contracts')
  return {
    kind: 'rpc',
    url: rpc,
    name: textIn(flags, 'chainName'),
    symbol: textIn(flags, 'coin'),
    contracts: contracts === undefined ? undefined : resolve(contracts),
  }
}

/**
 * The configuration of flags, environment and file, without what nodes serve; the demo has a folder
 * of its own. `--network` of a start is the network that is read from its peers. Throws
 * `bad-config`.
 */
export function loadConfig(
  flags: Flags,
  isStart = false,
): ReadConfig & { readonly isDemo: boolean } {
  const target = targetOf(flags)
  const file = fileOf(flags, isStart, target)
  const given = new Map<string, string>()
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const option = setting.flag?.match(/--([\w-]+)/)?.[1]
    const value = option === undefined ? undefined : ownValue(flags, camelCase(option))
    if (value !== undefined) given.set(name, String(value))
  }
  const read = readConfig({ flags: Object.fromEntries(given), environment: process.env, file })
  for (const warning of read.warnings) console.error(`firn: ${warning}`)
  const isDemo = file === undefined && target === undefined
  if (!isDemo || read.origins['dataDir'] !== 'default') return { ...read, isDemo }
  return { ...read, config: { ...read.config, dataDir: demoDataDir }, isDemo }
}

/** The file of settings that is named, or what `--network` stands for. */
function fileOf(
  flags: Flags,
  isStart: boolean,
  target: Target | undefined,
): Parameters<typeof readConfig>[0]['file'] {
  const network = isStart && flags['network'] !== undefined ? networkIn(flags) : undefined
  const isNamed = target !== undefined || network !== undefined
  const environment = isNamed ? undefined : process.env['FIRN_CONFIG']
  const path = typeof flags['config'] === 'string' ? flags['config'] : environment
  if (path !== undefined) return { path, text: readFile(path) }
  return network && { value: { networks: { [network]: { primary: true, source: 'peers' } } } }
}

function camelCase(option: string): string {
  return option.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function readFile(path: string): string {
  try {
    // A pipe without a writer would be waited for.
    if (!statSync(path).isFile()) throw new Fault('bad-config', `no plain file: ${path}`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault('bad-config', `cannot read the configuration file: ${path}`, { cause: error })
  }
}

// The demo network: what `firn start` serves when no configuration is named. It is recorded from a
// real network, whose C-Chain and two L1s are its EVM chains.

const folder = fileURLToPath(new URL('demo/', installationFolder))

/** Blocks that a first start holds back: two minutes of them. */
const heldBlocks = 120

/** Where the demo keeps its data, so that no other network meets its stores. */
const demoDataDir = './firn-demo'

/**
 * `config` with the networks and chains of the bundled demo, and with its prices, ABIs and lists where
 * `config` has none of its own; `isHeld` where it says how many blocks are held back. A package without
 * the demo serves none.
 */
function withDemoNetwork(config: Config, isHeld: boolean): Config {
  const path = join(folder, 'firn.json')
  if (!existsSync(path)) return config
  const value: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(path, 'utf8'))
  const demo = readConfig({ flags: {}, environment: {}, file: { value, folder } }).config
  const isDefault = (name: 'abis' | 'prices' | 'tokenReputation'): boolean =>
    config[name] === settings[name].default
  return {
    ...config,
    ...(isHeld ? {} : { 'recordings.heldBlocks': heldBlocks }),
    networks: demo.networks,
    chains: demo.chains,
    ...brandOf(config, demo),
    abis: isDefault('abis') ? demo.abis : config.abis,
    prices: isDefault('prices') ? demo.prices : config.prices,
    tokenReputation: isDefault('tokenReputation') ? demo.tokenReputation : config.tokenReputation,
  }
}

/** The demo's name of the explorer, unless `config` gives it one. */
function brandOf(config: Config, demo: Config): Partial<Config> {
  if (config['explorer.title'] !== '') return {}
  return {
    'explorer.title': demo['explorer.title'],
    'explorer.description': demo['explorer.description'],
    'explorer.home': demo['explorer.home'],
    'explorer.links': demo['explorer.links'],
    'explorer.labels': config['explorer.labels'] || demo['explorer.labels'],
  }
}
