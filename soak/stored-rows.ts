/** What is handed on by a reader, written to a store of either engine and read as one hash a table. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import pg from 'pg'

import type { BlockBatch, TraceBatch } from '../src/codec/evm/columns/columns.ts'
import { EvmIngest } from '../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../src/rollup/chain-rollup.ts'
import { takeLease } from '../src/store/lease.ts'
import { openStore, type StoreLocation } from '../src/store/open.ts'
import { namespaceOf } from '../src/store/postgres/names.ts'
import { evmTables } from '../src/store/schema/evm.ts'
import { metricsTables } from '../src/store/schema/metrics.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { systemClock } from '../test/support/processes/system-clock.ts'
import { createDatabase, startPostgres } from '../test/support/stores/postgres.ts'
import { storeDigest } from '../test/support/stores/store-digest.ts'

/** Rows of one chain. */
export type Rows = { readonly blocks: BlockBatch; readonly traces: TraceBatch }

/** Both engines, until they are closed. */
export type Engines = {
  /** Hashes of the tables that `rows` become, by engine and table. The store is removed again. */
  readonly digests: (rows: Rows) => Promise<Readonly<Record<string, unknown>>>
  readonly close: () => Promise<void>
}

/** Starts a PostgreSQL and makes a folder for files. */
export async function openEngines(): Promise<Engines> {
  const server = await startPostgres()
  const url = await createDatabase(server.url, 'soak')
  const dataDir = await mkdtemp(join(tmpdir(), 'firn-soak-'))
  let count = 0
  return {
    digests: async (rows) => {
      const name = `soak-${++count}`
      const sqlite = await stored({ store: 'embedded', dataDir }, name, rows)
      for (const suffix of ['', '-wal', '-shm', '-claim'])
        await rm(join(dataDir, `${name}.sqlite${suffix}`), { force: true })
      const postgres = await stored({ store: url, dataDir: '' }, name, rows)
      await dropNamespace(url, name)
      return { sqlite, postgres }
    },
    close: async () => {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function stored(
  location: StoreLocation,
  name: string,
  { blocks, traces }: Rows,
): Promise<Record<string, string>> {
  const database = await openStore(location, name, chainTables, 'write')
  try {
    const lease = await takeLease(database, 'soak', systemClock)
    if (lease === undefined) throw new Error("a new store is nobody else's")
    const ingest = new EvmIngest({ database, lease, clock: systemClock, openRollup })
    await ingest.blocks(blocks)
    await ingest.traces(traces)
    return await storeDigest(database, [...evmTables, ...metricsTables])
  } finally {
    await database.close()
  }
}

async function dropNamespace(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`drop schema "${namespaceOf(name)}" cascade`)
  await client.end()
}
