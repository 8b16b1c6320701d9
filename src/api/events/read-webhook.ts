/** Reads what a caller registers. */

import { parseEvmAddress, parsePrimaryAddress, toPrimaryAddress } from '../../core/address.ts'
import { clip, keyOf, to0x } from '../../core/bytes.ts'
import { parseId, parseNodeId, toCb58, toNodeId } from '../../core/cb58.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import type { Describe } from '../../events/message.ts'
import type { CreateWebhookBody } from '../../shape/events/webhook.ts'
import type { Static } from '../../shape/type.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import { type Watched, watchedText, type WebhookLedger } from '../../store/query/events/watch.ts'
import type { WatchedEvent, WebhookBody } from '../../store/query/events/webhooks.ts'
import { posOfHeight } from '../../store/query/evm/position.ts'
import { blockIdOf, chainNumbers, firstPosOf } from '../../store/schema/primary/position.ts'
import { eventNamed, topicsWanted } from '../evm/abi/list-contract-events.ts'
import type { EvmContext } from '../evm/evm-context.ts'
import type { ServedChain, ChainDirectory } from '../operation/chain-directory.ts'
import type { NetworkDirectory } from '../primary/network/networks.ts'
import { addressEvents } from './address-event.ts'
import { evmEvents } from './evm-event.ts'
import type { EventContext } from './own-webhook.ts'
import { validatorEvents } from './validator-event.ts'

/** The request body that registers a webhook. */
type Body = Static<typeof CreateWebhookBody>

/** A webhook that is not registered yet, and the place from which it is sent. */
type ReadWebhook = {
  readonly store: string
  readonly ledger: WebhookLedger
  readonly from: number
  readonly body: WebhookBody
}

/** Checks a request. Throws `bad-parameter`, and `not-found` or `not-ready` for a chain. */
export function readWebhook(
  context: EventContext,
  body: Body,
  signal: AbortSignal,
): Promise<ReadWebhook> {
  if (body.eventType !== 'address_activity' && body.metadata.event !== undefined)
    throw new Fault('bad-parameter', 'metadata.event is for EVM chains only')
  switch (body.eventType) {
    case 'address_activity':
      return ofEvm(context, body, signal)
    case 'primary_network_address_activity':
      return ofAddresses(context, body)
    default:
      return ofValidators(context, body)
  }
}

/** An address messages may be sent to. Throws `bad-parameter`. */
export function urlIn(context: EventContext, text: string): string {
  if (!URL.canParse(text)) throw bad('url must be an address of http or https', text)
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw bad('url must be an address of http or https', text)
  if (url.username !== '' || url.password !== '')
    throw new Fault('bad-parameter', 'url must not hold a user name or password')
  const problem = context.problemOf(url)
  if (problem !== undefined)
    throw bad(`url: ${problem} (what is not, the setting events.privateHosts allows)`, text)
  url.hash = ''
  return url.href
}

/** EVM addresses, each once. Throws `bad-parameter`, also for more than `most`. */
export function evmAddressesIn(texts: readonly string[], most: number): Uint8Array[] {
  const parsed = unique('metadata.addresses', texts, parseEvmAddress)
  checkCount('metadata.addresses', parsed.length, most)
  return parsed
}

/** First place after the newest block that the chain has, as far as anybody reported. */
export async function evmStart(context: EventContext, chain: ServedChain): Promise<number> {
  const stored = (await checkpointHeights(chain.store)).get('blocks') ?? -1
  const head = context.headOf(chain.facts.key, 'blocks') ?? (await chain.headHeight?.()) ?? stored
  return posOfHeight(Math.max(stored, head) + 1)
}

/** The ledger of a webhook of an EVM chain. Throws `bad-parameter` where there are no traces. */
export function evmLedger(chain: ServedChain, withInternals: boolean): WebhookLedger {
  if (!withInternals) return 'blocks'
  if (chain.wantsTraces) return 'traces'
  throw new Fault('bad-parameter', 'includeInternalTxs: traces of this chain are not indexed')
}

async function ofEvm(context: EventContext, body: Body, signal: AbortSignal): Promise<ReadWebhook> {
  const { metadata, chainId = '' } = body
  if (chainId === '') throw new Fault('bad-parameter', 'chainId is required')
  const chain = context.chains.find(chainId)
  const addresses = evmAddressesIn(metadata.addresses ?? [], context.limits.addresses)
  const { event } = metadata
  const watched = event && (await eventOf(context, { chain, addresses, event, signal }))
  const from = await evmStart(context, chain)
  const includeInternalTxs = body.includeInternalTxs ?? false
  return {
    store: chain.facts.key,
    ledger: evmLedger(chain, includeInternalTxs),
    from,
    body: {
      ...common(context, body),
      chainId: String(chain.facts.evmChainId),
      includeInternalTxs,
      includeLogs: body.includeLogs ?? false,
      event: watched,
      subEvents: [],
      keys: [],
      only: [],
      watched: watchedText({
        kind: 'addresses',
        addresses: addresses.map((bytes) => ({ bytes, from })),
      }),
    },
  }
}

