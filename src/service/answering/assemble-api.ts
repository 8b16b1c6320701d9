/** The data API of this process, put together: every operation, and what all of them share. */

import { mountBlockStream } from '../../api/events/event-streams.ts'
import { NewestBlocks } from '../../api/events/newest-blocks.ts'
import type { EventContext } from '../../api/events/own-webhook.ts'
import { createMethodNames } from '../../api/evm/abi/known-methods.ts'
import { createComparedBalances } from '../../api/evm/balances/compared-balances.ts'
import type { EvmContext } from '../../api/evm/evm-context.ts'
import { storedNfts } from '../../api/evm/nft/stored-nfts.ts'
import { createRichAddressBooks } from '../../api/evm/rich-addresses.ts'
import { createRevertReasons } from '../../api/evm/transactions/revert-reason.ts'
import { mountExportFiles } from '../../api/exports/export-file.ts'
import { type ChainDirectory, createChainDirectory } from '../../api/operation/chain-directory.ts'
import type { PageTokens } from '../../api/operation/page-token.ts'
import { allOperations, exportContextOf, type ApiContext } from '../../api/operations.ts'
import {
  createNetworkDirectory,
  type NetworkDirectory,
  type ServedNetwork,
} from '../../api/primary/network/networks.ts'
import { callerIn, createAdmission } from '../../api/server/admission/admission.ts'
import type { StoredKey } from '../../api/server/admission/api-keys.ts'
import type { CallRecorder } from '../../api/server/admission/call-recorder.ts'
import { readRateLimit, readTiers } from '../../api/server/admission/rate-limit.ts'
import type { UseCounter } from '../../api/server/admission/use-counter.ts'
import {
  type DialectRules,
  evmDialectRules,
  primaryDialectRules,
} from '../../api/server/dialect.ts'
import type { LoadLimits } from '../../api/server/front/front-door.ts'
import { addressReader } from '../../api/server/front/proxy-address.ts'
import { openApiDocument } from '../../api/server/openapi/openapi.ts'
import { createFreshChains } from '../../api/server/read-position.ts'
import { type ApiServer, createServer } from '../../api/server/server.ts'
import type { Config } from '../../config/settings.ts'
import { fromHex } from '../../core/bytes.ts'
import { recordedClock, recordedEnd } from '../../core/recorded-time.ts'
import type { Clock, World } from '../../core/world.ts'
import type { IndexingStatus } from '../../indexing/run/indexer.ts'
import { AddressUnion } from '../../rollup/address-union.ts'
import type { Status } from '../../shape/status.ts'
import type { Database } from '../../store/engine/database.ts'
import type { Replicas } from '../../store/engine/replicas.ts'
import { chainsById } from '../../store/query/primary/network.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Log } from '../../telemetry/log.ts'
import { icmContract, primaryStream, type SpecifiedChain } from '../chain-specs.ts'
import type { Served } from '../served/open-served.ts'
import type { LeaseWatch } from '../status/lease-watch.ts'
import { statusOf } from '../status/status-view.ts'
import { storeLocation } from '../stores/store-location.ts'
import { nftFetching } from '../tokens/nft-fetching.ts'
import type { TokenKnowledge } from '../tokens/token-knowledge.ts'
import { version } from '../version.ts'
import { readExamples } from '../web/docs-files.ts'
import { type ExplorerBrand, mountExplorer } from '../web/explorer-mount.ts'
import { createPictures, imageUriOf, logoUriOf, type FindPicture } from '../web/pictures.ts'
import { mountSegments } from '../web/segment-mount.ts'
import { webRules } from '../web/web-rules.ts'
import { type EventService, eventService } from './event-service.ts'

