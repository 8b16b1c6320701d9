/** The chain a caller means, and how far it is indexed. */

import { clip, equalBytes } from '../../core/bytes.ts'
import { parseId } from '../../core/cb58.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { networkNames, publicNetworks } from '../../core/network.ts'
import type { PrimaryChainInfo } from '../../shape/primary/chain-info.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import type { Reader } from '../../store/engine/database.ts'
import type { PrimaryChain } from '../../store/schema/primary/position.ts'
import type { NetworkDirectory, ServedNetwork } from './network-directory.ts'

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
  const id = idOrUndefined(text)
  const { chainIds } = network
  for (const chain of ['P', 'X', 'C'] as const) {
    if (id !== undefined && equalBytes(chainIds[chain], id)) return chain
  }
  // Clients know the public networks' ids only; for a private network they mean its own chains.
  const known = publicNetworks[network.network]
  if (text === known.xChainId) return 'X'
  return text === known.cChainId ? 'C' : undefined
}

function idOrUndefined(text: string): Uint8Array | undefined {
  try {
    return parseId(text)
  } catch (error) {
    if (faultOf(error)?.code === 'bad-text') return undefined
    throw error
  }
}

/** `chainInfo` of an answer. */
export function chainInfo(of: ChainOf): PrimaryChainInfo {
  return { chainName: chainNameOf[of.chain], network: of.network }
}

/** Last height of `chain` that is whole, as an answer's property; absent before the first. */
export async function indexedTo(
  store: Reader,
  chain: PrimaryChain,
): Promise<{ readonly indexedHeight?: number }> {
  const height = (await checkpointHeights(store)).get(chain) ?? -1
  // Below 0 is what the X-Chain had before its blocks.
  return height < 0 ? {} : { indexedHeight: height }
}

/** `not-found`: what was asked for on `chain` is not there, or nothing of the chain is, as without a node. */
export async function unknownOn({ store, chain }: ChainOf, what: string): Promise<Fault> {
  const isIndexed = (await checkpointHeights(store)).has(chain)
  const where = isIndexed
    ? 'on this chain'
    : `here: no block of the ${chainNameOf[chain]} is indexed`
  return new Fault('not-found', `${what} is not known ${where}`)
}
