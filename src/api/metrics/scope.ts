/** Which chains a metrics path names: one, or all of a network. */

import { Fault } from '../../core/fault.ts'
import type { UnionChain } from '../../rollup/address-union.ts'
import { notReady, type ChainDirectory, type ServedChain } from '../chain-directory.ts'

/** The chains of `name`, at least one. Throws `not-found`, `not-ready`. */
export function chainsOf(directory: ChainDirectory, name: string): readonly ServedChain[] {
  const wanted = scopes.get(name)
  if (wanted === undefined) return [directory.find(name)]
  const chains = directory.all().filter(({ facts }) => wanted(facts.network))
  const waiting = directory.waiting().filter(({ network }) => wanted(network))
  if (chains.length === 0 && waiting.length > 0) throw notReady(name, waiting)
  if (chains.length === 0)
    throw new Fault('not-found', `no chain of this network is served here: ${name}`)
  return chains
}

const scopes = new Map<string, (network: string) => boolean>([
  ['total', () => true],
  ['mainnet', (network) => network === 'mainnet'],
  ['testnet', (network) => network !== 'mainnet'],
])

/** What counting needs of a chain: with traces, contracts are counted by them. */
export function counted(chain: ServedChain): UnionChain {
  return { key: chain.facts.key, store: chain.store, deploySource: chain.hasTraces() ? 1 : 0 }
}
