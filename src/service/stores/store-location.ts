/** Where the stores of a configuration lie: settings `store`, `stores` and `dataDir`. */

import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import { isBucket } from '../../store/bucket/bucket-address.ts'
import { canFit, patternUrl, type StoreLocation, type StorePattern } from '../../store/open.ts'
import { cacheFolder } from './bucket-settings.ts'

/** Settings that say where stores lie. */
export type StoreSettings = Pick<
  Config,
  'store' | 'stores' | 'dataDir' | 'index.store' | 'index.leaseSeconds'
>

/** The location of all stores of `config`. Throws `bad-config`. */
export function storeLocation(config: StoreSettings): StoreLocation {
  const stores = readStorePatterns(config.stores)
  const { store, dataDir } = config
  const place = config['index.store']
  const segments = isBucket(place) ? cacheFolder(config) : place
  return {
    store,
    dataDir,
    leaseMs: config['index.leaseSeconds'] * 1_000,
    segments: segments === '' ? undefined : segments,
    stores: stores.length === 0 ? undefined : stores,
  }
}

/** Words that the driver knows as `sslmode`; it takes a misspelt one for `verify-full`. */
const sslModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']

/** Throws `bad-config` for an address of PostgreSQL, called `what`, that is none; it is not shown: it may hold a password. */
export function checkPostgresUrl(what: string, url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw new Fault('bad-config', `${what} is no postgres:// address`)
  const mode = parsed.searchParams.get('sslmode')
  if (mode !== null && !sslModes.includes(mode))
    throw new Fault('bad-config', `${what}: sslmode must be one of ${sslModes.join(', ')}: ${mode}`)
  const ssl = parsed.searchParams.get('ssl')
  if (ssl !== null && !['true', '1', '0'].includes(ssl))
    throw new Fault('bad-config', `${what}: ssl must be true or 0; sslmode says more: ${ssl}`)
}

/** True where the history of EVM chains stays in tables of PostgreSQL, for want of a bucket or a folder that hosts share. */
export function keepsHistoryInTables(
  config: Pick<Config, 'store' | 'role' | 'index.store'>,
): boolean {
  return config.store !== 'embedded' && config['index.store'] === '' && config.role !== 'serve'
}

/** Address of the server that has the store `name`, or `embedded`. */
export function serverOf({ store, stores = [] }: StoreLocation, name: string): string {
  return patternUrl(stores, name) ?? store
}

/** Addresses of all servers that have stores, each once; `embedded` where there is none. */
export function serversOf({ store, stores = [] }: StoreLocation): readonly string[] {
  return [...new Set([store, ...stores.map(({ url }) => url)])]
}

/**
 * The setting `stores`. Throws `bad-config`; an address, which may hold a password, is not shown.
 */
function readStorePatterns(value: unknown): readonly StorePattern[] {
  if (!isObject(value))
    throw new Fault(
      'bad-config',
      "stores must be names of chains' stores with their servers: { 'mainnet-*': 'postgres://user@host:5432/db' }",
    )
  return Object.entries(value).map(([pattern, url]) => {
    if (!/^[a-z0-9*-]+$/.test(pattern) || !canFit(pattern))
      throw new Fault(
        'bad-config',
        `stores takes names of chains like fuji-c-chain, mainnet-* or primary-fuji: ${pattern}`,
      )
    if (typeof url !== 'string')
      throw new Fault('bad-config', `stores must name a postgres:// address for: ${pattern}`)
    checkPostgresUrl(`the address in stores of ${pattern}`, url)
    return { pattern, url }
  })
}

/** Checks `stores` against `store`. Throws `bad-config`. */
export function checkStorePatterns(config: StoreSettings): void {
  if (readStorePatterns(config.stores).length > 0 && config.store === 'embedded')
    throw new Fault(
      'bad-config',
      'stores needs a postgres:// address in store, for what belongs to the whole deployment',
    )
}
