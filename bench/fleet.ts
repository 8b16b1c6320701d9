/**
 * A deployment's figures in one run: ingest and pages on SQLite, PostgreSQL and Citus; one, two and four
 * processes that serve from PostgreSQL.
 *
 *     node bench/fleet.ts [blocks]
 *
 * Times are those of the clock, since a server works beside the product; all of it runs on this machine.
 * A page is the newest ten transfers of an address. Requests of processes that serve are sent by threads
 * of this program, which share the machine's cores with them. Statements are counted on their way to the
 * server. Without a script that starts a Citus its column is left out.
 */

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import pg from 'pg'

import { goodBatchRows } from '../src/indexing/evm/run/evm-ingest.ts'
import { openStore, type StoreLocation } from '../src/store/open.ts'
import { addressIds } from '../src/store/query/evm/addresses.ts'
import { transfersOfAddress } from '../src/store/query/evm/transfers.ts'
import { evmTables } from '../src/store/schema/evm.ts'
import { citusDatabase, startCitus } from '../test/fleet/citus-server.ts'
import {
  atEnd,
  type Ending,
  entry,
  follow,
  type RunningFirn,
  until,
} from '../test/support/processes/firn-process.ts'
import { citusFleet } from '../test/support/processes/test-settings.ts'
import { createDatabase, startPostgres } from '../test/support/stores/postgres.ts'
import { addressOf } from './evm-chain.ts'
import { countStatements } from './statement-count.ts'

const blocks = Number(process.argv[2] ?? 400)
const pages = 2_000
const holders = 1_000
const seconds = 5
const recording = new URL('../demo/chain-51001.firnrec', import.meta.url).pathname

const works: (() => Promise<void>)[] = []
const ending: Ending = { after: (work) => void works.push(work) }
try {
  await engines()
  await servers()
} finally {
  for (let work = works.pop(); work !== undefined; work = works.pop()) await work()
}

/** Ingest and pages on each engine. */
async function engines(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  atEnd(ending, async () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'chain.ndjson')
  const { transfers } = JSON.parse(run('evm-ingest-prepare.ts', path, String(blocks), 'plain'))
  console.log(`${blocks} blocks, ${transfers} plain transfers`)
  console.log('engine       transfers a second   page of ten, us   bytes a transfer')
  const tell = async (name: string, location: StoreLocation): Promise<void> => {
    const url = location.store === 'embedded' ? [] : [location.store]
    const words = [path, location.dataDir, String(goodBatchRows), 'checked', ...url]
    const { numbers } = JSON.parse(run('evm-ingest-once.ts', ...words))
    const cells = [numbers.rate, await pageMicros(location), numbers.bytesPerTransfer]
    const widths = [18, 17, 18]
    const shown = cells.map((cell, at) => cell.toFixed(0).padStart(widths[at] ?? 0))
    console.log(`${name.padEnd(12)} ${shown.join(' ')}`)
  }
  await tell('SQLite', { store: 'embedded', dataDir: folder })
  const server = await startPostgres()
  try {
    await tell('PostgreSQL', { store: server.url, dataDir: folder })
  } finally {
    await server.stop()
  }
  if (citusFleet === undefined) return
  const citus = await startCitus(citusFleet, 2)
  try {
    await tell('Citus', { store: await citusDatabase(citus.nodes, 'bench'), dataDir: folder })
  } finally {
    citus.stop()
  }
}

/** Time of one question, asked one after the other. */
async function pageMicros(location: StoreLocation): Promise<number> {
  const store = await openStore(location, 'bench', evmTables, 'read')
  const asked = Array.from({ length: holders }, (_, at) =>
    Buffer.from(addressOf('h', at).slice(2), 'hex'),
  )
  const ids = (await addressIds(store, asked)).filter((id) => id !== undefined)
  const range = { from: 0, until: Number.MAX_SAFE_INTEGER }
  const page = async (at: number): Promise<void> => {
    const addressId = ids[at % ids.length] ?? 1
    await transfersOfAddress(store, { addressId, standard: 20, range, limit: 10 })
  }
  for (let at = 0; at < holders; at++) await page(at)
  const sinceMs = performance.now()
  for (let at = 0; at < pages; at++) await page(at)
  const tookMs = performance.now() - sinceMs
  await store.close()
  return (tookMs * 1_000) / pages
}

