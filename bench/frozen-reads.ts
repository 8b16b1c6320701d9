/**
 * Processor time of whole requests to frozen history beside the same requests to tables, at heights below
 * half of the chain; and of what stands under them, without HTTP.
 *
 *     node bench/frozen-reads.ts [transfers] [plain or rich] [rounds]
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { StateReader } from '../src/api/operation/chain-directory.ts'
import { to0x } from '../src/core/bytes.ts'
import { Fault } from '../src/core/fault.ts'
import { type Database, type Statement, statement } from '../src/store/engine/database.ts'
import { readManifest } from '../src/store/history/manifest.ts'
import { openStore } from '../src/store/open.ts'
import { indexedHeight } from '../src/store/query/evm/heights.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { placesPerBlock } from '../src/store/schema/sums.ts'
import { listServer, loaded, nameTokens } from './list-server.ts'

/** As in `growth.ts`. */
const transfersPerBlock = { rich: 54, plain: 200 }
const secondsOfCase = 2
const asked = 500

const kind = process.argv[3] === 'rich' ? 'rich' : 'plain'
const blocks = Math.ceil(Number(process.argv[2] ?? 1_000_000) / transfersPerBlock[kind])
const rounds = Number(process.argv[4] ?? 3)
const ways = ['tables', 'at-once'] as const
const absent = statement(
  'select pos from transfer_by_address where address_id = ? and standard = 20 order by pos desc limit 10',
  { over: 'newest' },
)
const hashesOfBlock = statement(
  'select hash from evm_transaction where pos >= ? and pos < ? order by pos',
  {
    over: 'oldest',
    within: { pos: [0, 1] },
  },
)
const bytesOf = {
  address: statement('select bytes from address where id between ? and ?', { over: 'tables' }),
  token: statement('select bytes from address where id in (select id from token limit ?)', {
    over: 'tables',
  }),
}

const none = async (): Promise<never> => {
  throw new Fault('not-served', 'no node here')
}
/** A node that answers at once: what is measured is ours. */
const state: StateReader = {
  balance: async () => 10n ** 18n,
  code: none,
  call: none,
  storage: none,
  tried: none,
  calls: async (questions) => questions.map(() => new Uint8Array(32).fill(1, 31)),
}

const folder = mkdtempSync(join(tmpdir(), 'firn-frozen-reads-'))
try {
  const stores = await Promise.all(ways.map(madeStore))
  const micros = new Map<string, number[][]>()
  for (let round = 0; round < rounds; round++)
    for (const [at, store] of stores.entries())
      for (const [name, cost] of await measured(store)) {
        const known = micros.get(name) ?? ways.map(() => [])
        known[at]?.push(cost)
        micros.set(name, known)
      }
  console.log(`${blocks} blocks, ${kind}; µs of processor, the least of ${rounds} rounds in turns`)
  console.log(`${''.padEnd(36)} ${['tables', 'frozen', 'ratio'].map(column).join(' ')}`)
  for (const [name, costs] of micros) {
    const [tables = 0, frozen = 0] = costs.map((each) => Math.min(...each))
    const figures = [tables.toFixed(0), frozen.toFixed(0), (frozen / tables).toFixed(2)]
    console.log(`${name.padEnd(36)} ${figures.map(column).join(' ')}`)
  }
  for (const store of stores) await store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function column(text: string): string {
  return text.padStart(8)
}

async function madeStore(way: (typeof ways)[number]): Promise<Database> {
  const dataDir = mkdtempSync(join(folder, way))
  const file = join(import.meta.dirname, 'growth-once.ts')
  execFileSync(process.execPath, [file, way, String(blocks), kind, 'off', dataDir])
  const frozen = { store: 'embedded', dataDir, freeze: {} }
  const location = way === 'tables' ? { store: 'embedded', dataDir } : frozen
  const writer = await openStore(location, 'growth', chainTables, 'write')
  await writer.transaction((changes) => changes.run(nameTokens))
  await writer.close()
  const store = await openStore(location, 'growth', chainTables, 'read')
  console.log(`${way}: ${(await readManifest(store)).segments.length} files of history`)
  return store
}

async function measured(store: Database): Promise<ReadonlyMap<string, number>> {
  const server = listServer({ store, state })
  const base = await server.listen('127.0.0.1', 0)
  const figures = new Map<string, number>()
  for (const [name, paths] of Object.entries(await requestsOf(store))) {
    const urls = paths.map((path) => new URL(path, `${base}/v1/chains/1/`))
    const { load, spent } = await loaded(urls, secondsOfCase)
    figures.set(name, (spent.user + spent.system) / load.requests)
  }
  await server.close()
  for (let round = 0; round < asked; round++) await store.all(absent, [1e9 + round])
  const before = process.threadCpuUsage()
  for (let round = 0; round < asked; round++) await store.all(absent, [1e8 + round])
  const { user, system } = process.threadCpuUsage(before)
  figures.set('an address that has nothing, no HTTP', (user + system) / asked)
  return figures
}

/** Paths of each case: the same of both stores, which hold the same chain. */
async function requestsOf(store: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const height = await indexedHeight(store, 'blocks')
  const half = Math.floor(height / 2)
  const texts = async (
    question: Statement<readonly [Uint8Array]>,
    parameters: number[],
  ): Promise<string[]> => (await store.all(question, parameters)).map(([bytes]) => to0x(bytes))
  const all = await texts(bytesOf.address, [1, 20_000])
  const addresses = all.filter((_, at) => at % 40 === 7)
  const busy = all.slice(10, 60)
  const tokens = await texts(bytesOf.token, [50])
  const hashes: string[] = []
  for (let at = 1; at < half; at += Math.ceil(half / asked))
    hashes.push(
      ...(await texts(hashesOfBlock, [at * placesPerBlock, (at + 1) * placesPerBlock])).slice(0, 1),
    )
  const lists = (of: readonly string[], size: number): string[] =>
    of.map(
      (each) =>
        `addresses/${each}/transactions:listErc20?endBlock=${half}&pageSize=${String(size)}`,
    )
  return {
    'list of ten of any address': lists(addresses, 10),
    'list of ten of a busy address': lists(busy, 10),
    'list of a hundred': lists(busy, 100),
    'transfers of a token': tokens.map(
      (each) => `tokens/${each}/transfers?endBlock=${half}&pageSize=10`,
    ),
    'a transaction by its hash': hashes.map((each) => `transactions/${each}`),
    'balances of an address': addresses.map(
      (each) => `addresses/${each}/balances:listErc20?blockNumber=${half}`,
    ),
    '100 holders of a token': tokens.map(
      (each) => `/v2/chains/1/contracts/${each}/balances?pageSize=100`,
    ),
  }
}