/** An event by the ABI of the first address. Throws as {@link eventNamed} and {@link topicsWanted}. */
async function eventOf(
  { evm }: EventContext,
  of: {
    readonly chain: ServedChain
    readonly addresses: readonly Uint8Array[]
    readonly event: NonNullable<Body['metadata']['event']>
    readonly signal: AbortSignal
  },
): Promise<WatchedEvent> {
  const { name, arguments: wanted = {} } = of.event
  const [address = new Uint8Array()] = of.addresses
  const found = await eventNamed(evm, of.chain, { address, name, signal: of.signal })
  const topics = topicsWanted(found, wanted).map((one) => one?.[0])
  return {
    ...of.event,
    topics: [found.hash, ...topics].map((one) => (one === undefined ? null : to0x(one))),
  }
}

async function ofAddresses(context: EventContext, body: Body): Promise<ReadWebhook> {
  const { metadata } = body
  const ledger = body.chainId === 'x-chain' ? 'X' : 'P'
  if (body.chainId !== 'x-chain' && (body.chainId ?? 'p-chain') !== 'p-chain')
    throw bad('chainId must be p-chain or x-chain', body.chainId ?? '')
  const { network, from, store, hrp } = await networkStart(context, body, ledger)
  if ((metadata.keyType ?? 'addresses') !== 'addresses')
    throw bad('metadata.keyType must be addresses', metadata.keyType ?? '')
  const addresses = unique('metadata.keys', metadata.keys ?? [], (text) =>
    parsePrimaryAddress(text, hrp),
  )
  checkCount('metadata.keys', addresses.length, context.limits.addresses)
  const subEvents = metadata.subEvents?.addressActivitySubEvents ?? []
  checkCount('metadata.subEvents.addressActivitySubEvents', subEvents.length, subEvents.length)
  const filter = metadata.balanceThresholdFilter
  if (subEvents.includes('balance_threshold') && filter === undefined)
    throw new Fault('bad-parameter', 'balance_threshold needs metadata.balanceThresholdFilter')
  return {
    store,
    ledger,
    from,
    body: {
      ...common(context, body),
      ...plain,
      network,
      chainId: ledger === 'X' ? 'x-chain' : 'p-chain',
      subEvents: [...new Set(subEvents)],
      balance:
        filter === undefined
          ? undefined
          : { type: filter.balanceType, threshold: filter.balanceThreshold },
      keys: addresses.map((bytes) => toPrimaryAddress(hrp, bytes)),
      only: [],
      watched: watchedText({
        kind: 'addresses',
        addresses: addresses.map((bytes) => ({ bytes, from })),
      }),
    },
  }
}

async function ofValidators(context: EventContext, body: Body): Promise<ReadWebhook> {
  const { metadata } = body
  if ((body.chainId ?? 'p-chain') !== 'p-chain')
    throw bad('chainId must be p-chain', body.chainId ?? '')
  const { network, from, store } = await networkStart(context, body, 'P')
  const { kind, key, only } = validatorsIn(metadata, context.limits.addresses)
  const subEvents = metadata.subEvents?.validatorActivitySubEvents ?? []
  checkCount('metadata.subEvents.validatorActivitySubEvents', subEvents.length, subEvents.length)
  const l1Threshold = l1ThresholdIn(metadata, subEvents)
  const watched: Watched = {
    kind,
    key,
    only,
    from,
    l1Threshold,
  }
  const [showKey, showOther] = kind === 'node' ? [toNodeId, toCb58] : [toCb58, toNodeId]
  return {
    store,
    ledger: 'P',
    from,
    body: {
      ...common(context, body),
      ...plain,
      network,
      chainId: 'p-chain',
      subEvents: [...new Set(subEvents)],
      keys: [showKey(key)],
      only: only.map(showOther),
      watched: watchedText(watched),
    },
  }
}

/** A node and subnets of it, or a subnet and nodes of it. */
type NamedValidators = Pick<Extract<Watched, { kind: 'node' | 'subnet' }>, 'kind' | 'key' | 'only'>