/** All that the API takes of the process. */
export type ApiOptions = {
  readonly world: World
  readonly log: Log
  readonly tokens: PageTokens
  readonly served: Served
  readonly chains: readonly SpecifiedChain[]
  /** Absent where this process does not index. */
  readonly indexer: IndexingStatus | undefined
  readonly gauges: Gauges
  readonly leases: LeaseWatch
  readonly knowledge: TokenKnowledge
  readonly brand: ExplorerBrand
  /** API keys as they are now. */
  readonly keys: () => readonly StoredKey[]
  readonly uses: UseCounter
  /** Answers counted by key. */
  readonly calls: CallRecorder & { readonly store: () => Promise<Database> }
  readonly aliases: { readonly resolve: (name: string) => string | undefined }
  /** The store of webhooks, open for writing. */
  readonly webhooks: Database
  /** Names this process in leases, and no other. */
  readonly owner: string
  /** Number of this thread among those that answer; 1 is the main thread. */
  readonly thread: number
  /** Where stores are read from, where there are several such places. */
  readonly readings: Replicas | undefined
}

/** The data API of a process. */
export type Api = ApiServer & {
  readonly events: EventService
  readonly status: () => Promise<Status>
}

const dialectRules: DialectRules = { ...evmDialectRules, ...primaryDialectRules }

/** Makes the server; it does not listen yet. */
export function assembleApi(config: Config, options: ApiOptions): Api {
  const { world, gauges } = options
  const directories = directoriesOf(options)
  const headOf = freshHeads(options.indexer, world.clock)
  const evm = evmContextOf(config, options, directories)
  const { log, webhooks, owner, keys } = options
  const { networks } = directories
  const own = { world, log, gauges, webhooks, owner, keys }
  const events = eventService(config, { ...own, evm, networks, headOf })
  const status = statusReader(config, options, evm.clock)
  const shared = { ...directories, evm, events: events.context, status }
  const context = apiContext(config, options, shared)
  const operations = allOperations(context)
  const server = createServer({
    operations,
    dialectRules,
    web: webRules(config),
    dialect: config['api.dialect'],
    refusesUnknown: config['api.unknownParameters'] === 'refuse',
    log: log.child('api'),
    clock: world.clock,
    limits: {
      maxConnections: Math.ceil(config['api.maxConnections'] / config['api.workers']),
      requestTimeoutMs: config['api.requestTimeoutMs'],
      handlerTimeoutMs: config['api.handlerTimeoutMs'],
    },
    load: loadLimits(config),
    freshChains: createFreshChains({
      ...directories,
      headOf,
      networkKey: (network) => primaryStream(network).key,
      clock: world.clock,
      hasReplicas: config['postgres.replicas'].length > 0,
    }),
    gauges,
    admit: admissionOf(config, options),
    record: (call) => {
      const { key } = callerIn(call.request, keys())
      if (key !== undefined) options.calls.record(call, key)
    },
    callerOf: (request) => callerIn(request, keys()),
    addressOf: addressReader(config['api.trustProxy']),
    readings: options.readings,
    observe: observer(options),
  })
  mountDocument(server, operations)
  mountExportFiles(server.http, exportContextOf(context), log.child('api'))
  if (config['api.explorer'])
    mountExplorer(server.http, status, {
      ...picturesOf(config, options, operations),
      brand: options.brand,
    })
  if (config['api.segments'])
    mountSegments(server, { chains: options.served.chains.list, location: storeLocation(config) })
  const close = withNewestBlocks(server, options, directories, config['api.newestBlocksReaders'])
  return { ...server, events, status, close }
}

/** Pictures of NFTs, where they are fetched, and logos that the operator names. */
function picturesOf(
  config: Config,
  { world, served, knowledge }: ApiOptions,
  operations: ReturnType<typeof allOperations>,
): { readonly pictures: FindPicture; readonly logos: FindPicture } {
  const fetching = nftFetching(config.nftMetadata)
  const logoUri = logoUriOf(served.chains.list, knowledge.notes)
  return {
    pictures: createPictures({ world, fetching, imageUri: imageUriOf(operations) }),
    logos: createPictures({ world, fetching: fetching ?? nftFetching({}), imageUri: logoUri }),
  }
}

