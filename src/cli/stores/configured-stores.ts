/** The stores of a configuration: which it names, which of them were made, and its keys and aliases. */

import { join } from 'node:path'

import type { Config } from '../../config/settings.ts'
import { Fault, orAbsent } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import {
  chainSpecs,
  messageStore,
  type SpecifiedChain,
  streamSpecs,
} from '../../service/chain-specs.ts'
import { documentNames } from '../../service/documents/documents.ts'
import { bytesOf } from '../../service/documents/watched-file.ts'
import { withBucket } from '../../service/stores/bucket-settings.ts'
import { storeSizes } from '../../service/stores/data-folder.ts'
import { serverOf, serversOf, storeLocation } from '../../service/stores/store-location.ts'
import type { Database } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { storedDocument } from '../../store/query/deployment.ts'
import {
  apiUseStore,
  apiUseTables,
  contractStore,
  contractTables,
  deploymentStore,
  deploymentTables,
} from '../../store/schema/deployment.ts'
import { webhookStore } from '../../store/schema/events.ts'
import { logEnding, logStoreOf, logStoreTables } from '../../store/schema/logs.ts'
import { nftRequestStore, nftRequestTables } from '../../store/schema/nft.ts'
import {
  chainTables,
  eventTables,
  messageTables,
  primaryStoreTables,
} from '../../store/schema/stores.ts'
import type { CopiedStore } from '../../store/snapshot/copy-store.ts'
import { openWorld } from '../../world/world.ts'
import { locateConfig } from '../discovery/load-config.ts'
import type { Flags } from '../flags.ts'

/** A store. */
export type ConfiguredStore = CopiedStore & {
  /** Source of its rows; `own`: this deployment, and nobody else has them. */
  readonly kind: 'evm' | 'logs' | 'primary' | 'icm' | 'own'
  /** The chain of an EVM store. */
  readonly chain?: SpecifiedChain
}

/**
 * The configuration that `flags` name, the demo network without one; its folder is absolute. Throws as
 * `locateConfig`.
 */
export async function configOf(flags: Flags): Promise<Config> {
  await using world = openWorld()
  return (await locateConfig(flags, { transport: world.transport, isStart: false })).config
}

/** Every store that a process of `config` opens, but for that of its documents. */
export function storesOf(config: Config): ConfiguredStore[] {
  const chains = chainSpecs(config)
  const primaries = streamSpecs(config, chains).filter(({ kind }) => kind === 'primary')
  return [
    ...chains.map((chain): ConfiguredStore => {
      return { name: chain.spec.key, kind: 'evm', tables: chainTables, chain }
    }),
    ...chains.map(({ spec: { key } }): ConfiguredStore => {
      return { name: logStoreOf(key), kind: 'logs', tables: logStoreTables }
    }),
    ...primaries.map(({ key }): ConfiguredStore => {
      return { name: key, kind: 'primary', tables: primaryStoreTables }
    }),
    { name: messageStore, kind: 'icm', tables: messageTables },
    { name: webhookStore, kind: 'own', tables: eventTables },
    { name: nftRequestStore, kind: 'own', tables: nftRequestTables },
    { name: apiUseStore, kind: 'own', tables: apiUseTables },
    { name: contractStore, kind: 'own', tables: contractTables },
  ]
}

/**
 * Those of some kinds that were made, and the names of others that lie there: of chains that the configuration
 * does not name.
 */
export async function madeStores(
  config: Config,
  isWanted: (store: ConfiguredStore) => boolean = () => true,
): Promise<{ readonly stores: readonly ConfiguredStore[]; readonly others: readonly string[] }> {
  const location = storeLocation(config)
  const found = new Map<string, ReadonlySet<string>>()
  for (const store of serversOf(location)) found.set(store, await namesAt({ ...location, store }))
  const named = storesOf(config)
  const stores = named.filter(
    (store) => isWanted(store) && found.get(serverOf(location, store.name))?.has(store.name),
  )
  // Keys and aliases are taken along by `documentsAt`.
  const names = new Set([...named.map(({ name }) => name), deploymentStore])
  const all = new Set([...found.values()].flatMap((some) => [...some]))
  const others = [...all].filter((name) => !names.has(name)).toSorted()
  return { stores, others }
}

/** The fault of a place without any store that is wanted. */
export function nothingIndexed({ store, dataDir }: Config): Fault {
  const where = store === 'embedded' ? dataDir : 'the database'
  return new Fault('not-found', `nothing is indexed here: ${where}`)
}

/**
 * Those that were made and whose rows can be read again, also of chains that the configuration does not name.
 * Throws `not-found` where there is none.
 */
export async function filledStores(config: Config): Promise<readonly ConfiguredStore[]> {
  const { stores, others } = await madeStores(config, ({ kind }) => kind !== 'own')
  const all = [...stores, ...others.flatMap((name) => foundStore(name) ?? [])]
  if (all.length === 0) throw nothingIndexed(config)
  return all
}

/** The store of an EVM chain by its name; `word` is for the message. Throws `not-found`, `bad-parameter`. */
export async function chainStore(
  config: Config,
  wanted: string,
  word: string,
): Promise<ConfiguredStore & { readonly chain: SpecifiedChain }> {
  const stores = await filledStores(config)
  const store = stores.find(({ kind, name }) => kind === 'evm' && name === wanted)
  if (store?.chain !== undefined) return { ...store, chain: store.chain }
  const known = stores.filter(({ kind }) => kind === 'evm').map(({ name }) => name)
  const all = known.length === 0 ? 'none' : known.join(', ')
  throw new Fault('bad-parameter', `there is no store of ${word} ${wanted}; there is: ${all}`)
}

/** A store that no setting names, by the form of its name. */
function foundStore(name: string): ConfiguredStore | undefined {
  if (name.startsWith('primary-')) return { name, kind: 'primary', tables: primaryStoreTables }
  if (!/^(?:fuji|mainnet)-/.test(name)) return undefined
  return name.endsWith(logEnding)
    ? { name, kind: 'logs', tables: logStoreTables }
    : { name, kind: 'evm', tables: chainTables }
}

/** Names of the stores at one place. */
async function namesAt({ store, dataDir }: StoreLocation): Promise<ReadonlySet<string>> {
  if (store === 'embedded') return new Set(storeSizes(dataDir).keys())
  // With its driver, which embedded stores never need.
  const { storesAt } = await import('../../store/postgres/namespaces.ts')
  return new Set(await storesAt(store))
}

/** Opens a store of `config` to read. */
export function openConfigured(
  config: Config,
  store: ConfiguredStore,
  world: World,
): Promise<Database> {
  return openStore(
    withBucket(storeLocation(config), config, world),
    store.name,
    store.tables,
    'read',
  )
}

/** Keys and aliases of a deployment whose stores lie at `location`, by name. */
export async function documentsAt(
  location: StoreLocation,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const held = new Map<string, Uint8Array>()
  for (const name of documentNames) {
    const bytes =
      location.store === 'embedded'
        ? bytesOf(join(location.dataDir, name))
        : await storedBytes(location, name)
    if (bytes !== undefined) held.set(name, bytes)
  }
  return held
}

/** Absent where no process of the deployment has made their store yet. */
function storedBytes(location: StoreLocation, name: string): Promise<Uint8Array | undefined> {
  return orAbsent('store-failed', async () => {
    await using store = await openStore(location, deploymentStore, deploymentTables, 'read')
    return (await storedDocument(store, name))?.content
  })
}
