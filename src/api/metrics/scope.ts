/** Chains that a metrics path names: one, or all of a network. */

import { Fault } from '../../core/fault.ts'
import type { UnionChain } from '../../rollup/address-union.ts'
import { contractMetrics, type MetricName } from '../../shape/metrics/metric-names.ts'
import { currentAt, storedHeights } from '../../store/query/evm/heights.ts'
import { tracedText } from '../evm/answers.ts'
import { notReady, type ChainDirectory, type ServedChain } from '../operation/chain-directory.ts'

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

/**
 * Unix seconds until which one of the chains is known to be quiet: its node said that the stored
 * height is its head. The moment stays while a node is silent or we are behind it, so that periods
 * without data are not shown as zero. 0 where no such moment is known.
 */
export async function knownUntil(chains: readonly ServedChain[]): Promise<number> {
  const moments = await Promise.all(chains.map(({ store }) => currentAt(store)))
  return Math.max(0, ...moments.map((at) => at ?? 0))
}

const scopes = new Map<string, (network: string) => boolean>([
  ['total', () => true],
  ['mainnet', (network) => network === 'mainnet'],
  ['testnet', (network) => network !== 'mainnet'],
])

/**
 * Blocks that traces may be behind and still count contracts: they follow within seconds. Behind by
 * more they are being filled in, or are no longer to be had, and receipts show more.
 */
const mostBehind = 64

/** Chains as counting needs them, and what the answer says of how contracts were counted. */
export type Counted = {
  readonly chains: readonly UnionChain[]
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The tables from which `metric` is counted. Contracts are counted by traces where these are stored
 * from the first block to the last ones, else by receipts, which show only creations by a
 * transaction itself; headers say which, and how far traces are complete. Read anew each time:
 * traces may come later.
 */
export async function counted(
  served: readonly ServedChain[],
  metric: MetricName,
): Promise<Counted> {
  const isOfContracts = contractMetrics.includes(metric)
  const texts: string[] = []
  const chains: UnionChain[] = []
  for (const chain of served) {
    const { key, evmChainId } = chain.facts
    const heights = isOfContracts ? await storedHeights(chain.store) : undefined
    const text = heights === undefined ? 'none' : tracedText(chain, heights)
    texts.push(served.length === 1 ? text : `${evmChainId}:${text}`)
    const isWhole =
      heights !== undefined &&
      heights.tracesSince === undefined &&
      heights.blocks - heights.traces <= mostBehind
    const byTraces = text !== 'none' && isWhole
    chains.push({ key, store: chain.store, deploySource: byTraces ? 1 : 0 })
  }
  if (!isOfContracts) return { chains, headers: {} }
  const byReceipts = chains.some(({ deploySource }) => deploySource === 0)
  return {
    chains,
    headers: {
      'x-traces-indexed-height': texts.join(', '),
      ...(byReceipts ? { 'x-firn-contracts-from': 'receipts' } : {}),
    },
  }
}