/** Counts answers in gauges. */
function observer({
  gauges,
  thread,
}: ApiOptions): (operation: string, status: number, elapsedMs: number) => void {
  const own = { thread: String(thread) }
  return (operation, status, elapsedMs) => {
    gauges.add('firn_api_requests_total', 1, { operation, status: String(status) })
    gauges.observe('firn_api_request_seconds', elapsedMs / 1_000, { operation })
    gauges.add('firn_api_thread_requests_total', 1, own)
  }
}

/** Serves the OpenAPI document, written when it is first requested: few starts need it. */
function mountDocument({ http }: ApiServer, operations: ReturnType<typeof allOperations>): void {
  const shapes = operations.map(({ shape }) => shape)
  let document: Promise<string> | undefined
  const write = async (): Promise<string> => {
    const { describeDocument } = await import('../../api/server/openapi/describe-document.ts')
    const plain = openApiDocument(shapes, version, dialectRules)
    return JSON.stringify(describeDocument(plain, await readExamples()))
  }
  http.get('/openapi.json', async (_request, reply) =>
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(await (document ??= write())),
  )
}

/** Adds the stream of newest blocks to a server. Returns the function that ends both. */
function withNewestBlocks(
  server: ApiServer,
  options: ApiOptions,
  { chains, networks }: Directories,
  most: number,
): () => Promise<void> {
  const { world, gauges } = options
  const log = options.log.child('api')
  const failed = (error: unknown): void => log.debug('chain not read for newest blocks', { error })
  const newest = new NewestBlocks({ chains, networks, clock: world.clock, failed })
  gauges.onRead(() => gauges.set('firn_api_newest_blocks_readers', newest.readers, {}))
  const endNewestBlocks = mountBlockStream(server.http, server.forStreams, { newest, most })
  return () => {
    endNewestBlocks()
    return server.close()
  }
}

function admissionOf(
  config: Config,
  { keys, uses, world }: ApiOptions,
): ReturnType<typeof createAdmission> {
  return createAdmission({
    keysRequired: config['api.keysRequired'],
    keys,
    limit: readRateLimit(config['api.rateLimit']),
    tiers: readTiers(config['api.tiers']),
    uses,
    clock: world.clock,
  })
}

function loadLimits(config: Config): LoadLimits {
  return {
    maxPerAddress: config['api.maxConnectionsPerAddress'],
    maxUnsentBytes: config['api.maxUnsentBytes'],
    sendTimeoutMs: config['api.sendTimeoutMs'],
    maxUnderWay: config['api.maxUnderWay'],
    maxUnderWayPerAddress: config['api.maxUnderWayPerAddress'],
    maxWaiting: config['api.maxWaiting'],
    maxWaitingPerAddress: config['api.maxWaitingPerAddress'],
    maxQueuedMs: config['api.maxQueuedMs'],
  }
}

/** Chains and networks that are served, by the names that callers write. */
type Directories = { readonly chains: ChainDirectory; readonly networks: NetworkDirectory }

function directoriesOf({ served, aliases }: ApiOptions): Directories {
  return {
    chains: createChainDirectory(served.chains.list, aliases.resolve, served.chains.waiting),
    networks: createNetworkDirectory(
      served.networks.list,
      aliases.resolve,
      served.networks.waiting,
    ),
  }
}

/** All that families of operations share. */
type Shared = Directories & {
  readonly evm: EvmContext
  readonly events: EventContext
  readonly status: () => Promise<Status>
}

function evmContextOf(config: Config, options: ApiOptions, { chains }: Directories): EvmContext {
  const clock = recordedClock(options.world.clock, config.recordedTime)
  const { prices, notes, doubts } = options.knowledge
  const log = options.log.child('api')
  const maxAgeMs = config['tokens.maxAge'] * 1_000
  const addressBooks = createRichAddressBooks(clock, notes)
  return {
    chains,
    tokens: options.tokens,
    clock,
    methodNames: createMethodNames(
      options.knowledge.signatures,
      options.knowledge.contracts.methods,
    ),
    contracts: options.knowledge.contracts,
    reverts: createRevertReasons(clock),
    prices,
    notes,
    nfts: storedNfts(addressBooks),
    addressBooks,
    balances: createComparedBalances({ clock, log, doubts, maxAgeMs }),
    icmContracts: messengers(options.chains),
  }
}

