/**
 * A host that serves a chain whose history lies in a bucket, and begins with an empty disk. `bucket.ts` starts it with the
 * folder of the store, the address of the bucket, and a folder for what it fetches. Prints figures as JSON.
 *
 * Paths are asked one after the other, each of another address, token or hash: nearly all of them need other pages.
 */

import { rmSync } from 'node:fs'

import { to0x } from '../src/core/bytes.ts'
import { Fault } from '../src/core/fault.ts'
import { statement } from '../src/store/engine/database.ts'
import { openStore } from '../src/store/open.ts'
import { indexedHeight } from '../src/store/query/evm/heights.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { placesPerBlock } from '../src/store/schema/sums.ts'
import { historyAt } from './bucket-history.ts'
import { listServer, loadOf } from './list-server.ts'

const [dataDir = '', url = '', cache = ''] = process.argv.slice(2)
const asked = 200
const warmSeconds = 3

const addressesQuestion = statement('select bytes from address where id > ? order by id limit ?')
const hashesQuestion = statement(
  'select hash from evm_transaction where pos >= ? and pos < ? order by pos',
  { over: 'oldest', within: { pos: [0, 1] } },
)
const none = async (): Promise<never> => {
  throw new Fault('not-served', 'no node here')
}
const state = {
  balance: async () => 10n ** 18n,
  code: none,
  call: none,
  storage: none,
  tried: none,
  calls: async (questions: readonly unknown[]) =>
    questions.map(() => new Uint8Array(32).fill(1, 31)),
}

const counted = new Map<string, number>()
const count = (what: string, by = 1): void => void counted.set(what, (counted.get(what) ?? 0) + by)
const of = (what: string): number => counted.get(what) ?? 0
const bucket = historyAt(url, cache, count)
const beganMs = performance.now()
const store = await openStore(
  { store: 'embedded', dataDir, freeze: {}, ...bucket },
  'growth',
  chainTables,
  'read',
)
const server = listServer({ store, state })
const base = `${await server.listen('127.0.0.1', 0)}/v1/chains/1`
const newest = await timed(`${base}/transactions?pageSize=10`)
const firstPageMs = performance.now() - beganMs

const height = await indexedHeight(store, 'blocks')
const addresses = (await store.all(addressesQuestion, [1_000, 4_000]))
  .filter((_, at) => at % 20 === 7)
  .map(([bytes]) => to0x(bytes))
const hashes: string[] = []
for (let at = 0; at < asked; at++) {
  const block = Math.floor((height / asked) * (0.2 + 0.6 * (at / asked)) * 1) + at
  const places = [block * placesPerBlock, (block + 1) * placesPerBlock]
  hashes.push(...(await store.all(hashesQuestion, places)).slice(0, 1).map(([hash]) => to0x(hash)))
}
// The hashes had to be read.
rmSync(cache, { recursive: true, force: true })
counted.clear()

const figures: Record<string, number> = { 'newest page, ms': newest, 'from start, ms': firstPageMs }
for (const [name, paths] of Object.entries({
  'ten of an address': addresses.map(
    (each) => `addresses/${each}/transactions:listErc20?pageSize=10`,
  ),
  'balances of an address': addresses.map((each) => `addresses/${each}/balances:listErc20`),
  'a transaction by its hash': hashes.map((each) => `transactions/${each}`),
})) {
  const times: number[] = []
  for (const path of paths) times.push(await timed(`${base}/${path}`))
  const inOrder = times.toSorted((a, b) => a - b)
  figures[`${name}, cold: half within, ms`] = inOrder[Math.floor(times.length / 2)] ?? 0
  figures[`${name}, cold: 99 of 100 within, ms`] = inOrder[Math.floor(times.length * 0.99)] ?? 0
  figures[`${name}: files fetched`] = of('fetched')
  figures[`${name}: MB fetched`] = of('received') / 1e6
  figures[`${name}: requests to the bucket`] = of('answered') + of('fetched')
  counted.clear()
  const urls = paths.map((path) => new URL(`${base}/${path}`))
  const { requests, latencies } = await loadOf(urls, warmSeconds, () => undefined)
  figures[`${name}, warm: requests a second`] = requests / warmSeconds
  figures[`${name}, warm: 99 of 100 within, ms`] =
    latencies.toSorted()[Math.floor(latencies.length * 0.99)] ?? 0
}
await server.close()
await store.close()
process.stdout.write(JSON.stringify(figures))

/** Milliseconds until an answer of 200. */
async function timed(path: string): Promise<number> {
  const began = performance.now()
  const reply = await fetch(path)
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`)
  return performance.now() - began
}
