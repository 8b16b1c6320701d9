/**
 * Ingest and pages on PostgreSQL beside SQLite: processor time of the product and of the server.
 *
 *     node bench/postgres.ts [blocks]
 *
 * A server of the system, or that of the npm packages, runs on this machine for the time of the
 * bench, and counts with all of its processes. Engines take turns, each twice, and the lesser figure
 * counts. A page is the newest ten transfers of an address: its statement alone, and the answer of the
 * API over HTTP, without its caller. Figures of PostgreSQL are divided by those of SQLite of the same run.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { Fault } from '../src/core/fault.ts'
import { goodBatchRows } from '../src/indexing/evm/run/evm-ingest.ts'
import type { Database } from '../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../src/store/open.ts'
import { addressIds } from '../src/store/query/evm/addresses.ts'
import { transfersOfAddress } from '../src/store/query/evm/transfers.ts'
import { evmTables } from '../src/store/schema/evm.ts'
import { createDatabase, startPostgres } from '../test/support/stores/postgres.ts'
import { addressOf } from './evm-chain.ts'
import { listServer, nameTokens } from './list-server.ts'

type Figures = {
  readonly ingest: number
  readonly page: number
  readonly answer: number
  readonly bytes: number
}

const blocks = Number(process.argv[2] ?? 700)
const pages = 2_000
const holders = 1_000

const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
const path = join(folder, 'chain.ndjson')
const server = await startPostgres()
try {
  const { transfers } = JSON.parse(run('evm-ingest-prepare.ts', path, String(blocks), 'plain'))
  console.log(`${blocks} blocks, ${transfers} plain transfers`)
  const sqlite: Figures[] = []
  const postgres: Figures[] = []
  for (const round of [1, 2]) {
    const dataDir = mkdtempSync(join(folder, 'store-'))
    sqlite.push(await figures({ store: 'embedded', dataDir }))
    const store = await createDatabase(server.url, `bench_${round}`)
    postgres.push(await figures({ store, dataDir }))
  }
  row('ingest, us a transfer', sqlite, postgres, 'ingest')
  row('statement of a page, us', sqlite, postgres, 'page')
  row('page over HTTP, us', sqlite, postgres, 'answer')
  row('stored, bytes a transfer', sqlite, postgres, 'bytes')
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function figures(location: StoreLocation): Promise<Figures> {
  const url = location.store === 'embedded' ? [] : [location.store]
  const serverBefore = serverMicros()
  const { numbers } = JSON.parse(
    run('evm-ingest-once.ts', path, location.dataDir, String(goodBatchRows), 'checked', ...url),
  )
  const serverSpent = url.length === 0 ? 0 : serverMicros() - serverBefore
  return {
    ingest: numbers.cpuMicros + serverSpent / numbers.transfers,
    page: await pageMicros(location),
    answer: await answerMicros(location),
    bytes: numbers.bytesPerTransfer,
  }
}

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
  const before = process.cpuUsage()
  const serverBefore = serverMicros()
  for (let at = 0; at < pages; at++) await page(at)
  const { user, system } = process.cpuUsage(before)
  const serverSpent = location.store === 'embedded' ? 0 : serverMicros() - serverBefore
  await store.close()
  return (user + system + serverSpent) / pages
}

/** Of the thread that answers and of the database's server, for one answer of the API. */
async function answerMicros(location: StoreLocation): Promise<number> {
  const writer = await openStore(location, 'bench', evmTables, 'write')
  await writer.transaction((link) => link.run(nameTokens))
  await writer.close()
  const store = await openStore(location, 'bench', evmTables, 'read')
  const api = listServer({
    store,
    state: { balance: none, code: none, call: none, calls: none, storage: none, tried: none },
  })
  const url = new URL(await api.listen('127.0.0.1', 0))
  try {
    return await spentOnAnswers(store, url)
  } finally {
    await api.close()
    await store.close()
  }
}

async function none(): Promise<never> {
  throw new Fault('not-served', 'no node here')
}

function spentOnAnswers(store: Database, { hostname, port }: URL): Promise<number> {
  const paths = Array.from(
    { length: holders },
    (_, at) => `/v1/chains/1/addresses/${addressOf('h', at)}/transactions:listErc20`,
  )
  const asked = { host: hostname, port: Number(port), paths, connections: 8, seconds: 3 }
  const worker = new Worker(new URL('./http-load.ts', import.meta.url), { workerData: asked })
  return new Promise((resolve, reject) => {
    let before: NodeJS.CpuUsage | undefined
    let serverBefore = 0
    worker.on('message', (told: { readonly requests: number } | 'counting') => {
      if (told === 'counting') {
        before = process.threadCpuUsage()
        serverBefore = serverMicros()
        return
      }
      const { user, system } = process.threadCpuUsage(before)
      const serverSpent = store.engine === 'sqlite' ? 0 : serverMicros() - serverBefore
      resolve((user + system + serverSpent) / told.requests)
    })
    worker.once('error', reject)
  })
}

/** Processor time of the server, of processes that ended as well; the kernel counts hundredths. */
function serverMicros(): number {
  const parents = new Map<number, number>()
  const times = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const fields = statOf(name)
    if (fields === undefined) continue
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15)
    parents.set(Number(name), fields[1] ?? 0)
    times.set(Number(name), (user + system + childUser + childSystem) * 10_000)
  }
  const own = [...parents].find(([, parent]) => parent === process.pid)?.[0]
  let sum = 0
  for (const [pid, micros] of times) if (pid === own || parents.get(pid) === own) sum += micros
  return sum
}

/** Fields after the name in `/proc/<pid>/stat`; undefined for a process that has just ended. */
function statOf(pid: string): readonly number[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
  } catch {
    return undefined
  }
}

function run(script: string, ...args: readonly string[]): string {
  const file = join(import.meta.dirname, script)
  return execFileSync(process.execPath, [file, ...args], { encoding: 'utf8' })
}

function row(
  name: string,
  sqlite: readonly Figures[],
  postgres: readonly Figures[],
  key: keyof Figures,
): void {
  const [ours, theirs] = [sqlite, postgres].map((all) => Math.min(...all.map((each) => each[key])))
  if (ours === undefined || theirs === undefined) return
  console.log(
    `${name.padEnd(26)} SQLite ${ours.toFixed(1)}, PostgreSQL ${theirs.toFixed(1)}: ${(theirs / ours).toFixed(2)} x`,
  )
}
