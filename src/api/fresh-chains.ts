/** The chains that paths name, as far as they are indexed. */

import { faultOf } from '../core/fault.ts'
import { networkNames } from '../core/network.ts'
import { ownValue } from '../core/own-value.ts'
import { checkpointHeights } from '../store/checkpoint.ts'
import type { Reader } from '../store/engine/database.ts'
import { blockTimestamp } from '../store/query/evm/blocks.ts'
import { indexedHeight } from '../store/query/evm/indexed-height.ts'
import { timeOfBlock } from '../store/query/primary/blocks.ts'
import type { PrimaryChain } from '../store/schema/primary-position.ts'
import type { ChainDirectory } from './chain-directory.ts'
import type { FreshChain, FreshChains } from './freshness.ts'
import { chainOf } from './primary/chain-of.ts'
import type { NetworkDirectory } from './primary/network-directory.ts'

/** Parts of the process that this uses. */
export type FreshParts = {
  readonly chains: ChainDirectory
  readonly networks: NetworkDirectory
  /** Newest height of a stage of a store, by the store's key, where it was told of late. */
  readonly headOf: (key: string, stage: string) => number | undefined
  /** Key of the store of a primary network. */
  readonly networkKey: (network: 'mainnet' | 'fuji') => string
}

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
  const kept = new WeakMap<Reader, Map<string, FreshChain>>()
  const keep = (store: Reader, stage: string, make: () => FreshChain): FreshChain => {
    const stages = kept.get(store) ?? new Map<string, FreshChain>()
    kept.set(store, stages)
    const chain = stages.get(stage) ?? make()
    stages.set(stage, chain)
    return chain
  }
  const evm = (name: string, stage: 'blocks' | 'traces'): FreshChain | undefined => {
    if (scopes.has(name)) return undefined
    const { store, facts } = parts.chains.find(name)
    return keep(store, stage, () => ({
      indexedHeight: () => indexedHeight(store, stage),
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
      indexedHeight: async () => (await checkpointHeights(store)).get(chain) ?? -1,
      timeOf: (height) => timeOfBlock(store, chain, height),
      headHeight: () => parts.headOf(parts.networkKey(served.network), chain),
    }))
  }
  return (path, values) => {
    const text = (name: string): string | undefined => {
      const value = path.includes(`{${name}}`) ? ownValue(values, name) : undefined
      return typeof value === 'string' ? value : undefined
    }
    const chainId = text('chainId')
    if (!mayBeOfOneChain(path)) return undefined
    const network = text('network')
    try {
      if (chainId !== undefined)
        return evm(chainId, path.endsWith('transactions:listInternals') ? 'traces' : 'blocks')
      // Blockchains are listed and told by what the P-Chain says of them.
      const ofOne = /\/blockchains\/\{blockchainId\}\//.test(path)
      return network === undefined
        ? undefined
        : primary(network, ofOne ? text('blockchainId') : undefined)
    } catch (error) {
      // The operation itself says what is wrong with the name.
      if (faultOf(error) === undefined) throw error
      return undefined
    }
  }
}
