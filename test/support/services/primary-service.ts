/**
 * The primary network's operations served over HTTP, from the recorded local network.
 *
 * Every 200 body is held against the shape of its operation before it is sent. Time stands at the
 * moment of recording, so that locks are as the recorded node saw them.
 */

import { readFileSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { after } from 'node:test'

import { Compile } from 'typebox/compile'

import { createChainDirectory } from '../../../src/api/operation/chain-directory.ts'
import type { Operation } from '../../../src/api/operation/operation.ts'
import { primaryOperations } from '../../../src/api/operations.ts'
import { noPrices } from '../../../src/api/prices/token-lists.ts'
import { getAvaxSupply } from '../../../src/api/primary/network/get-avax-supply.ts'
import {
  createNetworkDirectory,
  type ServedNetwork,
  openNetwork,
  type PrimaryContext,
} from '../../../src/api/primary/network/networks.ts'
import { primaryDialectRules } from '../../../src/api/server/dialect.ts'
import { createFreshChains } from '../../../src/api/server/read-position.ts'
import { createServer } from '../../../src/api/server/server.ts'
import type { Clock, World } from '../../../src/core/world.ts'
import { openPrimaryHost } from '../../../src/indexing/primary/run/host.ts'
import { storedNetwork } from '../../../src/indexing/primary/run/open-peers.ts'
import { openPrimarySource } from '../../../src/indexing/primary/run/open-source.ts'
import { primaryStreams } from '../../../src/indexing/primary/run/stream.ts'
import type { PrimarySource } from '../../../src/source/primary/primary-source.ts'
import type { Database } from '../../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import { primaryStoreTables } from '../../../src/store/schema/stores.ts'
import { type Log, silentLog } from '../../../src/telemetry/log.ts'
import { holdToDocument } from '../nodes/answer-book.ts'
import { answersIn, type RecordedAnswer, recordedMoment } from '../nodes/recorded-node.ts'
import { usualEngine } from '../processes/test-settings.ts'
import { copyOfMade } from '../stores/made-stores.ts'
import { copyOfDatabase } from '../stores/shared-postgres.ts'
import { pageTokens } from './evm-context.ts'
import type { Json, Reply } from './evm-service.ts'
import { type Answered, noteAnswers } from './proven-operations.ts'
import { bodies, readAll } from './read-all.ts'

/** Where the recording lies. */
export const recordingPath = new URL('../../../demo/primary-local.firnrec', import.meta.url)
  .pathname

/** A network of five validators in which L1s change in blocks that also propose a reward. */
export const proposalsPath = new URL(
  '../../../vectors/primary/local-proposals.firnrec',
  import.meta.url,
).pathname

/** A network whose L1 validators run out of balance in the blocks that pay for or disable them. */
export const evictionsPath = new URL(
  '../../../vectors/primary/local-evictions.firnrec',
  import.meta.url,
).pathname

/** A network through all upgrades to Helicon: a renewing validator, outputs of several owners. */
export const renewalsPath = new URL(
  '../../../vectors/primary/local-renewals.firnrec',
  import.meta.url,
).pathname

/** Requests to the recorded node, and its answers. */
export function recordedAnswers(path = recordingPath): readonly RecordedAnswer[] {
  return answersIn(readFileSync(path))
}

/** The reply the recorded node gave to the first question of `method` that `fits`. */
export function replyOf(
  answers: readonly RecordedAnswer[],
  method: string,
  fits: (parameters: Json) => boolean = () => true,
): Json {
  const found = answers.find((one) => one.method === method && fits(one.parameters))
  if (found === undefined) throw new Error(`not recorded: ${method}`)
  return found.reply
}

const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const timer = setTimeout(resolve, Math.min(ms, 20))
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
}

/** A world with this machine's files and clock, and no network. */
export const fileWorld: World = {
  clock: systemClock,
  random: { bytes: (size) => new Uint8Array(size), number: () => 0.5 },
  transport: { request: () => Promise.reject(new Error('no network in this test')) },
  files: {
    read: async (path) => {
      try {
        return readFileSync(path)
      } catch {
        return undefined
      }
    },
    write: () => Promise.reject(new Error('nothing is written in this test')),
    remove: async () => {},
    list: async () => [],
  },
}