function validatorsIn(metadata: Body['metadata'], most: number): NamedValidators {
  const kind = metadata.keyType === 'nodeId' ? 'node' : 'subnet'
  if (metadata.keyType !== 'nodeId' && metadata.keyType !== 'subnetId')
    throw bad('metadata.keyType must be nodeId or subnetId', metadata.keyType ?? '')
  const [parseKey, parseOther] = kind === 'node' ? [parseNodeId, parseId] : [parseId, parseNodeId]
  const [key, ...more] = unique('metadata.keys', metadata.keys ?? [], parseKey)
  if (key === undefined || more.length > 0)
    throw new Fault('bad-parameter', 'metadata.keys must hold exactly one')
  const name = kind === 'node' ? 'subnetIds' : 'nodeIds'
  const only = unique(`metadata.${name}`, metadata[name] ?? [], parseOther)
  if (only.length > 0) checkCount(`metadata.${name}`, only.length, most)
  return { kind, key, only }
}

/** nAVAX; `undefined` where balances of L1 validators are not requested. */
function l1ThresholdIn(
  { l1ValidatorFeeBalanceThreshold: threshold }: Body['metadata'],
  subEvents: readonly string[],
): bigint | undefined {
  if (!subEvents.includes('l1_validator_balance_threshold')) return undefined
  if (threshold === undefined)
    throw new Fault(
      'bad-parameter',
      'l1_validator_balance_threshold needs metadata.l1ValidatorFeeBalanceThreshold',
    )
  return BigInt(threshold)
}

const plain = { includeInternalTxs: false, includeLogs: false } as const

function common(
  context: EventContext,
  { eventType, url = '', format, name = '', description = '', metadata }: Body,
): Pick<WebhookBody, 'eventType' | 'url' | 'format' | 'name' | 'description' | 'eventSignatures'> {
  const eventSignatures = (metadata.eventSignatures ?? []).map((text) => text.toLowerCase())
  const wrong = eventSignatures.find((text) => !/^0x[0-9a-f]{64}$/.test(text))
  if (wrong !== undefined) throw bad('metadata.eventSignatures must be 32 bytes in hex', wrong)
  if (eventSignatures.length > 0) {
    if (eventType !== 'address_activity')
      throw new Fault('bad-parameter', 'metadata.eventSignatures are for EVM chains only')
    checkCount('metadata.eventSignatures', eventSignatures.length, mostSignatures)
  }
  const address = url === '' ? '' : urlIn(context, url)
  return { eventType, url: address, format, name, description, eventSignatures }
}

/** Signatures of one webhook: few contracts log more kinds. */
const mostSignatures = 256

async function networkStart(
  context: EventContext,
  { network = 'mainnet' }: Body,
  chain: 'P' | 'X',
): Promise<{
  readonly network: 'mainnet' | 'fuji'
  readonly from: number
  readonly store: string
  readonly hrp: string
}> {
  const served = context.networks.find(network)
  const store = context.networkKey(network)
  const stored = (await checkpointHeights(served.store)).get(chain) ?? -1
  const height = Math.max(stored, context.headOf(store, chain) ?? -1) + 1
  const from = firstPosOf(blockIdOf(chainNumbers[chain], height))
  return { network, from, store, hrp: served.hrp }
}

function unique(
  name: string,
  texts: readonly string[],
  parse: (text: string) => Uint8Array,
): Uint8Array[] {
  const parsed = texts.map((text) => {
    try {
      return parse(text)
    } catch (error) {
      if (faultOf(error)?.code !== 'bad-text') throw error
      throw bad(`${name} has an invalid entry`, text)
    }
  })
  return [...new Map(parsed.map((bytes) => [keyOf(bytes), bytes])).values()]
}

function checkCount(name: string, count: number, most: number): void {
  if (count === 0 || count > most)
    throw new Fault(
      'bad-parameter',
      `${name} must hold 1 to ${Math.max(1, most)} entries: ${count}`,
    )
}

function bad(what: string, value: string): Fault {
  return new Fault('bad-parameter', `${what}: ${clip(value)}`)
}

/** Describes places of every chain served here. Rejects `not-served` where a node is needed. */
export function describePlaces(
  evm: EvmContext,
  { chains, networks }: { readonly chains: ChainDirectory; readonly networks: NetworkDirectory },
): Describe {
  return async (webhook, pos, signal) => {
    const { eventType, network = 'fuji' } = webhook.body
    if (eventType === 'address_activity') {
      const chain = chains.all().find(({ facts }) => facts.key === webhook.store)
      return chain === undefined ? [] : evmEvents(evm, { webhook, chain, pos }, signal)
    }
    const served = networks.find(network)
    if (eventType === 'validator_activity')
      return validatorEvents({ ...served, chain: 'P' }, webhook, pos)
    const chain = webhook.ledger === 'X' ? 'X' : 'P'
    return addressEvents({ ...served, chain }, webhook, pos)
  }
}