/** All that each family of operations answers from. */
function apiContext(
  config: Config,
  options: ApiOptions,
  { chains, networks, evm, events, status }: Shared,
): ApiContext {
  const { world, tokens, served } = options
  const { prices, nftRequests } = options.knowledge
  const { addressBooks } = evm
  return {
    evm,
    events,
    nft: { ...evm, requests: nftRequests },
    metrics: { chains, tokens, union: new AddressUnion() },
    primary: {
      networks,
      tokens,
      clock: evm.clock,
      prices,
      limits: {
        maxAddresses: config['api.maxAddresses'],
        maxBodyAddresses: config['api.maxBodyAddresses'],
        transactionPageUtxos: config['api.transactionPageUtxos'],
      },
    },
    warp: { aggregators: served.aggregators.byNetwork },
    icm: {
      chains,
      tokens,
      addressBooks,
      messages: served.messages.get,
      evmChainIdOf: (blockchainId) => evmChainIdOf(served.networks.list(), blockchainId),
    },
    search: { chains, networks, addressBooks, clock: evm.clock },
    usage: {
      store: options.calls.store,
      flush: options.calls.flush,
      tokens,
      clock: world.clock,
      nameOf: (keyId) => options.keys().find(({ id }) => id === keyId)?.name ?? '',
    },
    stores: () => [...served.chains.list(), ...served.networks.list()].map(({ store }) => store),
    status,
  }
}

function statusReader(
  config: Config,
  { served, indexer, leases }: ApiOptions,
  clock: Clock,
): () => Promise<Status> {
  const { recordedTime } = config
  const sources = {
    recording:
      recordedTime &&
      (() => ({ time: Math.floor(clock.now() / 1_000), endTime: recordedEnd(recordedTime) })),
    version,
    role: config.role,
    nodeId: served.aggregators.nodeId,
    indexed: indexer?.status,
    served: served.chains.list,
    networks: served.networks.list,
    leases,
  }
  return () => statusOf(sources)
}

function messengers(chains: readonly SpecifiedChain[]): Uint8Array[] {
  const all = new Set([icmContract, ...chains.flatMap(({ spec }) => spec.icmContracts)])
  return [...all].map(fromHex)
}

/** EVM chain id that the genesis of a chain names, where its network is indexed here. */
async function evmChainIdOf(
  networks: readonly ServedNetwork[],
  blockchainId: Uint8Array,
): Promise<number | undefined> {
  for (const { store } of networks) {
    const [chain] = (await chainsById(store, [blockchainId])).values()
    if (chain?.evmChainId !== undefined) return chain.evmChainId
  }
  return undefined
}

// A source's head is read every few seconds, and reported every five.
const freshSeconds = 30

/** A stage as it was last reported. */
type ReportedStage = {
  /** Below 0 before a source gave one. */
  readonly headHeight: number
  /** Unix seconds at which a source gave it; absent before. */
  readonly headAt?: number | undefined
}

/** Knows the stages of chains; absent where this process does not index. */
type Stages =
  | { readonly stage: (key: string, name: string) => ReportedStage | undefined }
  | undefined

/**
 * Returns the head that a source lately reported for a stage of a chain; `undefined` where none
 * did.
 */
export function freshHeads(
  indexer: Stages,
  clock: Pick<Clock, 'now'>,
): (key: string, stage: string) => number | undefined {
  return (key, name) => {
    const stage = indexer?.stage(key, name)
    if (stage?.headAt === undefined) return undefined
    const age = clock.now() / 1_000 - stage.headAt
    return age > freshSeconds || stage.headHeight < 0 ? undefined : stage.headHeight
  }
}
