/** The chains that paths name, as far as they are indexed. */

import { recently } from '../../core/bounded-maps.ts'
import { faultOf } from '../../core/fault.ts'
import { ownValue } from '../../core/json.ts'
import { networkNames } from '../../core/network.ts'
import type { Clock } from '../../core/world.ts'
import { checkpointHeights } from '../../store/checkpoint.ts'
import type { Database } from '../../store/engine/database.ts'
import { blockTimestamp } from '../../store/query/evm/blocks.ts'
import { indexedHeight } from '../../store/query/evm/heights.ts'
import { timeOfBlock } from '../../store/query/primary/blocks.ts'
import type { PrimaryChain } from '../../store/schema/primary/position.ts'
import type { ChainDirectory } from '../operation/chain-directory.ts'
import type { FreshChain, FreshChainOf, FreshChains } from '../operation/freshness.ts'
import { chainOf } from '../primary/chain-of.ts'
import type { NetworkDirectory } from '../primary/network-directory.ts'

/** Parts of the process that this uses. */
export type FreshParts = {
  readonly chains: ChainDirectory
  readonly networks: NetworkDirectory
  /** Newest height of a stage of a store, by the store's key, where it was told of late. */
  readonly headOf: (key: string, stage: string) => number | undefined
  /** Key of the store of a primary network. */
  readonly networkKey: (network: 'mainnet' | 'fuji') => string
  readonly clock: Clock
  /** Requests are answered by several servers, each of which is as far as it is. */
  readonly hasReplicas: boolean
}

/**
 * Time for which a height is good that a database server told: a statement there is half of a page.
 * An answer is complete up to what was stored this much before. SQLite tells in a few microseconds.
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

/** Finds the chain of a path. Operations over several chains have none. */
export function createFreshChains(parts: FreshParts): FreshChains {
  const keep = chainKeeper()
  const { clock } = parts
  const heights = ({ engine }: Database, read: () => Promise<number>): (() => Promise<number>) =>
    engine === 'sqlite' || parts.hasReplicas ? read : recently(read, { clock, forMs: heightMs })
  const evm = (name: string, stage: 'blocks' | 'traces'): FreshChain | undefined => {
    if (scopes.has(name)) return undefined
    const { store, facts } = parts.chains.find(name)
    return keep(store, stage, () => ({
      indexedHeight: heights(store, () => indexedHeight(store, stage)),
      timeOf: (height) => blockTimestamp(store, height),
      headHeight: () => parts.headOf(facts.key, 'blocks'),
    }))
  }
  const primary = (network: string, blockchainId: string | undefined): FreshChain | undefined => {
    const name = networkNames.find((one) => one === network)
    if (name === undefined) return undefined
    const served = parts.networks.find(name)
    const chain: PrimaryChain =
      blockchainId === undefined
        ? 'P'
        : chainOf(parts.networks, { network: name, blockchainId }).chain
    const { store } = served
    return keep(store, chain, () => ({
      indexedHeight: heights(store, async () => (await checkpointHeights(store)).get(chain) ?? -1),
      timeOf: (height) => timeOfBlock(store, chain, height),
      headHeight: () => parts.headOf(parts.networkKey(served.network), chain),
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
    // Blockchains are listed and told by what the P-Chain says of them.
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

type Keep = (store: Database, stage: string, make: () => FreshChain) => FreshChain

/** Makes each chain of a store once. */
function chainKeeper(): Keep {
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
