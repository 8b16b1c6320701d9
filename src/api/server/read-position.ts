/**
 * Pages over several readers of one store.
 *
 * A page token says how far the reader of its page was, so that the next page is read from one that
 * is as far: a reader that lags would skip rows without a sign. This part of a token is not sealed:
 * who changes it harms only the own list.
 */

import { recently } from '../../core/bounded-maps.ts'
import { fromHex, toHex } from '../../core/bytes.ts'
import { faultOf } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import { ownValue } from '../../core/json.ts'
import { networkNames } from '../../core/network.ts'
import type { Clock } from '../../core/world.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import type { Database } from '../../store/engine/database.ts'
import type { Position, Replicas } from '../../store/engine/replicas.ts'
import { blockTimestamp } from '../../store/query/evm/blocks.ts'
import { indexedHeight } from '../../store/query/evm/heights.ts'
import { timeOfBlock } from '../../store/query/primary/blocks.ts'
import type { PrimaryChain } from '../../store/schema/primary/position.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { FreshChain, FreshChainOf, FreshChains } from '../operation/freshness.ts'
import type { Answer } from '../operation/operation.ts'
import { chainOf } from '../primary/inputs.ts'
import type { NetworkDirectory } from '../primary/network/networks.ts'

/** Behind a token of text stand a point and 16 bytes; behind one of UUIDs stands one more. */
const textEnd = /^(?<token>[^.]*)\.(?<position>[\w-]{22})$/
const uuidEnd =
  /^(?<token>[0-9a-f-]{36,})-(?<position>f19e5eed-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/
/** Begins the bytes of a position. */
const mark = fromHex('f19e5eed')

/** A token, and where its page was read. */
type PlacedToken = {
  readonly token: string
  /** Hash of the server's number, and the place in its log. */
  readonly position?: { readonly serverHash: string; readonly place: bigint }
}

/** Takes a token apart. */
export function takenApart(token: string): PlacedToken {
  const groups = (textEnd.exec(token) ?? uuidEnd.exec(token))?.groups
  if (groups === undefined) return { token }
  const { token: plain = '', position = '' } = groups
  const bytes =
    position.length === 22
      ? Buffer.from(position, 'base64url')
      : fromHex(position.replaceAll('-', ''))
  return {
    token: plain,
    position: {
      serverHash: toHex(bytes.subarray(4, 8)),
      place: Buffer.from(bytes.subarray(8)).readBigUInt64BE(),
    },
  }
}

/** `token` with the place where its page was read. */
export function withPosition(token: string, { server, place }: Position): string {
  const bytes = Buffer.alloc(16)
  bytes.set(mark)
  bytes.set(fromHex(hashOf(server)), 4)
  bytes.writeBigUInt64BE(place, 8)
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(token)) return `${token}.${bytes.toString('base64url')}`
  const hex = bytes.toString('hex')
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return [token, ...groups, hex.slice(20)].join('-')
}

/** Finds a reader for the page of a token. Throws `not-ready` when none is as far. */
export async function reachToken(readings: Replicas, token: unknown): Promise<void> {
  const position = typeof token === 'string' ? takenApart(token).position : undefined
  if (position === undefined) return
  await readings.reach(position.place, (server) => hashOf(server) === position.serverHash)
}

/** `query` with the token as it was sealed. */
export function plainQuery<Q>(query: Q): Q {
  if (typeof query !== 'object' || query === null || !('pageToken' in query)) return query
  const { pageToken } = query
  return typeof pageToken === 'string'
    ? { ...query, pageToken: takenApart(pageToken).token }
    : query
}

/** `answer`, whose token says where it was read. */
export async function placedAnswer(readings: Replicas, answer: Answer): Promise<Answer> {
  const { body } = answer
  const token: unknown = Reflect.get(Object(body), 'nextPageToken')
  if (typeof token !== 'string') return answer
  const position = await readings.position()
  if (position === undefined) return answer
  const { indexedHeight, headers, immutable } = answer
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one text in place of another
    body: { ...Object(body), nextPageToken: withPosition(token, position) } as never,
    indexedHeight,
    headers,
    immutable,
  }
}

function hashOf(server: string): string {
  return toHex(sha256(Buffer.from(server)).subarray(0, 4))
}

/**
 * Time for which a height is good that a database server gave: a statement there is half of a page.
 * An answer is complete up to what was stored this much before. SQLite answers in a few
 * microseconds.
 */
