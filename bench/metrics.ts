/**
 * Metrics: how long a page takes over five years of a busy chain, and what counting costs ingest.
 *
 * `node bench/metrics.ts`. Pages: goal 10 ms. Ingest: a made-up chain of the C-Chain's shape, with
 * and without counting, in turns; goal 3 % at most.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

import { seriesPage } from '../src/api/metrics/series.ts'
import { AddressUnion } from '../src/rollup/address-union.ts'
import { openStore } from '../src/store/open.ts'
import { rollup, rollupDay } from '../src/store/schema/metrics.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { openWorld } from '../src/world/world.ts'
import { ingestShare } from './metrics-ingest.ts'

const folder = mkdtempSync(join(tmpdir(), 'firn-bench-'))
const location = { store: 'embedded', dataDir: folder }
const { clock } = openWorld()

await pages()
rmSync(folder, { recursive: true, force: true })
await ingestShare({ blocks: 4_000, rounds: 12 }, clock)

async function pages(): Promise<void> {
  const store = await openStore(location, 'pages', chainTables, 'write')
  const years = 5
  const end = Date.UTC(2026, 0, 1) / 1_000
  const hours = Array.from({ length: years * 8_760 }, (_, at) => end - (years * 8_760 - at) * 3_600)
  const days = hours.filter((start) => start % 86_400 === 0)
  const bytes = days.map(() => Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8))
  await store.transaction(async (writer) => {
    for (const [unit, starts] of [
      [0, hours],
      [1, days],
    ] as const) {
      await writer.insert(rollup, {
        unit: starts.map(() => unit),
        start: starts,
        tx_count: starts.map((_, at) => at),
        gas_used: starts.map((_, at) => at * 1e6),
        active_addresses: starts.map((_, at) => at),
        active_senders: starts.map((_, at) => at),
      })
    }
    await writer.insert(rollupDay, {
      start: days,
      last_ms: days.map((start) => (start + 86_399) * 1_000),
      price_sum: bytes,
      price_max: bytes,
      fees: bytes,
      top_tx: days.map(() => 100),
      top_tx_ms: days.map(() => 1_000),
      top_gas: days.map(() => 100),
      top_gas_ms: days.map(() => 1_000),
      new_addresses: days.map(() => 10),
    })
  })
  const chains = [{ key: 'pages', store, deploySource: 1 as const }]
  const union = new AddressUnion()
  for (const [name, request] of [
    [
      'five years of days, cumulativeAddresses',
      { metric: 'cumulativeAddresses', unit: 'day', limit: 2_160 },
    ],
    ['five years of days, avgGasPrice', { metric: 'avgGasPrice', unit: 'day', limit: 2_160 }],
    ['2,160 hours, activeAddresses', { metric: 'activeAddresses', unit: 'hour', limit: 2_160 }],
  ] as const) {
    const times: number[] = []
    for (let round = 0; round < 50; round++) {
      const began = performance.now()
      await seriesPage({ chains, ...request }, union)
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    console.log(`${name}: p50 ${times[25]?.toFixed(2)} ms, p99 ${times[49]?.toFixed(2)} ms`)
  }
  await store.close()
}
