/**
 * The store of a chain keeps its name when the chain is renamed in the configuration.
 *
 * A store is named after its chain when it is made. A chain whose name leads to no store is looked for
 * by its id among those stores that no chain leads to.
 */

import type { ChainConfig, Config } from '../config/settings.ts'
import { Fault, faultOf } from '../core/fault.ts'
import type { World } from '../core/world.ts'
import { openEvmSource } from '../indexing/evm/read/open-source.ts'
import { statement } from '../store/engine/database.ts'
import { placeOf } from '../store/migrate/target.ts'
import { openStore, type StoreLocation } from '../store/open.ts'
import { controlTables } from '../store/schema/control.ts'
import { logStoreOf } from '../store/schema/logs.ts'
import { silentLog } from '../telemetry/log.ts'
import { chainSpecs, sourceLimits, type SpecifiedChain, streamSpecs } from './chain-specs.ts'
import { serverOf, serversOf, storeLocation } from './stores/store-location.ts'

/** A node that takes longer to say which chain it is of is away. */
const askMs = 5_000

const everyMeta = statement('select name, value from meta')

/** A store that no chain of the configuration is named after. */
type Unnamed = { readonly name: string; readonly told: ReadonlyMap<string, string> }

/**
 * `config` with the name of its store in every chain that was renamed. Throws `bad-config` for a chain
 * that may be a renamed one, and whose node does not say so.
 */
export async function withKeptNames(config: Config, world: World): Promise<Config> {
  const location = storeLocation(config)
  const found = await storesAt(location, config['postgres.replicas'])
  if (found.size === 0) return config
  const chains = chainSpecs(config)
  const keys = [...chains.map(({ spec }) => spec), ...streamSpecs(config, chains)]
  const named = new Set(keys.flatMap(({ key }) => [key, logStoreOf(key)]))
  const homeless = chains.filter(
    ({ config: { store }, spec }) => store === '' && !found.has(spec.key),
  )
  const others = [...found]
    .filter((name) => !named.has(name) && /^(fuji|mainnet)-/.test(name))
    .toSorted()
  if (homeless.length === 0 || others.length === 0) return config
  const unnamed: Unnamed[] = []
  for (const name of others) {
    const told = await metaOf(location, name)
    if (told.has('chainId')) unnamed.push({ name, told })
  }
  const kept = new Map<ChainConfig, string>()
  for (const chain of homeless) {
    const own = unnamed.filter(({ name }) => name.startsWith(`${chain.spec.network}-`))
    const store = await storeOf(chain, own, { config, world })
    if (store !== undefined) kept.set(chain.config, store)
  }
  const withStore = (chain: ChainConfig): ChainConfig => {
    const store = kept.get(chain)
    return store === undefined ? chain : { ...chain, store }
  }
  return Object.freeze({ ...config, chains: config.chains.map(withStore) })
}

/** Name of that one of `unnamed` which is of `chain`. */
async function storeOf(
  { config: chain, spec }: SpecifiedChain,
  unnamed: readonly Unnamed[],
  parts: { readonly config: Config; readonly world: World },
): Promise<string | undefined> {
  if (unnamed.length === 0) return undefined
  const byId = unnamed.find(
    ({ told }) => spec.blockchainId !== undefined && told.get('blockchainId') === spec.blockchainId,
  )
  if (byId !== undefined) return byId.name
  const { config, world } = parts
  const source = await openEvmSource(spec, sourceLimits(config), { world, log: silentLog })
  try {
    const { chainId, genesisHash } = await source.identity(AbortSignal.timeout(askMs))
    return unnamed.find(
      ({ told }) =>
        told.get('chainId') === String(chainId) && told.get('genesisHash') === genesisHash,
    )?.name
  } catch (error) {
    if (faultOf(error)?.retryable !== true) throw error
    const names = unnamed.map(({ name }) => name).join(', ')
    throw new Fault(
      'bad-config',
      `chain ${chain.name} has no store of its name, and its node does not say whether it was renamed; ` +
        `give it \`store: ${spec.key}\` where it is new, else the one of its stores: ${names}`,
      { cause: error },
    )
  } finally {
    await source.close()
  }
}

/** Names of the stores at all servers of `location`, or at a replica; none of those that are away. */
async function storesAt(
  location: StoreLocation,
  replicas: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const store of serversOf(location)) {
    const places = store === location.store ? [store, ...replicas] : [store]
    const names = await namesAtAny(places.map((place) => ({ ...location, store: place })))
    for (const name of names) if (serverOf(location, name) === store) found.add(name)
  }
  return found
}

/** Names at the first of `places` that tells them. */
async function namesAtAny(places: readonly StoreLocation[]): Promise<readonly string[]> {
  for (const place of places) {
    try {
      const open = await placeOf(place)
      try {
        return await open.names()
      } finally {
        await open.close()
      }
    } catch (error) {
      // Opening a store there will report what is wrong.
      if (faultOf(error)?.code !== 'store-failed') throw error
    }
  }
  return []
}

/** A store's facts about its chain; empty when it cannot be read. */
async function metaOf(location: StoreLocation, name: string): Promise<ReadonlyMap<string, string>> {
  try {
    const database = await openStore(location, name, controlTables, 'read')
    try {
      const rows = await database.all(everyMeta)
      return new Map(rows.map(([key, value]) => [String(key), String(value)]))
    } finally {
      await database.close()
    }
  } catch (error) {
    if (faultOf(error) === undefined) throw error
    return new Map()
  }
}
