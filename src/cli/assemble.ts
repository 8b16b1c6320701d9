/**
 * Puts a process together from its parts. The only place that knows all of them.
 *
 * Everything below is handed what it needs; nothing here has rules of its own.
 */

import { createAdmission, readRateLimit } from '../api/admission.ts'
import { createChainDirectory } from '../api/chain-directory.ts'
import { evmDialectRules } from '../api/dialect-evm.ts'
import { primaryDialectRules } from '../api/dialect-primary.ts'
import { createMethodNames } from '../api/evm/method-names.ts'
import { noNfts } from '../api/evm/nft-source.ts'
import { evmOperations } from '../api/evm/operations.ts'
import { createPartyBooks } from '../api/evm/party-book.ts'
import { icmOperations } from '../api/icm/operations.ts'
import { metricsOperations } from '../api/metrics/operations.ts'
import { openApiDocument } from '../api/openapi.ts'
import type { Operation } from '../api/operation.ts'
import { createPageTokens, type PageTokens } from '../api/page-token.ts'
import { noPrices } from '../api/prices.ts'
import { createNetworkDirectory } from '../api/primary/network-directory.ts'
import { primaryOperations } from '../api/primary/operations.ts'
import { createServer, type ApiServer } from '../api/server.ts'
import { noTokenNotes } from '../api/token-notes.ts'
import { warpDialectRules, warpOperations } from '../api/warp/operations.ts'
import type { Config } from '../config/settings.ts'
import { fromHex } from '../core/bytes.ts'
import { Fault } from '../core/fault.ts'
import type { World } from '../core/world.ts'
import { messageTables } from '../indexing/icm/message-stream.ts'
import { startIndexer, type ChainStatus, type Indexer } from '../indexing/indexer.ts'
import { AddressUnion } from '../rollup/address-union.ts'
import type { Database } from '../store/engine/database.ts'
import type { StoreLocation } from '../store/engine/open.ts'
import { createGauges } from '../telemetry/gauges.ts'
import { createHealth } from '../telemetry/health.ts'
import type { LogRegistry } from '../telemetry/log.ts'
import { createThreads } from '../telemetry/thread.ts'
import { createWaits } from '../telemetry/waits.ts'
import { openAggregators, type Aggregators } from './aggregators.ts'
import {
  chainSpecs,
  icmContract,
  messageStore,
  sourceLimits,
  streamSpecs,
  type SpecifiedChain,
} from './chain-specs.ts'
import { followStore } from './follow-store.ts'
import { watchedKeys } from './key-file.ts'
import { assembleNodeListener, checkFolder, nodeChains, openAliases } from './node-parts.ts'
import { serveChains, type ServedChains } from './served-chains.ts'
import { serveNetworks, type ServedNetworks } from './served-networks.ts'
import { statusOperation } from './status-view.ts'
import { tokenKeys } from './token-keys.ts'
import { version } from './version.ts'

/** A process at work. */
export type Running = {
  readonly apiUrl: string
  readonly nodeUrl: string
  readonly indexed: () => readonly ChainStatus[]
  /** Stops to accept, drains, commits what is under way, closes the stores. */
  readonly stop: () => Promise<void>
}

/** What the process is made of besides its configuration. */
export type Outside = {
  readonly world: World
  readonly logs: LogRegistry
  /** Told when nothing more can be done. */
  readonly failed: (error: unknown) => void
}

/** Starts everything `config` asks for. Throws `bad-config` for what cannot be. */
export async function assemble(config: Config, outside: Outside): Promise<Running> {
  const { world, logs } = outside
  const { clock } = world
  const over = new AbortController()
  const gauges = createGauges()
  const waits = createWaits(clock.monotonic, (lock, ms) => {
    gauges.add('firn_lock_waits_total', 1, { lock })
    gauges.add('firn_lock_wait_seconds_total', ms / 1_000, { lock })
  })
  const threads = createThreads({ logs, waits, clock })
  const store: StoreLocation = { store: config.store, dataDir: config.dataDir }
  const chains = chainSpecs(config)
  const tokens = createPageTokens(await tokenKeys(world, config.dataDir), clock)

  const indexer: Indexer | undefined =
    config.role === 'serve'
      ? undefined
      : startIndexer({
          chains: chains.map(({ spec }) => spec),
          streams: streamSpecs(config, chains),
          store,
          limits: sourceLimits(config),
          owner: Buffer.from(world.random.bytes(8)).toString('hex'),
          worldModule: new URL('./world.ts', import.meta.url).href,
          clock,
          threads,
          gauges,
          log: logs.log,
          failed: outside.failed,
        })
  const indexed = (): readonly ChainStatus[] => indexer?.status() ?? []
  const served = await serveChains({
    chains: config.role === 'index' ? [] : chains,
    store,
    limits: sourceLimits(config),
    world,
    log: logs.log,
    signal: over.signal,
    hasTraces: (key) => tracesOf(indexed(), key),
  })
  const streams = streamSpecs(config, chains)
  const networks = await serveNetworks(
    config.role === 'index' ? [] : streams.filter((stream) => stream.kind === 'primary'),
    { store, clock, signal: over.signal },
  )
  const aggregators = await openAggregators(config, { world, log: logs.log, signal: over.signal })
  const nodes = nodeChains({
    served: served.list,
    networks: networks.list,
    specified: chains,
    config,
    status: indexed,
  })
  const aliases = await openAliases(config, { world, waits, logs, chains: nodes })
  const messages = await followStore(messageStore, messageTables, {
    store,
    clock,
    signal: over.signal,
  })
  const api = apiServer(config, {
    networks,
    aggregators,
    messages: messages.get,
    outside,
    tokens,
    served,
    chains,
    indexer,
    gauges,
    aliases,
  })
  const health = createHealth({ clock, log: logs.log })
  health.register('store', () => checkFolder(config.dataDir))
  health.register('chains', () => readiness(indexed()), { kinds: ['readiness', 'health'] })
  const node = assembleNodeListener({
    config,
    world,
    logs,
    gauges,
    health,
    threads,
    waits,
    aliases,
    nodeId: aggregators.nodeId(),
    networkId: networks.list()[0]?.networkId,
  })
  await node.listener.listen()
  void health.run(over.signal).catch(outside.failed)
  const address = node.listener.address()
  const apiUrl =
    config.role === 'index' ? '' : await listen(api, config['api.host'], config['api.port'])
  return {
    apiUrl,
    nodeUrl: `http://${address?.host ?? ''}:${address?.port ?? 0}`,
    indexed,
    stop: async () => {
      over.abort()
      await api.close()
      await node.close()
      await indexer?.stop()
      await served.close()
      await messages.close()
      await networks.close()
      await aggregators.close()
    },
  }
}

