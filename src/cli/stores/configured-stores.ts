/** The stores that a configuration names and that were made. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Config } from '../../config/settings.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import {
  chainSpecs,
  messageStore,
  type SpecifiedChain,
  streamSpecs,
} from '../../service/chain-specs.ts'
import { storeLocation } from '../../service/stores/store-location.ts'
import type { Database } from '../../store/engine/database.ts'
import type { Table } from '../../store/engine/table.ts'
import { openStore } from '../../store/open.ts'
import { logStoreOf, logStoreTables } from '../../store/schema/logs.ts'
import { primaryStoreTables, messageTables, chainTables } from '../../store/schema/stores.ts'
import { openWorld } from '../../world/world.ts'
import { locateConfig } from '../discovery/load-config.ts'
import type { Flags } from '../flags.ts'

/** A store of a chain, of a primary network, or of messages. */
export type ConfiguredStore = {
  readonly key: string
  readonly kind: 'evm' | 'logs' | 'primary' | 'icm'
  readonly tables: readonly Table[]
  /** The chain of an EVM store. */
  readonly chain?: SpecifiedChain
}

/**
 * The configuration that `flags` name, the demo network without one; its folder is absolute. Throws as
 * `locateConfig`.
 */
export async function configOf(flags: Flags): Promise<Config> {
  const world = openWorld()
  try {
    return (await locateConfig(flags, { transport: world.transport, isStart: false })).config
  } finally {
    await world.close()
  }
}

/** Stores of `config` that exist. Throws `not-found` when none exists. */
export async function configuredStores(config: Config): Promise<ConfiguredStore[]> {
  const chains = chainSpecs(config)
  const named: ConfiguredStore[] = [
    ...chains.map((chain) => ({
      key: chain.spec.key,
      kind: 'evm' as const,
      tables: chainTables,
      chain,
    })),
    ...chains.map(({ spec: { key } }) => ({
      key: logStoreOf(key),
      kind: 'logs' as const,
      tables: logStoreTables,
    })),
    ...streamSpecs(config, chains)
      .filter(({ kind }) => kind === 'primary')
      .map(({ key }) => ({ key, kind: 'primary' as const, tables: primaryStoreTables })),
    { key: messageStore, kind: 'icm', tables: messageTables },
  ]
  const made: ConfiguredStore[] = []
  for (const store of named) if (await isMade(config, store)) made.push(store)
  if (made.length === 0) {
    const where = config.store === 'embedded' ? config.dataDir : 'the database'
    throw new Fault('not-found', `nothing is indexed here: ${where}`)
  }
  return made
}

/** Opens a store of `config` to read. */
export function openConfigured(config: Config, store: ConfiguredStore): Promise<Database> {
  return openStore(storeLocation(config), store.key, store.tables, 'read')
}

async function isMade(config: Config, store: ConfiguredStore): Promise<boolean> {
  if (config.store === 'embedded') return existsSync(join(config.dataDir, `${store.key}.sqlite`))
  try {
    await (await openConfigured(config, store)).close()
    return true
  } catch (error) {
    if (faultOf(error)?.code !== 'store-failed') throw error
    return false
  }
}
