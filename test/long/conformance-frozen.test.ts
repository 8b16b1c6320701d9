/**
 * History in segments gives the bytes that history in tables gives: all of it frozen, half of it, in
 * many segments and in one, on both engines.
 */

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { segmentsToMerge } from '../../src/store/history/merge-segments.ts'
import type { BucketHistory } from '../../src/store/history/segment-cache.ts'
import {
  busiest,
  expectedInternals,
  expectedTransactions,
  expectedTransfers,
} from '../conformance/evm/replay.ts'
import { evmService, type EvmService } from '../support/services/evm-service.ts'
import { mergeAll, segmentsOf } from '../support/stores/freeze-store.ts'
import { bucketOf, startStorage } from '../support/stores/object-storage.ts'

const chain = 51002

const fetches = new Map<string, number>()
const hot = await evmService({ chains: [chain], frozen: [] })
const blocks = Number((await hot.get(`/v1/chains/${chain}/blocks`)).body.blocks[0].blockNumber) + 1
const many = Array.from({ length: 12 }, (_, at) => Math.floor((blocks * (at + 1)) / 12))
const frozen: Readonly<Record<string, EvmService>> = {
  'all in twelve': await evmService({ chains: [chain], frozen: many }),
  'all in twelve, then merged': await evmService({ chains: [chain], frozen: many }),
  'half in one': await evmService({ chains: [chain], frozen: [Math.floor(blocks / 2)] }),
  'most in eight, on PostgreSQL': await evmService({
    chains: [chain],
    engine: 'postgres',
    frozen: many.slice(0, 8),
  }),
  'all in twelve, from a bucket into room for less': await evmService({
    chains: [chain],
    frozen: many,
    bucket: inBucket,
  }),
  'most in eight, on PostgreSQL, from a bucket': await evmService({
    chains: [chain],
    engine: 'postgres',
    frozen: many.slice(0, 8),
    bucket: inBucket,
  }),
}

const merged = frozen['all in twelve, then merged']?.chains[0]
assert.ok(merged !== undefined)
await mergeAll(merged.store, (segments) => segmentsToMerge(segments).slice(0, 8))
assert.equal((await segmentsOf(merged.store)).length, 5)

const transfers = expectedTransfers(chain)
const people = busiest(transfers.flatMap(({ from, to }) => [from, to])).slice(0, 2)
const tokens = busiest(transfers.map(({ token }) => token)).slice(0, 4)
const hashes = expectedTransactions(chain).filter((_, at) => at % 211 === 0)
const created = expectedInternals(chain).filter(({ type }) => type === 'CREATE2')
const lists = people.flatMap((address) => {
  const base = `/v1/chains/${chain}/addresses/${address}`
  return [
    `${base}/transactions:listErc20?pageSize=9`,
    `${base}/transactions:listErc721?endBlock=100`,
    `${base}/transactions:listErc1155?startBlock=50`,
    `${base}/transactions:listInternals`,
    `${base}/transactions:listNative?pageSize=25`,
    `${base}/transactions`,
    `${base}/transactions?sortOrder=asc&startBlock=60`,
    `${base}/contracts:listDeployments`,
    `${base}/balances:listErc20?filterSpamTokens=false&pageSize=4`,
    `${base}/balances:listErc20?filterSpamTokens=false&blockNumber=40`,
    `${base}/balances:listErc20?filterSpamTokens=false&blockNumber=${Math.floor(blocks / 2)}`,
    `/v1/address/${address}/chains`,
  ]
})
const paths = [
  ...lists,
  ...tokens.map((address) => `/v1/chains/${chain}/tokens/${address}/transfers?pageSize=30`),
  ...tokens.map((address) => `/v1/chains/${chain}/addresses/${address}`),
  ...tokens.map((address) => `/v2/chains/${chain}/contracts/${address}/balances?pageSize=4`),
  ...hashes.map(({ txHash }) => `/v1/chains/${chain}/transactions/${txHash}`),
  ...created.map(({ to }) => `/v1/chains/${chain}/contracts/${to}/transactions:getDeployment`),
  ...created.slice(0, 2).map(({ from }) => `/v1/chains/${chain}/contracts/${from}/deployments`),
  `/v1/chains/${chain}/transactions?pageSize=100`,
  `/v1/chains/${chain}/transactions?status=failed`,
  `/v1/chains/${chain}/transactions?status=success`,
  `/v1/chains/${chain}/blocks?pageSize=70`,
  `/v1/chains/${chain}/blocks/0`,
  `/v1/chains/${chain}/blocks/1`,
  `/v1/chains/${chain}/blocks/${Math.floor(blocks / 2)}`,
  `/v1/chains/${chain}/blocks/${Math.floor(blocks / 2) - 1}`,
  `/v1/chains/${chain}/blocks/100/transactions?pageSize=5`,
  '/v1/transactions',
  '/v1/blocks',
]

/** Answers of tables, requested once for all segments. */
const answers = new Map<string, ReturnType<EvmService['get']>>()

function ofTables(path: string): ReturnType<EvmService['get']> {
  const known = answers.get(path)
  if (known !== undefined) return known
  const answer = hot.get(path)
  answers.set(path, answer)
  return answer
}

for (const [name, service] of Object.entries(frozen)) {
  void test(`frozen: ${name}, every page is that of tables`, async () => {
    const [served] = service.chains
    assert.ok(served !== undefined)
    assert.ok((await segmentsOf(served.store)).length > 0, 'history is frozen')
    let pages = 0
    for (const path of paths) {
      let next: string | undefined = path
      for (let page = 0; next !== undefined && page < 4; page++) {
        const own = await ofTables(next)
        const other = await service.get(next)
        assert.deepEqual([other.status, other.body], [own.status, own.body], next)
        pages += own.status === 200 ? 1 : 0
        const token: string | undefined = own.body.nextPageToken
        next =
          token === undefined
            ? undefined
            : `${path}${path.includes('?') ? '&' : '?'}pageToken=${token}`
      }
    }
    assert.ok(pages > 60, `only ${pages} pages were compared`)
  })
}

void test('frozen: segments were fetched when they were needed, and removed to make room', () => {
  const { fetched = 0, removed = 0, missed = 0 } = Object.fromEntries(fetches)
  assert.ok(fetched > 20, `fetched ${fetched}`)
  assert.ok(removed > 8, `removed ${removed}`)
  assert.equal(missed, 0)
})

/** A bucket with the segments of a folder, and room on this disk for a few of them. */
async function inBucket(files: string): Promise<BucketHistory> {
  const storage = await startStorage()
  after(storage.close)
  for (const file of await readdir(files, { recursive: true })) {
    if (!file.includes('/')) continue
    const bytes = await readFile(join(files, file))
    storage.files.set(`firn/${file}`, { bytes, storedMs: 0 })
  }
  const count = (what: string): void => void fetches.set(what, (fetches.get(what) ?? 0) + 1)
  return bucketOf(storage, { folder: join(files, '..', 'cache'), maxBytes: 300_000, count })
}
