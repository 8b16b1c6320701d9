/** Every store that a deployment may have, and which of them were made. */

import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import { chainSpecs, messageStore, streamSpecs } from '../../service/chain-specs.ts'
import { serverOf, serversOf, storeLocation } from '../../service/stores/store-location.ts'
import type { CopiedStore } from '../../store/migrate/copy-store.ts'
import { placeOf } from '../../store/migrate/target.ts'
import type { StoreLocation } from '../../store/open.ts'
import { apiUseStore, apiUseTables } from '../../store/schema/api-use.ts'
import { contractStore, contractTables } from '../../store/schema/contracts.ts'
import { deploymentStore } from '../../store/schema/deployment.ts'
import { webhookStore } from '../../store/schema/events.ts'
import { logStoreOf, logStoreTables } from '../../store/schema/logs.ts'
import { nftRequestStore, nftRequestTables } from '../../store/schema/nft.ts'
import {
  chainTables,
  eventTables,
  messageTables,
  primaryStoreTables,
} from '../../store/schema/stores.ts'

/** The stores of a source. */
export type MadeStores = {
  readonly stores: readonly CopiedStore[]
  /** Names of others that lie there: of chains that the configuration does not name. */
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
  // Keys and aliases are documents, which `migrated-documents.ts` takes along.
  const names = new Set([...named.map(({ name }) => name), deploymentStore])
  const all = new Set([...found.values()].flatMap((some) => [...some]))
  return { stores, others: [...all].filter((name) => !names.has(name)).toSorted() }
}

/** Names of the stores at one place. */
async function namesAt(location: StoreLocation): Promise<ReadonlySet<string>> {
  const place = await placeOf(location)
  try {
    return new Set(await place.names())
  } finally {
    await place.close()
  }
}

/** Every store that a process of `config` opens, but for that of its documents. */
function storesOf(config: Config): CopiedStore[] {
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
