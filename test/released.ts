/**
 * Things that a version of Firn leaves on disks, on servers and with callers: small stores of both
 * engines, the tables of every kind of store, a recording, page tokens.
 *
 *     node test/released.ts 0.1.0
 *
 * writes them to `vectors/releases/0.1.0`, once, at the release; they are never written again, and
 * `releases.test.ts` opens them for ever. It needs `pg_dump` in PATH.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

import pg from 'pg'

import { createChainDirectory } from '../src/api/operation/chain-directory.ts'
import { decodeBlocks } from '../src/codec/evm/decode-blocks.ts'
import { decodeTraces } from '../src/codec/evm/decode-traces.ts'
import { EvmIngest } from '../src/indexing/evm/run/evm-ingest.ts'
import { openRollup } from '../src/rollup/chain-rollup.ts'
import { recordChain } from '../src/source/record-chain.ts'
import { openRecording, type Recording } from '../src/source/recording.ts'
import { checkpointHeights } from '../src/store/checkpoint.ts'
import type { Database } from '../src/store/engine/database.ts'
import { takeLease } from '../src/store/lease.ts'
import { openStore, type StoreLocation } from '../src/store/open.ts'
import { chainTables } from '../src/store/schema/stores.ts'
import { silentLog } from '../src/telemetry/log.ts'
import { demoFacts, rawChain, stateReader, stillClock } from './demo-store.ts'
import { type EvmService, type Json, startEvmService } from './evm-service.ts'
import { startPostgres } from './postgres.ts'
import { indexPrimary } from './primary-service.ts'
import { presentSchema } from './stored-schema.ts'

/** A caller in the middle of a list: the token that was given, and what it leads to. */
export type KeptPage = { readonly path: string; readonly token: string; readonly next: Json }

/** Where everything of a version lies. */
export const releasesFolder = join(import.meta.dirname, '../vectors/releases')

/** The primary network of the stores. */
export const keptNetwork = join(import.meta.dirname, '../vectors/primary/local-evictions.firnrec')

/** Blocks in the kept store of a chain, and in its recording. */
export const keptBlocks = 25

const chainId = 51_002
const { signal } = new AbortController()

/** The whole chain that the kept store has the beginning of. */
export function wholeChain(): Recording {
  return openRecording(readFileSync(join(import.meta.dirname, `../demo/chain-${chainId}.firnrec`)))
}

/** Reads `recording` into the store `chain`, from wherever that is on, up to `until`. */
export async function readOn(
  location: StoreLocation,
  recording: Recording,
  until: number,
): Promise<void> {
  const database = await openStore(location, 'chain', chainTables, 'write')
  const lease = await takeLease(database, 'test', stillClock)
  if (lease === undefined) throw new Error('nobody else writes this store')
  const ingest = new EvmIngest({ database, lease, clock: stillClock, openRollup })
  const heights = await checkpointHeights(database)
  const from = (heights.get('blocks') ?? -1) + 1
  const range = { from, until }
  await ingest.blocks(
    await recording.blocks(range, (raw) => decodeBlocks(from, raw, zstdCompressSync), signal),
  )
  await ingest.traces(await recording.traces(range, (raw) => decodeTraces(from, raw), signal))
  await database.close()
}

/** Serves the store `chain` of a folder. */
export async function serveKept(store: Database): Promise<EvmService> {
  const recording = wholeChain()
  const chain = {
    facts: demoFacts(chainId, recording),
    store,
    state: stateReader(recording),
    wantsTraces: true,
    isFollowed: (): boolean => true,
  }
  return startEvmService({ chains: [], parts: { chains: createChainDirectory(() => [chain]) } })
}

/** A file of a version, as it was before it was packed. */
export function keptFile(version: string, name: string): Uint8Array {
  return zstdDecompressSync(readFileSync(join(releasesFolder, version, `${name}.zst`)))
}

/** Fills an empty database with the stores that a version left on PostgreSQL. */
export async function restoreKept(version: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(Buffer.from(keptFile(version, 'postgres.sql')).toString())
  await client.end()
}

async function keep(version: string): Promise<void> {
  const to = join(releasesFolder, version)
  mkdirSync(to)
  const folder = mkdtempSync(join(tmpdir(), 'firn-release-'))
  const pack = (name: string, bytes: Uint8Array): void =>
    writeFileSync(join(to, `${name}.zst`), zstdCompressSync(bytes))
  const location = { store: 'embedded', dataDir: folder }
  await readOn(location, wholeChain(), keptBlocks)
  const store = await openStore(location, 'chain', chainTables, 'read')
  pack('pages.json', Buffer.from(JSON.stringify(await pagesOf(store))))
  await store.close()
  await (await indexPrimary(location, { recording: keptNetwork })).close()
  for (const name of ['chain.sqlite', 'primary-fuji.sqlite']) {
    fold(join(folder, name))
    pack(name, readFileSync(join(folder, name)))
  }
  pack('postgres.sql', await dumpedStores())
  pack('chain.firnrec', await shortRecording())
  writeFileSync(join(to, 'schema.json'), `${JSON.stringify(presentSchema(), undefined, 2)}\n`)
  rmSync(folder, { recursive: true })
}

/** The same stores on PostgreSQL, as statements that any later PostgreSQL understands. */
async function dumpedStores(): Promise<Uint8Array> {
  const server = await startPostgres()
  const location = { store: server.url, dataDir: '' }
  await readOn(location, wholeChain(), keptBlocks)
  await (await indexPrimary(location, { recording: keptNetwork })).close()
  const words = ['--no-owner', '--rows-per-insert=500', '--schema=firn_*', server.url]
  const dump = execFileSync('pg_dump', words, { encoding: 'utf8', maxBuffer: 2 ** 28 })
  await server.stop()
  // Settings of the session and orders to psql differ between versions of PostgreSQL.
  const lines = dump.split('\n').filter((line) => !/^(SET |--|\\|$)/.test(line))
  return Buffer.from(lines.join('\n'))
}

/** Moves the log of a store into its file, as its last writer does when it ends. */
function fold(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

/** Callers in the middle of every kind of list. */
async function pagesOf(store: Database): Promise<KeptPage[]> {
  const service = await serveKept(store)
  const sender = rawChain(chainId)[1]?.block.transactions[0]?.from ?? ''
  const lists = ['listErc20', 'listNative', 'listInternals'].map(
    (verb) => `/v1/chains/${chainId}/addresses/${sender}/transactions:${verb}?pageSize=1`,
  )
  const pages: KeptPage[] = []
  for (const path of [...lists, `/v1/chains/${chainId}/blocks?pageSize=7`]) {
    const token: string | undefined = (await service.get(path)).body.nextPageToken
    if (token === undefined) continue
    const { body } = await service.get(`${path}&pageToken=${token}`)
    pages.push({ path, token, next: body })
  }
  await service.close()
  return pages
}

/** The kept part of the chain as a recording. */
async function shortRecording(): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  await recordChain({
    source: wholeChain(),
    name: 'Kept',
    symbol: 'KEEP',
    until: keptBlocks,
    level: 19,
    write: async (bytes) => void parts.push(bytes),
    log: silentLog,
    signal,
  })
  return Buffer.concat(parts)
}

const [, script = '', version] = process.argv
if (script === import.meta.filename && version !== undefined) await keep(version)