/** One process that indexes, and more and more that serve. */
async function servers(): Promise<void> {
  const server = await startPostgres()
  atEnd(ending, () => server.stop())
  const store = await createDatabase(server.url, 'served')
  const counted = await countStatements(store)
  atEnd(ending, counted.close)
  await start(store, 'index')
  const readers = [await start(counted.url, 'serve')]
  const [first] = readers
  if (first === undefined) return
  await until('the chain is live', async () => {
    const reply = await fetch(`${first.apiUrl}/v1/chains/51001/blocks/402`)
    return reply.status === 200
  })
  const paths = ['/v1/chains/51001/transactions?pageSize=10', '/v1/chains/51001/blocks?pageSize=10']
  for (const path of paths) {
    const each = await statementsOf(`${first.apiUrl}${path}`, counted.statements)
    console.log(`statements a request: ${each.toFixed(2)}, ${path}`)
  }
  console.log('processes that serve   pages a second   99 of 100 within, ms   connections in all')
  for (const count of [1, 2, 4]) {
    while (readers.length < count) readers.push(await start(store, 'serve'))
    const loads = await Promise.all(readers.map(({ apiUrl }) => load(apiUrl, paths, 16 / count)))
    const times = loads.flatMap(({ latencies }) => [...latencies]).toSorted((a, b) => a - b)
    const late = times[Math.floor(times.length * 0.99)] ?? 0
    const rate = loads.reduce((sum, { requests }) => sum + requests, 0) / seconds
    const cells = [
      String(count).padEnd(22),
      rate.toFixed(0).padStart(14),
      late.toFixed(1).padStart(23),
      String(await connectionsOf(store)).padStart(20),
    ]
    console.log(cells.join(' '))
  }
}

async function statementsOf(url: string, statements: () => number): Promise<number> {
  const times = 300
  const ask = async (): Promise<void> => {
    const reply = await fetch(url)
    await reply.text()
    if (reply.status !== 200) throw new Error(`${url}: ${reply.status}`)
  }
  for (let at = 0; at < 50; at++) await ask()
  const before = statements()
  for (let at = 0; at < times; at++) await ask()
  return (statements() - before) / times
}

type Load = { readonly requests: number; readonly latencies: Float64Array }

function load(apiUrl: string, paths: readonly string[], connections: number): Promise<Load> {
  const { hostname, port } = new URL(apiUrl)
  const workerData = { host: hostname, port: Number(port), paths, connections, seconds }
  const worker = new Worker(new URL('./http-load.ts', import.meta.url), { workerData })
  return new Promise((resolve, reject) => {
    worker.on('message', (told: Load | 'counting') => {
      if (told !== 'counting') resolve(told)
    })
    worker.on('error', reject)
  })
}

async function connectionsOf(store: string): Promise<number> {
  const client = new pg.Client({ connectionString: store })
  await client.connect()
  const sql = "select count(*)::int as n from pg_stat_activity where application_name like 'firn%'"
  const { rows } = await client.query<{ n: number }>(sql)
  await client.end()
  return rows[0]?.n ?? 0
}

function start(store: string, role: string): Promise<RunningFirn> {
  const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
  atEnd(ending, async () => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, 'firn.yaml')
  const chain = `{ name: Bench, recording: '${recording}', traces: off }`
  writeFileSync(config, `store: '${store}'\nrole: ${role}\nchains: [${chain}]\n`)
  const words = ['--port', '0', '--node-port', '0', '--config', config]
  const data = ['--data-dir', join(folder, 'data')]
  return follow(ending, spawn(process.execPath, [entry, 'start', ...words, ...data]))
}

function run(script: string, ...args: readonly string[]): string {
  const file = join(import.meta.dirname, script)
  return execFileSync(process.execPath, [file, ...args], { encoding: 'utf8' })
}
