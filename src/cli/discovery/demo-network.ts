/**
 * The demo network: what `firn start` serves when no configuration is named. It is recorded from a
 * real network, whose C-Chain and two L1s are its EVM chains.
 */

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { readConfig } from '../../config/read-config.ts'
import { type Config, settings } from '../../config/settings.ts'
import { installationFolder } from '../../core/installation.ts'

const folder = new URL('demo/', installationFolder)

/** Blocks that a first start holds back: two minutes of them. */
const heldBlocks = 120

/** Where the demo keeps its data, so that no other network meets its stores. */
export const demoDataDir = './firn-demo'

/**
 * `config` with the networks and chains of the bundled demo, and with its prices, ABIs and lists where
 * `config` has none of its own; `isHeld` where it says how many blocks are held back. A package without
 * the demo serves none.
 */
export function withDemoNetwork(config: Config, isHeld: boolean): Config {
  const path = bundled('firn.json')
  if (!existsSync(path)) return config
  const value: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(path, 'utf8'))
  const demo = readConfig({ flags: {}, environment: {}, file: { value } }).config
  const { fuji } = demo.networks
  const prices = String(demo.prices).replace(/^file:/, '')
  return {
    ...config,
    ...(isHeld ? {} : { 'recordings.heldBlocks': heldBlocks }),
    networks:
      fuji === undefined
        ? {}
        : { fuji: { ...fuji, recording: bundled(fuji.recording), genesis: bundled(fuji.genesis) } },
    chains: demo.chains.map((chain) => ({ ...chain, recording: bundled(chain.recording) })),
    ...brandOf(config, demo),
    abis: config.abis === settings.abis.default ? bundled(demo.abis) : config.abis,
    prices: config.prices === settings.prices.default ? `file:${bundled(prices)}` : config.prices,
    tokenReputation:
      config.tokenReputation === settings.tokenReputation.default
        ? bundled(demo.tokenReputation)
        : config.tokenReputation,
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
    'explorer.labels': config['explorer.labels'] || bundled(demo['explorer.labels']),
  }
}

/** A file of the demo, wherever the process was started. */
function bundled(path: string): string {
  return fileURLToPath(new URL(path, folder))
}
