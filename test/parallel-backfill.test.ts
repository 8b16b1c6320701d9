/**
 * A backfill in real threads, from a node over a socket: its store, in tables and in segments that threads
 * make, is that of one thread.
 */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { ChainText, usualShape } from '../bench/evm-chain.ts'
import { entryFile } from '../src/core/installation.ts'
import { createIndexer } from '../src/indexing/run/indexer.ts'
import { type FreezeSettings, openStore } from '../src/store/open.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { createGauges } from '../src/telemetry/gauges.ts'
import { createLogs } from '../src/telemetry/log-registry.ts'
import { createThreads } from '../src/telemetry/thread.ts'
import { createWaits } from '../src/telemetry/waits.ts'
import { segmentsOf } from './freeze-store.ts'
import { storeDigest } from './store-digest.ts'
import { systemClock } from './system-clock.ts'

const blocks = 1_500
/** Each batch becomes a segment. */
const freeze = { firn: 'test', rowsAtOnce: 1 }
const folder = mkdtempSync(join(tmpdir(), 'firn-parallel-'))
const ending: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })]
after(() => ending.toReversed().forEach((end) => end()))

/** Rows that streams beside the blocks change too, and those that say when and by whom. */
const unequal = new Set(['lease', 'checkpoint', 'meta', 'range_sum', 'token'])

void test('three threads read a backfill: each some of it, and all of it is there', async () => {
  const url = await startNode()
  const alone = await backfill(url, { workers: 1 })
  assert.deepEqual(alone.threads, ['writer', 'decoder'])
  assert.equal(alone.segments, 0)
  const frozen = await backfill(url, { workers: 3, freeze })
  assert.ok(frozen.segments > 1, `segments: ${frozen.segments}`)
  assert.deepEqual(frozen.digest, alone.digest)
  const together = await backfill(url, { workers: 3 })
  assert.deepEqual(together.threads.toSorted(), [
    'decoder',
    'range-reader 1',
    'range-reader 2',
    'writer',
  ])
  assert.deepEqual(together.digest, alone.digest)
  assert.match(alone.digest['block'] ?? '', new RegExp(`^${blocks} rows`))
})

/** Indexes the chain at `url` until it is live. */
async function backfill(
  url: string,
  { workers, freeze: froze }: { readonly workers: number; readonly freeze?: FreezeSettings },
): Promise<{
  readonly threads: readonly string[]
  readonly segments: number
  readonly digest: Readonly<Record<string, string>>
}> {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const store = { store: 'embedded', dataDir, ...(froze === undefined ? {} : { freeze: froze }) }
  const key = 'fuji-made-up'
  const logs = createLogs({
    now: systemClock.now,
    display: undefined,
    format: 'json',
    directory: undefined,
    logLevel: 'OFF',
    displayLevel: 'OFF',
  })
  const waits = createWaits(systemClock.monotonic, () => undefined)
  const threads = createThreads({ logs, waits, clock: systemClock })
  const names: string[] = []
  const live = Promise.withResolvers<void>()
  const indexer = createIndexer({
    chains: [
      {
        key,
        network: 'fuji',
        name: '',
        symbol: '',
        rpcUrls: [url],
        traces: 'off',
        startHeight: 0,
        wrappedTokens: [],
        icmContracts: [],
      },
    ],
    streams: [],
    store,
    shares: { decoder: { read: 1, write: 1 }, writer: { read: 1, write: 1 } },
    limits: {
      timeoutMs: 30_000,
      traceTimeoutMs: 60_000,
      maxInFlight: 16,
      maxReplyBytes: 33_554_432,
      bufferBytes: 33_554_432,
      checkEvery: 1,
    },
    workers,
    owner: 'test',
    keepEventsMs: 0,
    worldModule: entryFile('world/world').href,
    clock: systemClock,
    threads: {
      ...threads,
      open: (name) => {
        names.push(name)
        return threads.open(name)
      },
    },
    gauges: createGauges(),
    log: logs.log,
    told: ({ stages }) => {
      const stage = stages.find((each) => each.stage === 'blocks')
      if (stage?.state === 'live' && stage.indexedHeight === blocks - 1) live.resolve()
    },
    failed: live.reject,
  })
  indexer.start()
  try {
    await live.promise
  } finally {
    await indexer.stop()
  }
  const written = await openStore(store, key, chainTables, 'read')
  try {
    const tables = chainTables.filter(({ name }) => !unequal.has(name))
    const segments = (await segmentsOf(written)).length
    return { threads: names, segments, digest: await storeDigest(written, tables) }
  } finally {
    await written.close()
  }
}

/** A process that serves a made-up chain. */
async function startNode(): Promise<string> {
  const path = join(folder, 'chain.ndjson')
  const chain = new ChainText({ ...usualShape, blocks, txsPerBlock: 2, holders: 60, tokens: 5 })
  let text = ''
  for (let block = chain.next(); block !== undefined; block = chain.next()) text += `${block}\n`
  writeFileSync(path, text)
  const script = join(import.meta.dirname, '../bench/backfill-node.ts')
  const node = spawn(process.execPath, [script, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  ending.push(() => node.kill())
  const [port] = await once(node.stdout, 'data')
  return `http://127.0.0.1:${Number(String(port))}`
}
