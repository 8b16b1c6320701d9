/**
 * The configuration of `--node`, `--rpc` and `chains: auto`: from what the nodes themselves serve.
 *
 * What was found is kept in the data folder, so that a start while the node is away, and commands beside
 * it, know their chains.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { readConfig } from '../../config/read-config.ts'
import type { Config } from '../../config/settings.ts'
import { faultOf } from '../../core/fault.ts'
import { isObject, jsonOf, membersOf } from '../../core/json.ts'
import { publicNetworks } from '../../core/network.ts'
import type { Transport } from '../../core/world.ts'
import { checkChain } from '../doctor/chain.ts'
import type { Finding } from '../doctor/finding.ts'
import { checkNetwork } from '../doctor/network.ts'
import { type FoundNode, surveyNode, surveyRpc, type NodeAccess } from './survey.ts'

/** Where to look: `--node`, `--rpc`, or the nodes of a configuration with `chains: auto`. */
export type Target =
  | { readonly kind: 'node'; readonly url: string }
  | ({ readonly kind: 'rpc'; readonly url: string } & ChainWords)
  | { readonly kind: 'auto' }

/** Words of one chain that no endpoint gives: `--chain-name`, `--coin` and `--contracts`. */
export type ChainWords = {
  readonly name?: string | undefined
  readonly symbol?: string | undefined
  readonly contracts?: string | undefined
}

/** `networks` and `chains` as a file of settings holds them. */
type FoundSettings = {
  readonly networks?: Readonly<Record<string, unknown>> | undefined
  readonly chains: readonly unknown[]
}

/** A configuration with what was found, and sentences about it for a person. */
export type Found = {
  readonly config: Config
  readonly found: readonly string[]
  /** True while chains may come that a node did not serve yet. */
  readonly isPartial: boolean
}

const limits: NodeAccess['timeoutMs'] = 5_000

/** How a process with this configuration calls nodes. */
export function nodeAccessOf(config: Config, transport: Transport): NodeAccess {
  return { transport, timeoutMs: limits, maxReplyBytes: config['source.maxReplyBytes'] }
}

/**
 * Reads from `target` what there is. Where nobody answers, what was found before counts. Throws as
 * {@link surveyNode} where there is none.
 */
export async function findChains(
  base: Config,
  target: Target,
  options: NodeAccess,
  isKept = true,
): Promise<Found> {
  try {
    const found = await settingsOf(base, target, options)
    if (isKept) keep(base, target, found.settings)
    return { ...found, config: withSettings(base, target, found.settings) }
  } catch (error) {
    const before = keptSettings(base, target)
    if (faultOf(error)?.code !== 'node-unreachable' || before === undefined) throw error
    return {
      config: withSettings(base, target, before),
      found: [`${faultOf(error)?.message ?? ''}; until then this is what was found before`],
      isPartial: true,
    }
  }
}

/** `base` with what a start found before, where one did. */
export function foundBefore(base: Config, target: Target): Config | undefined {
  const before = keptSettings(base, target)
  return before === undefined ? undefined : withSettings(base, target, before)
}

/** Lacks of the nodes of `config`, and what each costs. */
export async function lacksOf(config: Config, options: NodeAccess): Promise<readonly string[]> {
  const world = { transport: options.transport, clock: { now: Date.now } }
  const chains = config.chains.map((chain) =>
    checkChain(chain, { ...options, world, stored: new Map() }),
  )
  const networks = Object.entries(config.networks).map(([name, network]) =>
    network === undefined || network.nodeUrl === ''
      ? []
      : checkNetwork(name, network, { ...options, stored: new Map() }),
  )
  const findings: Finding[] = (await Promise.all([...networks, ...chains])).flat()
  return findings
    .filter(({ level }) => level !== 'ok')
    .map(({ subject, text, remedy }) => `${subject} ${text} (${remedy ?? ''})`)
}

