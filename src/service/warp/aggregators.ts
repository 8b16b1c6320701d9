/** Signature aggregators of the configured networks, each opened once its node was heard. */

import type { OpenAggregator, ServedAggregators } from '../../api/icm/aggregators.ts'
import type { ServedNetwork } from '../../api/primary/network/networks.ts'
import type { NetworkConfig } from '../../config/chain-settings.ts'
import type { Config } from '../../config/settings.ts'
import { toCb58 } from '../../core/cb58.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import type { Network } from '../../core/network.ts'
import type { Clock, World } from '../../core/world.ts'
import { parsePeer } from '../../peer/address-book.ts'
import { openIdentity } from '../../peer/identity.ts'
import { openRecordedPrimary } from '../../source/primary/recorded-source.ts'
import { integerIn } from '../../source/rpc/node-text.ts'
import type { Database } from '../../store/engine/database.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Aggregator } from '../../warp/aggregator.ts'
import type { MessageSource } from '../../warp/messages/message-source.ts'
import { nodeMessages } from '../../warp/messages/node-messages.ts'
import { createNode } from '../../warp/node.ts'
import { type AggregatorSources, openAggregator } from '../../warp/open-aggregator.ts'
import { comparedValidators, nodeValidators } from '../../warp/validator-source.ts'
import { networkIdOf } from '../chain-specs.ts'
import { indexedMessages, messagesOver } from './indexed-messages.ts'
import { indexedValidators, storedValidators } from './indexed-validators.ts'
import { openRecordedAggregator } from './recorded-aggregator.ts'

/** Aggregators that are open so far. */
export type Aggregators = {
  readonly byNetwork: ServedAggregators
  /** Our id on the peer-to-peer network; the same on every network with one key folder. */
  readonly nodeId: () => string | undefined
  readonly close: () => Promise<void>
}

/** All that aggregators take of the process. */
export type AggregatorsOptions = {
  readonly world: World
  readonly log: Log
  readonly signal: AbortSignal
  readonly gauges: Gauges
  /** Primary networks indexed so far: they know what a node has forgotten. */
  readonly networks: () => readonly ServedNetwork[]
}

const retryMs = 5_000

/**
 * Starts to open them; a node that is away is tried again until `signal` is aborted.
 *
 * Throws `bad-config` or `bad-text` at once for an identity or a peer that is not one.
 */
export async function openAggregators(
  config: Config,
  options: AggregatorsOptions,
): Promise<Aggregators> {
  const { world, log, signal } = options
  const byNetwork: { [name in Network]?: OpenAggregator | 'opening' } = {}
  const opening: Promise<void>[] = []
  let nodeId: string | undefined
  for (const name of ['mainnet', 'fuji'] as const) {
    const network = config.networks[name]
    if (!config['warp.enabled'] || network === undefined) continue
    if (network.recording !== '') {
      const served = await recordedAggregator(name, network, options)
      if (served !== undefined) byNetwork[name] = served
      continue
    }
    const hasNode = network.nodeUrl !== ''
    if (!hasNode && network.source === 'node') continue
    for (const peer of network.peers) parsePeer(peer)
    byNetwork[name] = 'opening'
    const stakingKeyDir = network.stakingKeyDir || `${config.dataDir}/staking`
    const identity = await openIdentity(world, stakingKeyDir)
    nodeId ??= identity.nodeId
    const open = async (): Promise<void> => {
      const networkId = hasNode
        ? await nodesNetworkId(network.nodeUrl, world, signal)
        : networkIdOf(name, network)
      const settings = {
        networkId,
        nodeUrl: network.nodeUrl,
        stakingKeyDir,
        peers: network.peers,
        allowPrivateIps: networkId !== 1 && networkId !== 5,
        timeoutMs: config['warp.timeoutMs'],
        maxLookback: config['warp.maxLookback'],
      }
      const sources = sourcesOf(name, network, options)
      const aggregator = await openAggregator(world, log.child('warp'), settings, sources)
      const measuring = { gauges: options.gauges, clock: world.clock }
      byNetwork[name] = { networkId, aggregator: measuredAggregator(aggregator, name, measuring) }
    }
    opening.push(untilDone(open, options))
  }
  const opened = Promise.allSettled(opening)
  return {
    byNetwork,
    nodeId: () => nodeId,
    close: async () => {
      await opened
      for (const served of Object.values(byNetwork)) {
        if (served !== 'opening') await served.aggregator.close()
      }
    },
  }
}

