/**
 * One simulated process of Firn: the work of its threads as streams of this one, and its server
 * without a socket.
 */

import { join } from 'node:path'

import type { FastifyInstance } from 'fastify'

import { createComparedBalances } from '../../src/api/evm/balances/compared-balances.ts'
import { createChainDirectory } from '../../src/api/operation/chain-directory.ts'
import type { Operation } from '../../src/api/operation/operation.ts'
import { createPageTokens } from '../../src/api/operation/page-token.ts'
import { evmOperations, primaryOperations } from '../../src/api/operations.ts'
import { createNetworkDirectory } from '../../src/api/primary/network/networks.ts'
import { evmDialectRules, primaryDialectRules } from '../../src/api/server/dialect.ts'
import { createFreshChains } from '../../src/api/server/read-position.ts'
import { createServer } from '../../src/api/server/server.ts'
import type { Config } from '../../src/config/settings.ts'
import type { World } from '../../src/core/world.ts'
import { runDecoder } from '../../src/indexing/run/run-decoder.ts'
import { runWriter } from '../../src/indexing/run/run-writer.ts'
import {
  type ChainStatus,
  StatusBoard,
  type ThreadReport,
} from '../../src/indexing/run/status-board.ts'
import type { WorkerThread } from '../../src/indexing/run/worker-thread.ts'
import { chainSpecs, sourceLimits, streamSpecs } from '../../src/service/chain-specs.ts'
import { serveNetworks } from '../../src/service/served/open-served.ts'
import { serveChains } from '../../src/service/served/served-chains.ts'
import type { StoreLocation } from '../../src/store/open.ts'
import { createGauges } from '../../src/telemetry/gauges.ts'
import { silentLog } from '../../src/telemetry/log.ts'
import { createWaits } from '../../src/telemetry/threads/waits.ts'
import { partsOf } from '../support/services/evm-context.ts'
import type { Seams } from './defects.ts'
import type { Disk } from './disk.ts'
import { inlinePorts } from './inline-port.ts'
import { Life, worldOf } from './life.ts'
import type { BucketUser, SimBucket } from './sim-bucket.ts'

/** Work of a process. */
export type Role = 'all' | 'index' | 'serve'

/** A process under way. */
export type SimProcess = {
  readonly life: Life
  readonly role: Role
  readonly status: () => readonly ChainStatus[]
  /** Its server; absent while it opens, and where it serves nothing. */
  readonly http: () => FastifyInstance | undefined
  /** Ends it in order, as SIGTERM does. */
  readonly stop: () => Promise<void>
}

/** Parts of a process. */
export type ProcessParts = {
  readonly config: Config
  readonly outside: World
  readonly disk: Disk
  /** Holds history that freezes; absent, all of it stays in tables. */
  readonly bucket: SimBucket | undefined
  readonly role: Role
  /** Names it, and no other, in leases. */
  readonly owner: string
  /** Called with what no process may meet: an error that is no fault. */
  readonly broke: (error: unknown) => void
  /** Parts that a defect changes. */
  readonly seams: Seams
}

/** The key that seals page tokens, the same in all processes of a deployment. */
const tokenKey = { id: 1, secret: new Uint8Array(32).fill(7) }

/** Starts one. It is there at once; its server and its rows come with time. */
export function startProcess(parts: ProcessParts): SimProcess {
  const life = new Life()
  const { seams } = parts
  const inside = worldOf(life, parts.outside)
  const { transport } = inside
  const world = { ...inside, transport: seams.transport?.(transport) ?? transport }
  const { disk, bucket, role, owner } = parts
  const over = new AbortController()
  const folder = cacheFolder(disk, role, owner)
  const around = disk.around(life)
  const store: StoreLocation = {
    store: 'embedded',
    dataDir: disk.folder,
    ...(bucket && historyIn(bucket, life, { world, folder, signal: over.signal })),
    around: async (open, named) => {
      const database = await around(open, named)
      return seams.database?.(database) ?? database
    },
  }
  const guarded = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (life.isDead) return
      parts.broke(error)
    })
  const made = { ...parts, life, world, store, over, guarded }
  const indexing = parts.role === 'serve' ? undefined : startIndexing(made)
  const serving = parts.role === 'index' ? undefined : startServing(made, indexing)
  life.whenKilled(() => void parts.disk.leave(life))
  return {
    life,
    role: parts.role,
    status: indexing?.status ?? ((): readonly ChainStatus[] => []),
    http: () => serving?.http(),
    stop: async () => {
      over.abort()
      await serving?.ended()
      await indexing?.ended()
    },
  }
}

/** A process that serves alone begins with an empty disk. */
function cacheFolder({ folder }: Disk, role: Role, owner: string): string {
  return join(folder, role === 'serve' ? `history-cache-${owner}` : 'history-cache')
}

/** Segments of a few blocks, which are merged, too. */
export function historyIn(
  bucket: SimBucket,
  life: Life,
  process: BucketUser,
): Pick<StoreLocation, 'segments' | 'freeze' | 'bucket'> {
  const freeze = { heightsPerSegment: 2 }
  return { segments: process.folder, freeze, bucket: bucket.openFor(life, process) }
}