/** From where blocks are taken, and how. */
export type IndexOptions = {
  readonly world?: World
  readonly nodeUrl?: string
  /** Path of another recording than the demo's. */
  readonly recording?: string
  /** Path of its genesis, where it is not that of local networks. */
  readonly genesis?: string
  /** In place of a recording or node. */
  readonly source?: PrimarySource
  readonly cAtomic?: boolean
  readonly log?: Log
  /** Waits until all chains are live, whatever they are called meanwhile. */
  readonly isPatient?: boolean
  /** True where events for webhooks are collected. */
  readonly collects?: boolean
}

/** Indexes a recording (or `nodeUrl`) into a store; gives the store, open for reading. */
export async function indexPrimary(
  location: StoreLocation,
  options: IndexOptions = {},
): Promise<Database> {
  const over = new AbortController()
  let opened: Awaited<ReturnType<typeof openPrimaryHost>> | undefined
  const world = options.world ?? fileWorld
  const genesis = options.genesis ?? 'auto'
  const spec = {
    kind: 'primary',
    key: 'primary-fuji',
    network: 'fuji',
    name: 'Primary Network (test)',
    nodeUrl: options.nodeUrl ?? '',
    genesis,
    cAtomic: options.cAtomic ?? true,
    ...(options.nodeUrl === undefined ? { recording: options.recording ?? recordingPath } : {}),
  } as const
  const parts = {
    world,
    log: options.log ?? silentLog,
    limits: {
      timeoutMs: 30_000,
      traceTimeoutMs: 30_000,
      maxInFlight: 8,
      maxReplyBytes: 33_554_432,
      bufferBytes: 16_777_216,
      checkEvery: 1,
    },
    signal: over.signal,
    openHost: async (of: PrimarySource) => {
      opened = await openPrimaryHost({
        key: 'primary-fuji',
        genesis,
        store: location,
        world,
        owner: 'test',
        ...(options.collects === true ? { keepEventsMs: Number.MAX_SAFE_INTEGER } : {}),
        signal: over.signal,
        source: of,
      })
      return opened
    },
  }
  const nothing = storedNetwork(() => undefined)
  const source = options.source ?? (await openPrimarySource(spec, parts, nothing))
  const streams = primaryStreams(spec, source, parts)
  const chains = streams.filter(({ name }) => ['P', 'X', 'C'].includes(name))
  const runs = streams.map((stream) => stream.run(over.signal))
  const waits = options.isPatient === true ? ['syncing', 'stopped'] : ['syncing']
  while (chains.some((chain) => waits.includes(chain.status().state))) await systemClock.sleep(10)
  const stopped = chains.find((chain) => chain.status().state === 'stopped')
  while ((await opened?.judgeMore()) === true);
  over.abort()
  await Promise.allSettled(runs)
  if (stopped !== undefined) throw new Error(`${stopped.name}: ${stopped.status().reason}`)
  return openStore(location, 'primary-fuji', primaryStoreTables, 'read')
}

/** A new folder with the store of an indexed recording; the caller removes it. */
export function indexedPrimary(recording = recordingPath, genesis = 'auto'): Promise<string> {
  return copyOfMade(basename(recording, '.firnrec'), async (dataDir) => {
    const store = await indexPrimary({ store: 'embedded', dataDir }, { recording, genesis })
    await store.close()
  })
}

/** A new database with the store of an indexed recording. */
function indexedDatabase(recording: string): Promise<StoreLocation> {
  return copyOfDatabase(basename(recording, '.firnrec'), async (location) => {
    const store = await indexPrimary(location, { recording })
    await store.close()
  })
}

/** A running service. */
export type PrimaryService = Answered & {
  readonly url: string
  readonly network: ServedNetwork
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Reply>
  readonly post: (path: string, body: Json, headers?: Record<string, string>) => Promise<Reply>
  readonly readAll: (path: string, key: string) => Promise<Json[]>
  readonly close: () => Promise<void>
}