async function listen(api: ApiServer, host: string, port: number): Promise<string> {
  try {
    return await api.listen(host, port)
  } catch (error) {
    throw new Fault('bad-config', `api.port is taken or not allowed: ${host}:${port}`, {
      cause: error,
    })
  }
}

type ApiParts = {
  readonly networks: ServedNetworks
  readonly aggregators: Aggregators
  readonly messages: () => Database | undefined
  readonly outside: Outside
  readonly tokens: PageTokens
  readonly served: ServedChains
  readonly chains: readonly SpecifiedChain[]
  readonly indexer: Indexer | undefined
  readonly gauges: ReturnType<typeof createGauges>
  readonly aliases: { readonly resolve: (name: string) => string | undefined }
}

function apiServer(config: Config, parts: ApiParts): ApiServer {
  const { outside, tokens, served, gauges } = parts
  const { world, logs } = outside
  const directory = createChainDirectory(served.list, parts.aliases.resolve)
  const notes = noTokenNotes
  const parties = createPartyBooks(world.clock, notes)
  const operations: Operation[] = [
    ...evmOperations({
      chains: directory,
      tokens,
      clock: world.clock,
      methodNames: createMethodNames(),
      prices: noPrices,
      notes,
      nfts: noNfts,
      parties,
      icmContracts: messengers(parts.chains),
    }),
    ...metricsOperations({ chains: directory, tokens, union: new AddressUnion() }),
    ...primaryOperations({
      networks: createNetworkDirectory(parts.networks.list),
      tokens,
      clock: world.clock,
      limits: {
        maxAddresses: config['api.maxAddresses'],
        maxBodyAddresses: config['api.maxBodyAddresses'],
        transactionPageUtxos: config['api.transactionPageUtxos'],
      },
    }),
    ...warpOperations({ aggregators: parts.aggregators.byNetwork }),
    ...icmOperations({ chains: directory, tokens, parties, messages: parts.messages }),
    statusOperation({
      version,
      role: config.role,
      nodeId: parts.aggregators.nodeId,
      indexed: parts.indexer?.status,
      served: served.list,
    }),
  ]
  const server = createServer({
    operations,
    dialectRules: { ...evmDialectRules, ...primaryDialectRules, ...warpDialectRules },
    dialect: config['api.dialect'],
    log: logs.log.child('api'),
    clock: world.clock,
    limits: {
      maxConnections: config['api.maxConnections'],
      requestTimeoutMs: config['api.requestTimeoutMs'],
      handlerTimeoutMs: config['api.handlerTimeoutMs'],
    },
    admit: createAdmission({
      keysRequired: config['api.keysRequired'],
      keys: watchedKeys(config.dataDir),
      limit: readRateLimit(config['api.rateLimit']),
      clock: world.clock,
    }),
    observe: (operation, status, elapsedMs) => {
      gauges.add('firn_api_requests_total', 1, { operation, status: String(status) })
      gauges.observe('firn_api_request_seconds', elapsedMs / 1_000, { operation })
    },
  })
  const document = JSON.stringify(
    openApiDocument(
      operations.map(({ shape }) => shape),
      version,
    ),
  )
  server.http.get('/openapi.json', (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(document),
  )
  return server
}

function messengers(chains: readonly SpecifiedChain[]): Uint8Array[] {
  const all = new Set([icmContract, ...chains.flatMap(({ spec }) => spec.icmContracts)])
  return [...all].map(fromHex)
}

/** Whether the indexing threads read traces of a chain; `undefined` when they do not say. */
function tracesOf(chains: readonly ChainStatus[], key: string): boolean | undefined {
  const stages = chains.find((chain) => chain.key === key)?.stages
  const traces = stages?.find(({ stage }) => stage === 'traces')
  return traces === undefined ? undefined : traces.state !== 'off'
}

function readiness(chains: readonly ChainStatus[]): Readonly<Record<string, number>> {
  const stopped = chains.filter(({ stages }) => stages.some(({ state }) => state === 'stopped'))
  if (stopped.length > 0) {
    throw new Fault('source-mismatch', `stopped: ${stopped.map(({ key }) => key).join(', ')}`)
  }
  return Object.fromEntries(chains.map(({ key, stages }) => [key, stages[0]?.indexedHeight ?? -1]))
}