type Surveyed = {
  readonly settings: FoundSettings
  readonly found: readonly string[]
  readonly isPartial: boolean
}

async function settingsOf(base: Config, target: Target, options: NodeAccess): Promise<Surveyed> {
  if (target.kind === 'rpc') {
    const found = await surveyRpc(target.url, options)
    const { name = found.name, symbol = found.symbol, contracts = '' } = target
    const chain = { ...found, name, symbol, contracts }
    return { settings: { chains: [chain] }, found: [`found ${chain.name}`], isPartial: false }
  }
  const urls =
    target.kind === 'node'
      ? [target.url]
      : Object.values(base.networks).flatMap((network) => network?.nodeUrl || [])
  const nodes = await Promise.all(urls.map((url) => surveyNode(url, options)))
  const networks = nodes.map(({ networkId, url }) => [
    networkId === publicNetworks.mainnet.networkId ? 'mainnet' : 'fuji',
    { nodeUrl: url, primary: true },
  ])
  return {
    settings: {
      networks: target.kind === 'node' ? Object.fromEntries(networks) : undefined,
      chains: nodes.flatMap(({ chains }) => chains),
    },
    found: nodes.flatMap(sentencesAbout),
    isPartial: nodes.some(({ bootstrapping }) => bootstrapping.length > 0),
  }
}

function sentencesAbout(node: FoundNode): string[] {
  const { url, networkId, version, bootstrapping, chains, others } = node
  const names = ['primary network', ...chains.map(({ name }) => name)].join(', ')
  const some = others.slice(0, 4).join(', ')
  const more = others.length > 4 ? ` and ${others.length - 4} more` : ''
  return [
    `found network ${networkId} at ${url} (${version}): ${names}`,
    ...(bootstrapping.length > 0
      ? [
          `the node is bootstrapping ${bootstrapping.join(', ')}: Firn waits, and takes up its chains as they come; nothing to do`,
        ]
      : []),
    ...(others.length > 0
      ? [
          `not served by this node, so not indexed: ${some}${more} (add their subnets to its track-subnets)`,
        ]
      : []),
  ]
}

/** `base`, whose flags and file were checked, with settings that were found. */
function withSettings(base: Config, target: Target, settings: FoundSettings): Config {
  const value = { networks: settings.networks, chains: settings.chains }
  const read = readConfig({ flags: {}, environment: {}, file: { value } }).config
  const networks = target.kind === 'auto' ? base.networks : read.networks
  return Object.freeze({
    ...base,
    networks,
    chains: read.chains,
    autoChains: target.kind !== 'rpc',
  })
}

function fileOf({ dataDir }: Config): string {
  return join(dataDir, 'found.json')
}

function keep(base: Config, target: Target, settings: FoundSettings): void {
  mkdirSync(base.dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(fileOf(base), `${JSON.stringify({ target, ...settings }, undefined, 2)}\n`, {
    mode: 0o600,
  })
}

/** Where a start in the data folder of `base` looked last. */
export function targetIn(base: Config): Target | undefined {
  const { target } = kept(base)
  if (!isObject(target)) return undefined
  const { kind, url, name, symbol, contracts } = target
  if (typeof url !== 'string') return undefined
  if (kind === 'node') return { kind, url }
  return kind === 'rpc'
    ? { kind, url, name: textOf(name), symbol: textOf(symbol), contracts: textOf(contracts) }
    : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The settings that were found at `target` before. */
function keptSettings(base: Config, target: Target): FoundSettings | undefined {
  const { networks, chains, target: before } = kept(base)
  if (JSON.stringify(before) !== JSON.stringify(target) || !Array.isArray(chains)) return undefined
  return { chains, networks: isObject(networks) ? networks : undefined }
}

function kept(base: Config): Readonly<Record<string, unknown>> {
  try {
    return membersOf(jsonOf(readFileSync(fileOf(base), 'utf8')))
  } catch {
    return {}
  }
}
