/**
 * The data API over a made-up chain, with admission, freshness, dialects and gauges as the product
 * has them.
 */

import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { zstdCompressSync } from 'node:zlib'

import { healthOperations } from '../src/api/evm/chains/health.ts'
import { createRichAddressBooks, type RichAddressBooks } from '../src/api/evm/rich-addresses.ts'
import { type ServedChain, type StateReader } from '../src/api/operation/chain-directory.ts'
import type { Operation } from '../src/api/operation/operation.ts'
import { evmOperations } from '../src/api/operations.ts'
import { noTokenNotes } from '../src/api/prices/token-lists.ts'
import { createNetworkDirectory } from '../src/api/primary/network/networks.ts'
import { createAdmission } from '../src/api/server/admission/admission.ts'
import { createUseCounter } from '../src/api/server/admission/use-counter.ts'
import { evmDialectRules } from '../src/api/server/dialect.ts'
import { createFreshChains } from '../src/api/server/read-position.ts'
import { type ApiServer, createServer } from '../src/api/server/server.ts'
import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { to0x } from '../src/core/bytes.ts'
import type { Clock } from '../src/core/world.ts'
import { EvmIngest } from '../src/indexing/evm/run/evm-ingest.ts'
import { type Database, statement } from '../src/store/engine/database.ts'
import { takeLease } from '../src/store/lease.ts'
import { openStore } from '../src/store/open.ts'
import { controlTables } from '../src/store/schema/control.ts'
import { evmTables } from '../src/store/schema/evm.ts'
import { createGauges } from '../src/telemetry/gauges.ts'
import type { Log } from '../src/telemetry/log.ts'
import { partsOf } from '../test/support/services/evm-context.ts'
import { ChainText, usualShape } from './evm-chain.ts'

/** The clock of this machine. */
export const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

/** Tells nothing but errors. */
export const silent: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (event, fields) => console.error(event, fields),
  child: () => silent,
}

const tables = [...controlTables, ...evmTables]

/** As if a node had been asked what the tokens are, and their balances had been compared. */
export const nameTokens = statement(
  `update token set name = 'Token ' || id, symbol = 'T' || id, decimals = 18, metadata_height = 1`,
  { unsummed: true },
)

/**
 * Opens the chain in `folder` for reading; fills it first where it is not there. Few holders, so
 * that the busiest has lists of tens of thousands of pages.
 */
export async function openBenchChain(folder: string, blocks: number): Promise<Database> {
  mkdirSync(folder, { recursive: true })
  const place = { store: 'embedded', dataDir: folder }
  if (!existsSync(join(folder, 'bench.sqlite'))) {
    const store = await openStore(place, 'bench', tables, 'write')
    const lease = await takeLease(store, 'bench', clock)
    if (lease === undefined) throw new Error('no lease')
    const ingest = new EvmIngest({ database: store, lease, clock })
    const chain = new ChainText({ ...usualShape, blocks, holders: 20_000 })
    for (let from = 0; from < blocks; from += 500) {
      const units = []
      for (let at = from; at < Math.min(from + 500, blocks); at++)
        units.push(JSON.parse(chain.next() ?? ''))
      await ingest.blocks(decodeBlocks(from, units, zstdCompressSync))
    }
    await store.transaction((writer) => writer.run(nameTokens))
    await store.close()
  }
  return openStore(place, 'bench', tables, 'serve')
}

/** Differences between servers over one chain. */
export type ListServerOptions = {
  readonly store: Database
  readonly state: StateReader
  /** Forget every address between two pages, so that each page is cold. */
  readonly cold?: boolean
}

/** A server as the product puts it together, over the made-up chain with id 1. */
export function listServer({ store, state, cold = false }: ListServerOptions): ApiServer {
  const chain: ServedChain = {
    facts: {
      key: 'bench',
      network: 'fuji',
      evmChainId: 1,
      name: 'Bench',
      symbol: 'BNC',
      decimals: 18,
      description: '',
    },
    store,
    state,
    wantsTraces: false,
    isFollowed: () => true,
  }
  const parts = partsOf([chain], clock)
  const gauges = createGauges()
  const fresh = (): RichAddressBooks => createRichAddressBooks(clock, noTokenNotes)
  return createServer({
    operations: [
      ...Object.values<Operation>(
        evmOperations(cold ? { ...parts, addressBooks: (of) => fresh()(of) } : parts),
      ),
      ...Object.values<Operation>(healthOperations(() => [store])),
    ],
    dialectRules: evmDialectRules,
    dialect: 'auto',
    log: silent,
    clock,
    limits: { maxConnections: 100, requestTimeoutMs: 10_000, handlerTimeoutMs: 10_000 },
    freshChains: createFreshChains({
      chains: parts.chains,
      networks: createNetworkDirectory(() => []),
      headOf: () => 1_000_000,
      networkKey: (network) => network,
      clock,
      hasReplicas: false,
    }),
    gauges,
    admit: createAdmission({
      keysRequired: false,
      keys: () => [],
      limit: undefined,
      uses: createUseCounter({ clock, log: silent }),
      clock,
    }),
    observe: (operation, status, elapsedMs) => {
      gauges.add('firn_api_requests_total', 1, { operation, status: String(status) })
      gauges.observe('firn_api_request_seconds', elapsedMs / 1_000, { operation })
    },
  })
}

/** The busiest address, or two thousand of all degrees, as `0x` hex. */
export async function holders(store: Database, order: 'desc' | 'spread'): Promise<string[]> {
  const busiest = statement(
    `select a.bytes from (select address_id, count(*) n from transfer_by_address
     where standard = 20 group by address_id order by n desc limit 1) t
     join address a on a.id = t.address_id`,
    { over: 'tables' },
  )
  const some = statement(
    `select a.bytes from (select distinct address_id from transfer_by_address
     where standard = 20 and address_id % 7 = 0 limit 2000) t join address a on a.id = t.address_id`,
    { over: 'tables' },
  )
  const rows = await store.all(order === 'desc' ? busiest : some)
  return rows.map(([bytes]) => (bytes instanceof Uint8Array ? to0x(bytes) : ''))
}

/** Findings of the load thread. */
export type Load = {
  readonly requests: number
  readonly bytes: number
  readonly latencies: Float64Array
}

/** Keeps eight connections busy: findings of the load thread, and this thread's processor time while it counted. */
export async function loaded(
  urls: readonly URL[],
  seconds: number,
): Promise<{ readonly load: Load; readonly spent: NodeJS.CpuUsage }> {
  let before: NodeJS.CpuUsage | undefined
  const load = await loadOf(urls, seconds, () => (before = process.threadCpuUsage()))
  return { load, spent: process.threadCpuUsage(before) }
}

/** Keeps eight connections busy; `counting` is called when the server is warm. */
export function loadOf(urls: readonly URL[], seconds: number, counting: () => void): Promise<Load> {
  const [first] = urls
  if (first === undefined) throw new Error('a case asks for something')
  const paths = urls.map(({ pathname, search }) => pathname + search)
  const worker = new Worker(new URL('./http-load.ts', import.meta.url), {
    workerData: { host: first.hostname, port: Number(first.port), paths, connections: 8, seconds },
  })
  return new Promise((resolve, reject) => {
    worker.on('message', (told: Load | 'counting') => {
      if (told === 'counting') counting()
      else resolve(told)
    })
    worker.once('error', reject)
  })
}
