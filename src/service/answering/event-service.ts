/** Webhooks of this process, put together: their operations, their delivery, and who listens. */

import { mountStreams } from '../../api/events/event-streams.ts'
import type { EventContext } from '../../api/events/own-webhook.ts'
import { describePlaces } from '../../api/events/read-webhook.ts'
import type { EvmContext } from '../../api/evm/evm-context.ts'
import type { NetworkDirectory } from '../../api/primary/network/networks.ts'
import type { StoredKey } from '../../api/server/admission/api-keys.ts'
import type { ApiServer } from '../../api/server/server.ts'
import type { Config } from '../../config/settings.ts'
import { Fault } from '../../core/fault.ts'
import type { World } from '../../core/world.ts'
import { runDeliverer } from '../../events/deliverer.ts'
import type { Delivery } from '../../events/delivery.ts'
import { OutboxWatch } from '../../events/outbox-watch.ts'
import { isPrivateHost } from '../../events/sending.ts'
import type { Database, Reader } from '../../store/engine/database.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Log } from '../../telemetry/log.ts'
import { primaryStream } from '../chain-specs.ts'

type EventServices = {
  readonly world: World
  readonly log: Log
  readonly gauges: Gauges
  /** The store of webhooks, open for writing. */
  readonly webhooks: Database
  /** Names this process in leases, and no other. */
  readonly owner: string
  readonly evm: EvmContext
  readonly networks: NetworkDirectory
  readonly headOf: EventContext['headOf']
  /** API keys as they are now. */
  readonly keys: () => readonly StoredKey[]
}

/** Webhooks at work. */
export type EventService = {
  readonly context: EventContext
  /** Adds streams to `server` and begins to look for new messages for them. */
  readonly start: (server: ApiServer) => void
  /** Begins to deliver to webhooks: one thread of a process does. */
  readonly deliver: (failed: (error: unknown) => void) => void
  /** Ends every stream and what is being delivered. */
  readonly close: () => Promise<void>
}

/** Puts webhooks together; nothing runs yet. Throws `bad-config`. */
export function eventService(config: Config, services: EventServices): EventService {
  const { world, webhooks, evm, networks } = services
  const { chains } = evm
  const { clock, random } = world
  const log = services.log.child('events')
  const stores = (): ReadonlyMap<string, Reader> => storesOf(services)
  const outboxes = new OutboxWatch(clock, stores)
  const isLive = (owner: string): boolean =>
    owner === '' ||
    services.keys().some(({ id, revokedAt }) => id === owner && revokedAt === undefined)
  const privateHosts = config['events.privateHosts']
  const sources = {
    storeOf: (key: string) => stores().get(key),
    describe: describePlaces(evm, { chains, networks }),
  }
  const context: EventContext = {
    webhooks: async () => webhooks,
    chains,
    evm,
    networks,
    networkKey,
    headOf: services.headOf,
    clock,
    random,
    problemOf: (url) =>
      isPrivateHost(privateHosts, url) ? undefined : world.publicUrlProblem?.(url),
    isLive,
    reader: sources,
    outboxes,
    listeners: new Map(),
    limits: limitsOf(config),
  }
  const over = new AbortController()
  const running: Promise<unknown>[] = []
  const delivery = { ...deliveryOf(config, services), sources }
  const { owner } = services
  const deliverer = { delivery, database: webhooks, owner, outboxes, isLive, clock, log }
  return {
    context,
    start: (server) => {
      const endStreams = mountStreams(server.http, {
        admission: server.forStreams,
        events: context,
        log,
        sendTimeoutMs: config['api.sendTimeoutMs'],
      })
      over.signal.addEventListener('abort', endStreams)
      running.push(
        outboxes.run(over.signal, (error) => log.debug('outbox not read now', { error })),
      )
    },
    deliver: (failed) => {
      running.push(runDeliverer(deliverer, over.signal).catch(failed))
    },
    close: async () => {
      over.abort()
      await Promise.all(running)
    },
  }
}

const networkKey = (network: 'mainnet' | 'fuji'): string => primaryStream(network).key

/** Stores of the chains and networks served, by key. */
function storesOf({ evm, networks }: EventServices): ReadonlyMap<string, Reader> {
  return new Map([
    ...evm.chains.all().map(({ facts, store }) => [facts.key, store] as const),
    ...networks.all().map(({ network, store }) => [networkKey(network), store] as const),
  ])
}

function limitsOf(config: Config): EventContext['limits'] {
  return {
    webhooks: config['events.webhooksPerKey'],
    addresses: config['events.addressesPerWebhook'],
    listeners: config['events.listenersPerKey'],
  }
}

function deliveryOf(config: Config, { world, gauges }: EventServices): Omit<Delivery, 'sources'> {
  const { clock, publicTransport, transport } = world
  // The setting `events.retrySeconds`. Throws `bad-config`.
  const texts = config['events.retrySeconds']
  const wrong = texts.find((text) => !/^\d{1,7}(\.\d{1,3})?$/.test(text))
  if (wrong !== undefined)
    throw new Fault('bad-config', `events.retrySeconds must be numbers of seconds: ${wrong}`)
  return {
    sending: {
      publicTransport,
      transport,
      privateHosts: config['events.privateHosts'],
      signature: config['events.signature'],
    },
    clock,
    retryMs: texts.map((text) => Number(text) * 1_000),
    counted: (outcome) => gauges.add('firn_events_messages_total', 1, { outcome }),
  }
}
