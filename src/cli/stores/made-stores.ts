/** Every store that a deployment may have, which of them were made, and its keys and aliases. */

import { join } from 'node:path'

import type { Config } from '../../config/settings.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { chainSpecs, messageStore, streamSpecs } from '../../service/chain-specs.ts'
import { documentNames } from '../../service/documents/documents.ts'
import { bytesOf } from '../../service/documents/watched-file.ts'
import { storeSizes } from '../../service/stores/data-folder.ts'
import { serverOf, serversOf, storeLocation } from '../../service/stores/store-location.ts'
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
import { logStoreOf, logStoreTables } from '../../store/schema/logs.ts'
import { nftRequestStore, nftRequestTables } from '../../store/schema/nft.ts'
import {
  chainTables,
  eventTables,
  messageTables,
  primaryStoreTables,
} from '../../store/schema/stores.ts'
import type { CopiedStore } from '../../store/snapshot/copy-store.ts'

/** The stores of a source. */
export type MadeStores = {
  readonly stores: readonly CopiedStore[]
  /** Names of other stores there: of chains that the configuration does not name. */
  readonly others: readonly string[]
}

/**
 * Stores of `config` that were made, of which a command wants to do `what`. Throws `not-found` when
 * there is none.
 */
export async function madeStores(config: Config, what: string): Promise<MadeStores> {
  const location = storeLocation(config)
  const found = new Map<string, ReadonlySet<string>>()
  for (const store of serversOf(location)) found.set(store, await namesAt({ ...location, store }))
  const named = storesOf(config)
  const stores = named.filter(({ name }) => found.get(serverOf(location, name))?.has(name))
  if (stores.length === 0) {
    const where = config.store === 'embedded' ? config.dataDir : 'the database'
    throw new Fault('not-found', `nothing to ${what} here: ${where}`)
  }
  // Keys and aliases are taken along by `documentsAt`.
  const names = new Set([...named.map(({ name }) => name), deploymentStore])
  const all = new Set([...found.values()].flatMap((some) => [...some]))
  return { stores, others: [...all].filter((name) => !names.has(name)).toSorted() }
}

/** Names of the stores at one place. */
async function namesAt({ store, dataDir }: StoreLocation): Promise<ReadonlySet<string>> {
  if (store === 'embedded') return new Set(storeSizes(dataDir).keys())
  // With its driver, which embedded stores never need.
  const { storesAt } = await import('../../store/snapshot/postgres-stores.ts')
  return new Set(await storesAt(store))
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

async function storedBytes(location: StoreLocation, name: string): Promise<Uint8Array | undefined> {
  try {
    const store = await openStore(location, deploymentStore, deploymentTables, 'read')
    const document = await storedDocument(store, name)
    await store.close()
    return document?.content
  } catch (error) {
    // No process of the deployment has made it yet.
    if (faultOf(error)?.code === 'store-failed') return undefined
    throw error
  }
}

/** Every store that a process of `config` opens, except the one of its documents. */
export function storesOf(config: Config): CopiedStore[] {
  const chains = chainSpecs(config)
  return [
    ...chains.map(({ spec }) => ({ name: spec.key, tables: chainTables })),
    ...chains.map(({ spec }) => ({ name: logStoreOf(spec.key), tables: logStoreTables })),
    ...streamSpecs(config, chains)
      .filter(({ kind }) => kind === 'primary')
      .map(({ key }) => ({ name: key, tables: primaryStoreTables })),
    { name: messageStore, tables: messageTables },
    { name: webhookStore, tables: eventTables },
    { name: nftRequestStore, tables: nftRequestTables },
    { name: apiUseStore, tables: apiUseTables },
    { name: contractStore, tables: contractTables },
  ]
}
