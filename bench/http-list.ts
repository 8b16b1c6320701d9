/**
 * Lists by address over HTTP from the embedded store: requests a second, latency, processor.
 *
 *     node bench/http-list.ts [blocks] [folder]
 *
 * One server thread as in the product; another thread keeps eight connections busy. The made-up
 * chain is ingested first, into `folder` when one is given, where the next run finds it.
 * `cpu` is the server thread's processor time per request: it stays true on a busy machine.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { zstdCompressSync } from 'node:zlib'

import { createChainDirectory, type ServedChain } from '../src/api/chain-directory.ts'
import { evmDialectRules } from '../src/api/dialect-evm.ts'
import { healthOperations } from '../src/api/evm/health.ts'
import { createMethodNames } from '../src/api/evm/method-names.ts'
import { noNfts } from '../src/api/evm/nft-source.ts'
import { createPartyBooks } from '../src/api/evm/party-book.ts'
import { evmOperations } from '../src/api/operations.ts'
import { createPageTokens } from '../src/api/page-token.ts'
import { noPrices } from '../src/api/prices.ts'
import { createServer } from '../src/api/server.ts'
import { noTokenNotes } from '../src/api/token-notes.ts'
import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { to0x } from '../src/core/bytes.ts'
import { Fault } from '../src/core/fault.ts'
import type { Clock } from '../src/core/world.ts'
import { EvmIngest } from '../src/indexing/evm/evm-ingest.ts'
import { type Database, statement } from '../src/store/engine/database.ts'
import { openStore } from '../src/store/engine/open.ts'
import { takeLease } from '../src/store/lease.ts'
import { controlTables } from '../src/store/schema/control.ts'
import { evmTables } from '../src/store/schema/evm.ts'
import type { Log } from '../src/telemetry/log.ts'
import { ChainText, usualShape } from './evm-chain.ts'

const blocks = Number(process.argv[2] ?? 4_000)
const given = process.argv[3]
const folder = given ?? mkdtempSync(join(tmpdir(), 'firn-bench-'))
const tables = [...controlTables, ...evmTables]
const connections = 8
const seconds = 3

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
const silent: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: (event, fields) => console.error(event, fields),
  child: () => silent,
}

/** As if a node had been asked what the tokens are. */
const nameTokens = statement(
  `update token set name = 'Token ' || id, symbol = 'T' || id, decimals = 18, metadata_height = 1`,
  { unsummed: true },
)

/** What the load thread found. */
type Load = { readonly requests: number; readonly bytes: number; readonly latencies: Float64Array }

try {
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, 'bench.sqlite'))) await fill()
  await serve(await openStore({ store: 'embedded', dataDir: folder }, 'bench', tables, 'read'))
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true })
}

/** Few holders, so that the busiest has lists of tens of thousands of pages. */
async function fill(): Promise<void> {
  const store = await openStore({ store: 'embedded', dataDir: folder }, 'bench', tables, 'write')
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

async function serve(store: Database): Promise<void> {
  const none = async (): Promise<never> => {
    throw new Fault('not-served', 'no node here')
  }
  const chain: ServedChain = {
    facts: {
      key: 'bench',
      network: 'fuji',
      evmChainId: 1,
      name: 'Bench',
      symbol: 'BNC',
      decimals: 18,
      description: '',
      wrappedTokens: [],
    },
    store,
    state: { balance: none, code: none, call: none, calls: none },
    wantsTraces: false,
    isFollowed: () => true,
  }
  const tokens = createPageTokens([{ id: 1, secret: new Uint8Array(32) }], clock)
  const server = createServer({
    operations: [
      ...evmOperations({
        chains: createChainDirectory(() => [chain]),
        tokens,
        clock,
        methodNames: createMethodNames(),
        prices: noPrices,
        notes: noTokenNotes,
        nfts: noNfts,
        parties: createPartyBooks(clock, noTokenNotes),
        icmContracts: [],
      }),
      ...healthOperations(() => [store]),
    ],
    dialectRules: evmDialectRules,
    dialect: 'auto',
    log: silent,
    clock,
    limits: { maxConnections: 100, requestTimeoutMs: 10_000, handlerTimeoutMs: 10_000 },
  })
  const url = await server.listen('127.0.0.1', 0)
  const hot = await holders(store, 'desc')
  const spread = await holders(store, 'spread')
  const erc20 = (address: string): string =>
    `/v1/chains/1/addresses/${address}/transactions:listErc20`
  const first = hot[0] ?? ''
  const cases: [string, string[]][] = [
    ['live-check', ['/v1/live-check']],
    ['erc20, busiest address', [erc20(first)]],
    ['erc20, 2,000 addresses', spread.map(erc20)],
    [
      'native, 2,000 addresses',
      spread.map((each) => `/v1/chains/1/addresses/${each}/transactions:listNative`),
    ],
    ['latest transactions', ['/v1/chains/1/transactions']],
    ['erc20, page 1', [`${erc20(first)}?pageSize=1`]],
    ['erc20, page 10,000', [await deepPage(url, erc20(first), 10_000)]],
    ['erc20, busiest address', [erc20(first)]],
  ]
  for (const [name, paths] of cases) {
    const { load, spent } = await loaded(new URL(url), paths)
    report(name, load, (spent.user + spent.system) / load.requests)
  }
  await server.close()
  await store.close()
}

function report(name: string, { requests, bytes, latencies }: Load, cpuMicros: number): void {
  const sorted = latencies.toSorted()
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2)
  console.log(
    `${name.padEnd(26)} ${String(Math.round(requests / seconds)).padStart(7)} requests/s  ` +
      `p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  cpu ${cpuMicros.toFixed(0)} us  ` +
      `${Math.round(bytes / requests)} B`,
  )
}

/** The busiest address, or two thousand of all degrees. */
async function holders(store: Database, order: 'desc' | 'spread'): Promise<string[]> {
  const busiest = statement(
    `select a.bytes from (select address_id, count(*) n from transfer_by_address
     where standard = 20 group by address_id order by n desc limit 1) t
     join address a on a.id = t.address_id`,
  )
  const some = statement(
    `select a.bytes from (select distinct address_id from transfer_by_address
     where standard = 20 and address_id % 7 = 0 limit 2000) t join address a on a.id = t.address_id`,
  )
  const rows = await store.all(order === 'desc' ? busiest : some)
  return rows.map(([bytes]) => (bytes instanceof Uint8Array ? to0x(bytes) : ''))
}

/** Walks to a page of one item. */
async function deepPage(url: string, path: string, page: number): Promise<string> {
  let query = `${path}?pageSize=1`
  for (let at = 1; at < page; at++) {
    const reply = await fetch(url + query)
    const { nextPageToken }: { nextPageToken?: string } = JSON.parse(await reply.text())
    if (nextPageToken === undefined) throw new Error(`the list ends at page ${at}`)
    query = `${path}?pageSize=1&pageToken=${nextPageToken}`
  }
  return query
}

/** What the load thread found, and this thread's processor time while it counted. */
function loaded(
  url: URL,
  paths: readonly string[],
): Promise<{ readonly load: Load; readonly spent: NodeJS.CpuUsage }> {
  const worker = new Worker(new URL('./http-load.ts', import.meta.url), {
    workerData: { host: url.hostname, port: Number(url.port), paths, connections, seconds },
  })
  return new Promise((resolve, reject) => {
    let before: NodeJS.CpuUsage | undefined
    worker.on('message', (told: Load | 'counting') => {
      if (told === 'counting') before = process.threadCpuUsage()
      else resolve({ load: told, spent: process.threadCpuUsage(before) })
    })
    worker.once('error', reject)
  })
}
