/** Reads what callers write: chains, lists of addresses and node ids, ids, amounts. */

import { parseEvmAddress, parsePrimaryAddress } from '../../core/address.ts'
import { clip, keyOf, equalBytes } from '../../core/bytes.ts'
import { parseId, parseNodeId } from '../../core/cb58.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { networkNames, publicNetworks } from '../../core/network.ts'
import type { PrimaryChainInfo } from '../../shape/primary/parameters.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import type { Reader } from '../../store/engine/database.ts'
import type { slotLedgers } from '../../store/query/events/watch.ts'
import type { PrimaryChain } from '../../store/schema/primary/position.ts'
import type { NetworkDirectory, ServedNetwork } from './network/networks.ts'

/** Trimmed, non-empty, unique items of a comma-separated list. */
export function itemsOf(text: string): string[] {
  return [...new Set(text.split(',').map((item) => item.trim()))].filter((item) => item !== '')
}

/** The chain of addresses: `chain` where all are of one. */
type Space = { readonly hrp: string; readonly chain?: 'P' | 'X' | 'C' }

/**
 * 20-byte addresses of a list, unique, at least one, at most `max`. Bech32; off the P- and X-Chain also
 * 0x, which is the same 20 bytes. Throws `bad-parameter`.
 */
export function addressesIn(text: string, { hrp, chain }: Space, max: number): Uint8Array[] {
  const items = itemsOf(text)
  checkCount('addresses', items, max)
  const takesHex = chain !== 'P' && chain !== 'X'
  const parsed = items.map((item) => {
    const isHex = item.startsWith('0x')
    if (isHex && !takesHex)
      throw new Fault(
        'bad-parameter',
        `addresses: those of the ${chain}-Chain are ${chain}-${hrp}1…; what an EVM chain has of this one is at /v1/chains/{chainId}/addresses/{address}: ${clip(item)}`,
      )
    return named('addresses', () =>
      isHex ? parseEvmAddress(item) : parsePrimaryAddress(item, hrp),
    )
  })
  return [...new Map(parsed.map((bytes) => [keyOf(bytes), bytes])).values()]
}

/** Addresses by their space: those of outputs, and those of EVM accounts. */
export type AddressSets = {
  readonly owners: readonly Uint8Array[]
  readonly accounts: readonly Uint8Array[]
}

/** As {@link addressesIn}, but 0x names an EVM account. */
export function ownersAndAccountsIn(text: string, hrp: string, max: number): AddressSets {
  const items = itemsOf(text)
  checkCount('addresses', items, max)
  const isAccount = (item: string): boolean => item.startsWith('0x')
  return {
    owners: items
      .filter((item) => !isAccount(item))
      .map((item) => named('addresses', () => parsePrimaryAddress(item, hrp))),
    accounts: items
      .filter(isAccount)
      .map((item) => named('addresses', () => parseEvmAddress(item))),
  }
}

/** 20-byte node ids of a list. Throws `bad-parameter`. */
export function nodeIdsIn(text: string, max: number): Uint8Array[] {
  const items = itemsOf(text)
  checkCount('nodeIds', items, max)
  return items.map((item) => named('nodeIds', () => parseNodeId(item)))
}

/** A node id. Throws `bad-parameter`. */
export function nodeIdIn(parameter: string, text: string): Uint8Array {
  return named(parameter, () => parseNodeId(text))
}

/** A 32-byte id, cb58 or hex. Throws `bad-parameter`. */
export function idIn(parameter: string, text: string): Uint8Array {
  return named(parameter, () => parseId(text))
}

function checkCount(parameter: string, items: readonly string[], max: number): void {
  if (items.length === 0 || items.length > max)
    throw new Fault('bad-parameter', `${parameter} must hold 1 to ${max} entries: ${items.length}`)
}

/** Runs a parser of text, so that its fault names the parameter. */
function named<T>(parameter: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const fault = faultOf(error)
    if (fault?.code !== 'bad-text') throw error
    throw new Fault('bad-parameter', `${parameter}: ${fault.message}`, { cause: error })
  }
}