const heightMs = 20

// Paths with a network that are about no single chain of it.
const ofSeveral = ['/v1/signatureAggregator/', 'addresses:listChainIds', '/teleporterMetrics/']

// Over all chains of a network: no chain of their own.
const scopes = new Set(['total', 'mainnet', 'testnet'])

/**
 * Returns whether an operation with this path may be about one chain; a scope like `total` is
 * several.
 */
export function mayBeOfOneChain(path: string): boolean {
  if (ofSeveral.some((part) => path.includes(part))) return false
  return path.includes('{chainId}') || path.includes('{network}')
}

type FreshChainsOptions = {
  readonly chains: ChainDirectory
  readonly networks: NetworkDirectory
  /** Newest height of a stage of a store, by the store's key, where it was reported of late. */
  readonly headOf: (key: string, stage: string) => number | undefined
  /** Key of the store of a primary network. */
  readonly networkKey: (network: 'mainnet' | 'fuji') => string
  readonly clock: Clock
  /** Several servers answer requests, and each has its own height. */
  readonly hasReplicas: boolean
}

/** Finds the chain of a path. Operations over several chains have none. */
export function createFreshChains(options: FreshChainsOptions): FreshChains {
  const keep = chainKeeper()
  const { clock } = options
  const heights = ({ engine }: Database, read: () => Promise<number>): (() => Promise<number>) =>
    engine === 'sqlite' || options.hasReplicas ? read : recently(read, { clock, forMs: heightMs })
  const evm = (name: string, stage: 'blocks' | 'traces'): FreshChain | undefined => {
    if (scopes.has(name)) return undefined
    const { store, facts } = options.chains.find(name)
    return keep(store, stage, () => ({
      indexedHeight: heights(store, () => indexedHeight(store, stage)),
      timeOf: (height) => blockTimestamp(store, height),
      headHeight: () => options.headOf(facts.key, 'blocks'),
    }))
  }
  const primary = (network: string, blockchainId: string | undefined): FreshChain | undefined => {
    const name = networkNames.find((one) => one === network)
    if (name === undefined) return undefined
    const served = options.networks.find(name)
    const chain: PrimaryChain =
      blockchainId === undefined
        ? 'P'
        : chainOf(options.networks, { network: name, blockchainId }).chain
    const { store } = served
    return keep(store, chain, () => ({
      indexedHeight: heights(store, async () => (await checkpointHeights(store)).get(chain) ?? -1),
      timeOf: (height) => timeOfBlock(store, chain, height),
      headHeight: () => options.headOf(options.networkKey(served.network), chain),
    }))
  }
  const ofChainId = (path: string): FreshChainOf => {
    const stage = path.endsWith('transactions:listInternals') ? 'traces' : 'blocks'
    return (values) => {
      const chainId = textAt(values, 'chainId')
      return chainId === undefined ? undefined : evm(chainId, stage)
    }
  }
  const ofNetwork = (path: string): FreshChainOf => {
    // Blockchains are listed and shown by what the P-Chain says of them.
    const isOfOne = path.includes('/blockchains/{blockchainId}/')
    return (values) => {
      const network = textAt(values, 'network')
      return network === undefined
        ? undefined
        : primary(network, isOfOne ? textAt(values, 'blockchainId') : undefined)
    }
  }
  return (path) => {
    if (!mayBeOfOneChain(path)) return undefined
    const find = path.includes('{chainId}') ? ofChainId(path) : ofNetwork(path)
    return (values) => {
      try {
        return find(values)
      } catch (error) {
        // The operation itself says what is wrong with the name.
        if (faultOf(error) === undefined) throw error
        return undefined
      }
    }
  }
}

/** Makes each chain of a store once. */
function chainKeeper(): (store: Database, stage: string, make: () => FreshChain) => FreshChain {
  const kept = new WeakMap<Database, Map<string, FreshChain>>()
  return (store, stage, make) => {
    const known = kept.get(store)?.get(stage)
    if (known !== undefined) return known
    const stages = kept.get(store) ?? new Map<string, FreshChain>()
    kept.set(store, stages)
    const chain = make()
    stages.set(stage, chain)
    return chain
  }
}

function textAt(values: Parameters<FreshChainOf>[0], name: string): string | undefined {
  const value = ownValue(values, name)
  return typeof value === 'string' ? value : undefined
}