/** Which engine a service reads from. */
type Engine = 'sqlite' | 'postgres'

/** Starts a service over the recording that ends with the test file. */
export function primaryService(
  parts: Partial<PrimaryContext> = {},
  engine: Engine = usualEngine,
  recording = recordingPath,
): Promise<PrimaryService> {
  const service = startPrimaryService(parts, engine, recording)
  after(async () => (await service).close())
  return service
}

/** Starts a service over a recording, that of the demo unless another is named. */
export async function startPrimaryService(
  more: Partial<PrimaryContext> = {},
  engine: Engine = usualEngine,
  recording = recordingPath,
): Promise<PrimaryService> {
  const location =
    engine === 'sqlite'
      ? { store: 'embedded', dataDir: await indexedPrimary(recording) }
      : await indexedDatabase(recording)
  const { dataDir } = location
  const store = await openStore(location, 'primary-fuji', primaryStoreTables, 'read')
  const nowMs = recordedMoment(recordedAnswers(recording)) * 1_000
  const service = await servePrimary(store, nowMs, more)
  return {
    ...service,
    close: async () => {
      await service.close()
      if (dataDir !== '') rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Serves a store of a primary network, which it closes in the end; time stands at `nowMs`. */
export async function servePrimary(
  store: Database,
  nowMs: number,
  more: Partial<PrimaryContext> = {},
): Promise<PrimaryService> {
  const network = await openNetwork('fuji', store)
  if (network === undefined) throw new Error('nothing was indexed')
  const clock: Clock = { ...systemClock, now: () => nowMs }
  const networks = createNetworkDirectory(() => [network])
  const chains = createChainDirectory(() => [])
  const parts = {
    networks,
    tokens: pageTokens(clock),
    clock,
    prices: noPrices,
    limits: { maxAddresses: 64, maxBodyAddresses: 1_024, transactionPageUtxos: 4_000 },
    ...more,
  }
  const operations = [
    ...Object.values<Operation>(primaryOperations(parts)),
    getAvaxSupply(parts, chains),
  ]
  const server = createServer({
    operations,
    dialectRules: primaryDialectRules,
    freshChains: createFreshChains({
      chains,
      networks,
      headOf: () => undefined,
      networkKey: (name) => `primary-${name}`,
      clock,
      hasReplicas: false,
    }),
    dialect: 'auto',
    log: { ...silentLog, error: (event, fields) => console.error(event, fields) },
    clock,
    limits: { maxConnections: 100, requestTimeoutMs: 10_000, handlerTimeoutMs: 10_000 },
    inspect: holdAgainstShape,
  })
  holdToDocument(server, operations, primaryDialectRules)
  const { answered } = noteAnswers(server, operations)
  const url = await server.listen('127.0.0.1', 0)
  const get: PrimaryService['get'] = async (path, headers = {}) => {
    // Compression has tests of its own (`http-cache.test.ts`) and would be most of the time here.
    const reply = await fetch(url + path, {
      headers: { 'accept-encoding': 'identity', ...headers },
    })
    return { status: reply.status, headers: reply.headers, body: await reply.json() }
  }
  const post: PrimaryService['post'] = async (path, body, headers = {}) => {
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: reply.status, headers: reply.headers, body: await reply.json() }
  }
  return {
    url,
    answered,
    network,
    get,
    post,
    readAll: (path, key) => readAll(bodies(get), path, key),
    close: async () => {
      await server.close()
      await store.close()
    },
  }
}

const checks = new Map<string, ReturnType<typeof Compile>>()

function holdAgainstShape({ contract }: Operation, body: unknown): void {
  let check = checks.get(contract.id)
  if (check === undefined) checks.set(contract.id, (check = Compile(contract.response)))
  const sent: unknown = JSON.parse(JSON.stringify(body))
  if (check.Check(sent)) return
  const [first] = check.Errors(sent)
  throw new Error(`${contract.id}: ${first?.instancePath} ${first?.message}`)
}