/** Whole smallest units at or above a number. Throws `bad-parameter`. */
export function amountFrom(parameter: string, value: number | undefined): bigint {
  if (value === undefined) return 0n
  if (!(value < 2 ** 63))
    throw new Fault('bad-parameter', `${parameter} is too large: ${clip(String(value))}`)
  return BigInt(Math.ceil(value))
}

/** A chain of a network. */
export type ChainOf = ServedNetwork & { readonly chain: PrimaryChain }

const ownNames: ReadonlyMap<string, PrimaryChain> = new Map([
  ['p-chain', 'P'],
  ['x-chain', 'X'],
  ['c-chain', 'C'],
])

/** Name of a chain in answers. */
export const chainNameOf = { P: 'p-chain', X: 'x-chain', C: 'c-chain' } as const

type Path = { readonly network: (typeof networkNames)[number]; readonly blockchainId: string }

/** Resolves path values. Throws `not-found` for a network, `bad-parameter` for a chain. */
export function chainOf(networks: NetworkDirectory, path: Path): ChainOf {
  const { chain, text, ...network } = namedChain(networks, path)
  if (chain !== undefined) return { ...network, chain }
  const allowed = 'the id of the P-, X- or C-Chain of this network, p-chain, x-chain or c-chain'
  const elsewhere = Object.values(publicNetworks).some((one) =>
    [one.xChainId, one.cChainId].some((known) => known === text),
  )
  throw new Fault(
    'bad-parameter',
    `blockchainId must be ${allowed}${elsewhere ? ' (it belongs to another network)' : ''}: ${clip(text)}`,
  )
}

/**
 * A network, and which of its three chains a name means; `undefined` for any other chain. `text`
 * is the name, or what it is an alias of. Throws `not-found` for a network.
 */
export function namedChain(
  networks: NetworkDirectory,
  path: Path,
): ServedNetwork & { readonly chain: PrimaryChain | undefined; readonly text: string } {
  const network = networks.find(path.network)
  const own = ownNames.get(path.blockchainId)
  if (own !== undefined) return { ...network, chain: own, text: path.blockchainId }
  const text = networks.alias(path.blockchainId) ?? path.blockchainId
  return { ...network, chain: chainById(network, text), text }
}

function chainById(network: ServedNetwork, text: string): PrimaryChain | undefined {
  const id = parsed(() => parseId(text))
  const { chainIds } = network
  for (const chain of ['P', 'X', 'C'] as const) {
    if (id !== undefined && equalBytes(chainIds[chain], id)) return chain
  }
  // Clients know the public networks' ids only; for a private network they mean its own chains.
  const known = publicNetworks[network.network]
  if (text === known.xChainId) return 'X'
  return text === known.cChainId ? 'C' : undefined
}

/** The value of a parser, or nothing where the text has another form. */
export function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (faultOf(error)?.code === 'bad-text') return undefined
    throw error
  }
}

/** Throws `bad-parameter` for another chain than the one that an operation is for, named as the caller named it. */
export function checkChain({ chain }: ChainOf, wanted: PrimaryChain, name: string): void {
  if (chain !== wanted)
    throw new Fault(
      'bad-parameter',
      `blockchainId must be ${chainNameOf[wanted]} or its id here: ${name}`,
    )
}

/** `chainInfo` of an answer. */
export function chainInfo(of: ChainOf): PrimaryChainInfo {
  return { chainName: chainNameOf[of.chain], network: of.network }
}

/**
 * Last height of a chain that is whole, or was compared with the schedule, as an answer's property; absent before the
 * first.
 */
export async function indexedTo(
  store: Reader,
  stage: PrimaryChain | (typeof slotLedgers)[PrimaryChain],
): Promise<{ readonly indexedHeight?: number }> {
  const height = (await checkpointHeights(store)).get(stage) ?? -1
  // Below 0 is what the X-Chain had before its blocks.
  return height < 0 ? {} : { indexedHeight: height }
}

/**
 * `not-found`: what was requested on `chain` is not there, or nothing of the chain is, as without a
 * node.
 */
export async function unknownOn({ store, chain }: ChainOf, what: string): Promise<Fault> {
  const isIndexed = (await checkpointHeights(store)).has(chain)
  const where = isIndexed
    ? 'on this chain'
    : `here: no block of the ${chainNameOf[chain]} is indexed`
  return new Fault('not-found', `${what} is not known ${where}`)
}