/** Signatures of a recording's validators; `undefined` where there are none. */
async function recordedAggregator(
  name: Network,
  { recording }: NetworkConfig,
  options: AggregatorsOptions,
): Promise<OpenAggregator | undefined> {
  const { world, log, gauges, networks } = options
  const file = await world.files.read(recording)
  if (file === undefined) return undefined
  const recorded = openRecordedPrimary(file)
  if (recorded.signatures().length === 0) return undefined
  const index = (): Database | undefined =>
    networks().find(({ network }) => network === name)?.store
  const { networkId, aggregator } = await openRecordedAggregator(recorded, index, {
    ...options,
    log: log.child('warp'),
  })
  const measuring = { gauges, clock: world.clock }
  return { networkId, aggregator: measuredAggregator(aggregator, name, measuring) }
}

/** Our index of the network, as soon and as far as there is one; else the node, where there is one. */
function sourcesOf(
  name: Network,
  { nodeUrl, primary }: NetworkConfig,
  { world, networks, log }: AggregatorsOptions,
): AggregatorSources {
  const store = (): Database | undefined =>
    networks().find(({ network }) => network === name)?.store
  const index = (): MessageSource | undefined => {
    const database = store()
    return database === undefined ? undefined : indexedMessages(database)
  }
  const replayed = indexedValidators(store, world.clock)
  if (nodeUrl === '') {
    const messages = awaitingIndex(messagesOver(index, noMessages))
    return { messages, validators: storedValidators(store, replayed, world.clock) }
  }
  const node = createNode(world.transport, nodeUrl)
  const messages = messagesOver(index, nodeMessages(node))
  return {
    messages: primary ? awaitingIndex(messages) : messages,
    validators: comparedValidators(nodeValidators(node, world.clock), replayed, log.child('warp')),
  }
}

const noMessages: MessageSource = {
  transaction: async () => undefined,
  validation: async () => undefined,
  managerChain: async () => undefined,
}

/**
 * An index knows every validation of the transactions it has reached. A validation that neither the
 * index nor the node knows is in a transaction that the index has yet to reach, so another attempt
 * helps.
 */
function awaitingIndex(messages: MessageSource): MessageSource {
  return {
    ...messages,
    validation: async (validationId, signal) => {
      const found = await messages.validation(validationId, signal)
      if (found !== undefined) return found
      const name = toCb58(validationId)
      throw new Fault('not-served', `the index has not reached this validation yet: ${name}`)
    },
  }
}

async function untilDone(
  work: () => Promise<void>,
  options: { readonly world: World; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  while (!options.signal.aborted) {
    try {
      await work()
      return
    } catch (error) {
      const fault = faultOf(error)
      if (options.signal.aborted) return
      if (fault === undefined || !fault.retryable) {
        options.log.error('aggregator cannot be opened', { reason: String(error) })
        return
      }
      options.log.warn('aggregator waits for its node', { reason: fault.message })
      await options.world.clock.sleep(retryMs, options.signal).catch(() => undefined)
    }
  }
}

async function nodesNetworkId(nodeUrl: string, world: World, signal: AbortSignal): Promise<number> {
  const node = createNode(world.transport, nodeUrl)
  const answer = await node.call('/ext/info', 'info.getNetworkID', {}, signal)
  return integerIn(answer, 'networkID')
}

const answerKinds = ['signed', 'cached', 'wrong', 'refused', 'silent'] as const

/** `aggregator` as it is, written down in `gauges` under `network`. */
export function measuredAggregator(
  aggregator: Aggregator,
  network: string,
  { gauges, clock }: { readonly gauges: Gauges; readonly clock: Clock },
): Aggregator {
  const measured = async (
    work: () => Promise<Uint8Array>,
    signal: AbortSignal,
  ): Promise<Uint8Array> => {
    const startedAt = clock.monotonic()
    let outcome = 'signed'
    try {
      return await work()
    } catch (error) {
      outcome = signal.aborted ? 'aborted' : (faultOf(error)?.code ?? 'internal')
      throw error
    } finally {
      gauges.add('firn_warp_requests_total', 1, { network, outcome })
      const seconds = (clock.monotonic() - startedAt) / 1_000
      gauges.observe('firn_warp_request_seconds', seconds, { network })
    }
  }
  const written = { signed: 0, cached: 0, wrong: 0, refused: 0, silent: 0 }
  gauges.onRead(() => {
    const { peers, counters } = aggregator.status()
    gauges.set('firn_warp_connected_peers', peers.connected, { network })
    const counted = { ...counters, signed: counters.signatures }
    for (const kind of answerKinds) {
      const report = counted[kind] - written[kind]
      written[kind] = counted[kind]
      gauges.add('firn_warp_answers_total', report, { network, kind })
    }
  })
  return {
    ...aggregator,
    aggregate: (request, signal) => measured(() => aggregator.aggregate(request, signal), signal),
    aggregateTransaction: (txId, signal) =>
      measured(() => aggregator.aggregateTransaction(txId, signal), signal),
  }
}
