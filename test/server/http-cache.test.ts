/** Caching of answers: for ever only where they never change, the rest by its ETag. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get as httpGet, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

import { createRichAddressBooks } from '../../src/api/evm/rich-addresses.ts'
import type { ServedChain } from '../../src/api/operation/chain-directory.ts'
import type { Operation } from '../../src/api/operation/operation.ts'
import { evmOperations } from '../../src/api/operations.ts'
import { type PriceSource, noTokenNotes } from '../../src/api/prices/token-lists.ts'
import { evmDialectRules } from '../../src/api/server/dialect.ts'
import { corsPolicy } from '../../src/api/server/front/cors.ts'
import { type ApiServer, createServer } from '../../src/api/server/server.ts'
import type { BlockBatch } from '../../src/codec/evm/columns/columns.ts'
import { decodeBlocks } from '../../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../../src/codec/evm/decode-traces.ts'
import type { RawUnit } from '../../src/codec/evm/raw.ts'
import { EvmIngest } from '../../src/indexing/evm/run/evm-ingest.ts'
import { createStateReader } from '../../src/service/stores/state-reader.ts'
import { openRecording } from '../../src/source/recorded/recording.ts'
import { statement } from '../../src/store/engine/database.ts'
import { takeLease } from '../../src/store/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { chainTables } from '../../src/store/schema/stores.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { partsOf } from '../support/services/evm-context.ts'
import { demoFacts, rawChain, stillClock } from '../support/stores/demo-store.ts'

const file = readFileSync(join(import.meta.dirname, '../../demo/chain-51002.firnrec'))
const recording = openRecording(file)
const facts = demoFacts(51002, recording)
const { until } = recording.heights
const half = until >> 1
const { signal } = new AbortController()
const folder = mkdtempSync(join(tmpdir(), 'firn-cache-'))
const store = await openStore({ store: 'embedded', dataDir: folder }, 'chain', chainTables, 'write')
const lease = await takeLease(store, 'test', stillClock)
assert.ok(lease !== undefined)
const ingest = new EvmIngest({ database: store, lease, clock: stillClock })
async function readBlocks(from: number, to: number): Promise<void> {
  const decode = (raw: readonly RawUnit[]): BlockBatch => decodeBlocks(from, raw, zstdCompressSync)
  await ingest.blocks(await recording.blocks({ from, until: to }, decode, signal))
}
await readBlocks(0, half)

const served: ServedChain = {
  facts,
  store,
  state: createStateReader(recording),
  wantsTraces: true,
  isFollowed: () => true,
}
/** Prices that come later. */
let arePriced = false
const prices: PriceSource = {
  offered: true,
  current: async ({ of }) => of.map(() => (arePriced ? '2' : undefined)),
  historical: async ({ of }) => of.map(() => (arePriced ? '2' : undefined)),
}
const serve = async (): Promise<{ server: ApiServer; url: string }> => {
  // Books of their own: earlier requests are not remembered.
  const addressBooks = createRichAddressBooks(stillClock, noTokenNotes)
  const server = createServer({
    operations: Object.values<Operation>(
      evmOperations({ ...partsOf([served], stillClock), prices, addressBooks }),
    ),
    dialectRules: evmDialectRules,
    dialect: 'auto',
    web: { allowedHosts: ['*'], cors: corsPolicy(['https://app.example'], '127.0.0.1') },
    log: silentLog,
    clock: stillClock,
    limits: { maxConnections: 10, requestTimeoutMs: 10_000, handlerTimeoutMs: 10_000 },
  })
  return { server, url: await server.listen('127.0.0.1', 0) }
}
after(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

type Reply = {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly body: string
}

/** Asks without headers of a client's own, and leaves the body as it came. */
function get(url: string, path: string, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    httpGet(url + path, { headers }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const { statusCode: status, headers: received } = reply
        resolve({ status, headers: received, bytes, body: bytes.toString() })
      })
    }).on('error', reject)
  })
}

/**
 * Blocks, transactions, addresses and tokens of the first half, by every path that has them.
 */
function everyPath(): string[] {
  const chain = '/v1/chains/51002'
  const early = rawChain(51002).slice(half - 30, half)
  const blocks = early.flatMap(({ block }) => [
    `${chain}/blocks/${Number(block.number)}`,
    `${chain}/blocks/${block.hash}`,
    `${chain}/blocks/${Number(block.number)}/transactions`,
  ])
  const transactions = early.flatMap(({ block }) =>
    block.transactions.map(({ hash }) => `${chain}/transactions/${hash}`),
  )
  const addresses = new Set(
    early.flatMap(({ block }) => block.transactions.flatMap(({ from, to }) => [from, to ?? from])),
  )
  const lists = [...addresses]
    .slice(0, 20)
    .flatMap((address) => [
      `${chain}/addresses/${address}/transactions`,
      `${chain}/addresses/${address}/transactions:listErc20`,
      `${chain}/addresses/${address}/transactions:listInternals`,
      `${chain}/addresses/${address}/balances:listErc20`,
      `${chain}/addresses/${address}`,
    ])
  return [...blocks, ...transactions.slice(0, 40), ...lists, chain, '/v1/chains', `${chain}/blocks`]
}