type Made = ProcessParts & {
  readonly life: Life
  readonly world: World
  readonly store: StoreLocation
  readonly over: AbortController
  readonly guarded: (work: Promise<void>) => Promise<void>
}

type Indexing = {
  readonly status: () => readonly ChainStatus[]
  readonly ended: () => Promise<void>
}

/** Decoder and writer. */
function startIndexing({ config, world, store, over, owner, guarded, seams }: Made): Indexing {
  const specified = chainSpecs(config)
  const chains = specified.map(({ spec }) => spec)
  const streams = streamSpecs(config, specified)
  const board = new StatusBoard({ chains, streams, gauges: createGauges() })
  const stopped = new Promise<void>((resolve) => {
    over.signal.addEventListener('abort', () => resolve())
  })
  const limits = seams.limits?.(sourceLimits(config)) ?? sourceLimits(config)
  const thread = (port: WorkerThread['data']['port']): WorkerThread => ({
    data: { chains, streams, store, limits, owner, keepEventsMs: 86_400_000, port },
    world,
    log: silentLog,
    waits: createWaits(world.clock.monotonic, () => undefined),
    signal: over.signal,
    stopped,
    send: (report: ThreadReport) => board.take(seams.report?.(report) ?? report),
  })
  const [one, other] = inlinePorts()
  const writer = guarded(runWriter(thread(other)))
  const decoder = guarded(runDecoder(thread(seams.port?.(one) ?? one)))
  return {
    status: () => board.all(),
    ended: async () => {
      await decoder
      await writer
    },
  }
}

type Serving = {
  readonly http: () => FastifyInstance | undefined
  readonly ended: () => Promise<void>
}

/** The EVM operations over the stores, as they appear. */
function startServing(made: Made, indexing: Indexing | undefined): Serving {
  const { config, world, store, over, guarded, seams } = made
  let http: FastifyInstance | undefined
  let close = (): Promise<void> => Promise.resolve()
  const open = async (): Promise<void> => {
    const served = await serveChains({
      chains: chainSpecs(config),
      store,
      limits: sourceLimits(config),
      world,
      log: silentLog,
      signal: over.signal,
      isFollowed: () => true,
    })
    const primaries = streamSpecs(config, []).filter((spec) => spec.kind === 'primary')
    const following = { store, clock: world.clock, log: silentLog, signal: over.signal }
    const networks = await serveNetworks(primaries, following)
    const waiting = seams.knowsWaiting === false ? (): [] => [] : served.waiting
    const chains = createChainDirectory(served.list, () => undefined, waiting)
    const directory = createNetworkDirectory(networks.list, () => undefined, networks.waiting)
    const { clock } = world
    const parts = {
      ...partsOf([], clock),
      chains,
      tokens: createPageTokens([tokenKey], clock),
      balances: createComparedBalances({
        clock,
        log: silentLog,
        doubts: undefined,
        maxAgeMs: 30_000,
      }),
    }
    const primary = Object.values<Operation>(
      primaryOperations({ ...parts, networks: directory, limits: primaryLimits }),
    )
    const freshChains = createFreshChains({
      chains,
      networks: directory,
      headOf: (key, stage) => headOf(indexing?.status() ?? [], key, stage),
      networkKey: (network) => `primary-${network}`,
      clock,
      hasReplicas: false,
    })
    const server = createServer({
      operations: [...Object.values<Operation>(evmOperations(parts)), ...primary]
        .filter(({ contract }) => servedOperations.has(contract.id))
        .map((operation) => seams.operation?.(operation, freshChains) ?? operation),
      dialectRules: { ...evmDialectRules, ...primaryDialectRules },
      dialect: 'documented',
      freshChains,
      log: silentLog,
      clock,
      limits: { maxConnections: 100, requestTimeoutMs: 60_000, handlerTimeoutMs: 60_000 },
    })
    await server.http.ready()
    http = server.http
    close = async () => {
      await served.close()
      await networks.close()
    }
  }
  const opening = guarded(open())
  return {
    http: () => http,
    ended: async () => {
      http = undefined
      await opening
      await close()
    },
  }
}

/** Operations that callers of a simulation call; a server of few is made quickly. */
const servedOperations: ReadonlySet<string> = new Set([
  'listErc20Transactions',
  'listErc721Transactions',
  'listNativeTransactions',
  'listInternalTransactions',
  'listTokenTransfers',
  'listErc20Balances',
  'getBlock',
  'getTransaction',
  'listLatestPrimaryNetworkBlocks',
])

/** As the settings have them. */
const primaryLimits = { maxAddresses: 64, maxBodyAddresses: 1_024, transactionPageUtxos: 4_000 }

function headOf(chains: readonly ChainStatus[], key: string, name: string): number | undefined {
  const stages = chains.find((chain) => chain.key === key)?.stages
  const head = stages?.find(({ stage }) => stage === name)?.headHeight
  return head === undefined || head < 0 ? undefined : head
}
