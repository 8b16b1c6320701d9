/** The data API of this process, put together: every operation, and what all of them share. */

import { mountBlockStream } from '../../api/events/event-streams.ts'
import { NewestBlocks } from '../../api/events/newest-blocks.ts'
import { chainSockets } from '../../api/evm/chains/chain-sockets.ts'
import { mountExportFiles } from '../../api/exports/export-transactions.ts'
import { mountMcp } from '../../api/mcp/mount-mcp.ts'
import type { Operation } from '../../api/operation/operation.ts'
import { allOperations, exportContextOf } from '../../api/operations.ts'
import { callerIn, createAdmission } from '../../api/server/admission/admission.ts'
import { readRateLimit, readTiers } from '../../api/server/admission/rate-limit.ts'
import {
  type DialectRules,
  evmDialectRules,
  primaryDialectRules,
} from '../../api/server/dialect.ts'
import type { LoadLimits } from '../../api/server/front/load-limits.ts'
import { addressReader } from '../../api/server/front/proxy-address.ts'
import { openApiDocument } from '../../api/server/openapi/openapi.ts'
import { createFreshChains } from '../../api/server/read-position.ts'
import { type ApiServer, createServer } from '../../api/server/server.ts'
import type { Config } from '../../config/settings.ts'
import { recordedEnd } from '../../core/recorded-time.ts'
import { version } from '../../core/version.ts'
import type { Clock } from '../../core/world.ts'
import { operations } from '../../shape/operations/operations.ts'
import type { Status } from '../../shape/status.ts'
import { primaryStream } from '../chain-specs.ts'
import { freshHeads, statusOf } from '../status/status-view.ts'
import { nftFetching } from '../tokens/nft-fetching.ts'
import { readExamples } from '../web/docs-files.ts'
import { mountExplorer } from '../web/explorer-mount.ts'
import { createPictures, imageUriOf, logoUriOf, type FindPicture } from '../web/pictures.ts'
import { createPreviews } from '../web/previews.ts'
import { webRules } from '../web/web-rules.ts'
import {
  apiContext,
  type ApiServices,
  type Directories,
  directoriesOf,
  evmContextOf,
} from './api-context.ts'
import { type EventService, eventService } from './event-service.ts'

/** The data API of a process. */
export type Api = ApiServer & {
  readonly events: EventService
  readonly status: () => Promise<Status>
}

const dialectRules: DialectRules = { ...evmDialectRules, ...primaryDialectRules }

/**
 * Makes the server; it does not listen yet.
 *
 * 1. Chains and networks that are served, and how far each is.
 * 2. What operations answer from.
 * 3. The operations, and what every request passes before it reaches one.
 * 4. What is served beside them.
 */
export function assembleApi(config: Config, services: ApiServices): Api {
  const { world, log, gauges, keys } = services
  const directories = directoriesOf(services)
  const { networks } = directories
  const headOf = freshHeads(services.indexer, world.clock)

  const evm = evmContextOf(config, services, directories)
  const events = eventService(config, { ...services, evm, networks, headOf })
  const status = statusReader(config, services, evm.clock)
  const shared = { ...directories, evm, events: events.context, status }
  const context = apiContext(config, services, shared)

  const operations = Object.values<Operation>(allOperations(context))
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
    sockets: chainSockets(directories.chains, world, log.child('api')),
    freshChains: createFreshChains({
      ...directories,
      headOf,
      networkKey: (network) => primaryStream(network).key,
      clock: world.clock,
      hasReplicas: config['postgres.replicas'].length > 0,
    }),
    gauges,
    admit: admissionOf(config, services),
    record: (call) => {
      const { key } = callerIn(call.request, keys())
      if (key !== undefined) services.calls.record(call, key)
    },
    callerOf: (request) => callerIn(request, keys()),
    addressOf: addressReader(config['api.trustProxy']),
    readings: services.readings,
    observe: observer(services),
  })

  mountDocument(server)
  mountMcp(server.http, version, log.child('api'))
  mountExportFiles(server.http, exportContextOf(context), log.child('api'))
  if (config['api.explorer'])
    mountExplorer(server.http, status, {
      ...picturesOf(config, services, operations),
      preview: createPreviews(server.http, world.clock),
      brand: services.brand,
    })
  const close = withNewestBlocks(server, services, directories, config['api.newestBlocksReaders'])
  return { ...server, events, status, close }
}

/** Pictures of NFTs, where they are fetched, and logos that the operator names. */
function picturesOf(
  config: Config,
  { world, served, knowledge }: ApiServices,
  operations: readonly Operation[],
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
}: ApiServices): (operation: string, status: number, elapsedMs: number) => void {
  const own = { thread: String(thread) }
  return (operation, status, elapsedMs) => {
    gauges.add('firn_api_requests_total', 1, { operation, status: String(status) })
    gauges.observe('firn_api_request_seconds', elapsedMs / 1_000, { operation })
    gauges.add('firn_api_thread_requests_total', 1, own)
  }
}

/** Serves the OpenAPI document, written when it is first requested: few starts need it. */
function mountDocument({ http }: ApiServer): void {
  let document: Promise<string> | undefined
  const write = async (): Promise<string> => {
    const { describeDocument } = await import('../../api/server/openapi/describe-document.ts')
    const plain = openApiDocument(Object.values(operations), version, dialectRules)
    return JSON.stringify(describeDocument(plain, await readExamples()))
  }
  http.get('/openapi.json', { config: { lane: 'item' } }, async (_request, reply) =>
    reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(await (document ??= write())),
  )
}

/** Adds the stream of newest blocks to a server. Returns the function that ends both. */
function withNewestBlocks(
  server: ApiServer,
  services: ApiServices,
  { chains, networks }: Directories,
  most: number,
): () => Promise<void> {
  const { world, gauges } = services
  const log = services.log.child('api')
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
  { keys, uses, world }: ApiServices,
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

function statusReader(
  config: Config,
  { served, indexer, leases }: ApiServices,
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