void test('HTTP cache: immutable answers are the same after new blocks, traces, prices and names', async () => {
  const first = await serve()
  const kept = new Map<string, string>()
  const tags = new Map<string, { readonly tag: string; readonly body: string }>()
  const paths = everyPath()
  for (const path of paths) {
    const { status, headers, body } = await get(first.url, path)
    if (status !== 200) continue
    const control = headers['cache-control'] ?? ''
    if (/immutable/.test(control)) kept.set(path, body)
    else assert.equal(control, 'no-cache', path)
    tags.set(path, { tag: headers['etag'] ?? '', body })
  }
  await first.server.close()
  assert.ok(kept.size >= 60, `blocks by number and hash: ${kept.size}`)
  for (const path of kept.keys()) assert.match(path, /\/blocks\/(\d+|0x[0-9a-f]{64})$/)

  await readBlocks(half, until)
  await ingest.traces(
    await recording.traces({ from: 0, until }, (raw) => decodeTraces(0, raw), signal),
  )
  await store.transaction((writer) =>
    writer.run(
      statement(
        `update token set name = 'Named', symbol = 'NMD', decimals = 3, metadata_height = 9`,
        {
          unsummed: true,
        },
      ),
    ),
  )
  arePriced = true

  const second = await serve()
  let changed = 0
  for (const path of paths) {
    const { tag, body } = tags.get(path) ?? {}
    if (tag === undefined) continue
    const plain = await get(second.url, path)
    if (kept.has(path)) assert.equal(plain.body, kept.get(path), path)
    const again = await get(second.url, path, { 'if-none-match': `"other", ${tag}` })
    assert.equal(again.status, plain.body === body ? 304 : 200, path)
    if (plain.body === body) assert.equal(again.body, '')
    else changed++
  }
  assert.ok(changed > 40, `the world changed: ${changed}`)
  await second.server.close()
})

void test('HTTP cache: answers to a key, answers by an alias and errors are revalidated', async () => {
  const { server, url } = await serve()
  const block = '/v1/chains/51002/blocks/1'
  const control = async (path: string, headers = {}): Promise<string | undefined> =>
    (await get(url, path, headers)).headers['cache-control']
  assert.equal(await control(block), 'public, max-age=31536000, immutable')
  for (const headers of [{ 'x-service-api-key': 'k' }, { 'x-glacier-api-key': 'k' }])
    assert.equal(await control(block, headers), 'private, no-cache')
  assert.equal(await control(`${block}?rltoken=k`), 'private, no-cache')
  assert.equal(await control('/v1/chains/51002/blocks/99999'), 'no-cache')
  assert.equal(await control('/v1/nowhere'), 'no-cache')
  assert.equal(
    (await get(url, '/v1/chains/51002/blocks/99999', { 'if-none-match': '*' })).status,
    404,
  )
  await server.close()
})

void test('HTTP cache: an answer varies by what it depends on, and by nothing else', async () => {
  const { server, url } = await serve()
  const varies = async (path: string, headers = {}): Promise<string[]> => {
    const { vary = '' } = (await get(url, path, headers)).headers
    return vary.split(', ').toSorted()
  }
  const own = ['accept-encoding', 'origin']
  assert.deepEqual(await varies('/v1/chains/51002/blocks/1'), own)
  assert.deepEqual(await varies('/v1/chains/51002/blocks'), ['accept', ...own])
  const balances = `/v1/chains/51002/addresses/0x${'0'.repeat(40)}/transactions:listErc20`
  assert.deepEqual(await varies(balances), ['accept', ...own, 'user-agent', 'x-firn-dialect'])
  await server.close()
})

void test('HTTP cache: answers are compressed for who asks, from a size on', async () => {
  const { server, url } = await serve()
  const list = '/v1/chains/51002/blocks?pageSize=100'
  const plain = await get(url, list)
  assert.equal(plain.headers['content-encoding'], undefined)
  const readers = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }
  for (const [encoding, read] of Object.entries(readers)) {
    const { headers, bytes } = await get(url, list, { 'accept-encoding': encoding })
    assert.equal(headers['content-encoding'], encoding)
    assert.equal(headers['etag'], plain.headers['etag'])
    assert.equal(Number(headers['content-length']), bytes.length)
    assert.ok(bytes.length < plain.body.length / 2, `${encoding} ${bytes.length}`)
    assert.equal(read(bytes).toString(), plain.body)
  }
  for (const [accept, encoding] of [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['*', 'zstd'],
    ['zstd;q=0, *;q=0.5', 'br'],
    ['identity, gzip;q=0.5', undefined],
    ['deflate', undefined],
    ['', undefined],
  ] as const) {
    const { headers } = await get(url, list, { 'accept-encoding': accept })
    assert.equal(headers['content-encoding'], encoding, accept)
  }
  const small = await get(url, '/v1/chains/51002/blocks/1', { 'accept-encoding': 'gzip' })
  assert.equal(small.headers['content-encoding'], undefined, `${small.body.length} bytes`)
  await server.close()
})
