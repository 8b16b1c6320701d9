/** One question over every kind of id and name that is served here. */

import { networkOf } from '../../core/network.ts'
import { Service } from '../../shape/operations/service.ts'
import { hitKinds, type SearchHit } from '../../shape/search-hit.ts'
import { assetNames, chainNames } from '../../store/query/search/primary-ids.ts'
import { operation, type Operation } from '../operation/operation.ts'
import { keptFor } from '../primary/lists.ts'
import { evmHits } from './evm-hits.ts'
import { type Names, primaryHits } from './primary-hits.ts'
import type { SearchContext } from './search-context.ts'

const mostHits = 50

const matches = ['id', 'height', 'name', 'part'] as const

/** Hits in order, what looks like spam last: the surest match, then the kind, then the networks and chains as configured. */
export function search(context: SearchContext): Operation<'search'> {
  const [chains, assets] = [keptFor(context.clock, chainNames), keptFor(context.clock, assetNames)]
  const names: Names = {
    chains: ({ store }) => chains(store),
    assets: ({ store }) => assets(store),
  }
  return operation(Service.search, async ({ query, signal }) => {
    const q = query.q.trim()
    const wanted = query.network === undefined ? undefined : networkOf(query.network)
    const isWanted = (network: string): boolean => wanted === undefined || network === wanted
    const hits: SearchHit[] = []
    for (const network of context.networks.all())
      if (isWanted(network.network)) hits.push(...(await primaryHits(network, q, names)))
    for (const chain of context.chains.all())
      if (isWanted(chain.facts.network)) hits.push(...(await evmHits(context, chain, q, signal)))
    return { body: { hits: hits.toSorted(bestFirst).slice(0, mostHits) } }
  })
}

function bestFirst(a: SearchHit, b: SearchHit): number {
  const bySpam = Number(a.isSpam ?? false) - Number(b.isSpam ?? false)
  if (bySpam !== 0) return bySpam
  const byMatch = matches.indexOf(a.match) - matches.indexOf(b.match)
  return byMatch === 0 ? hitKinds.indexOf(a.kind) - hitKinds.indexOf(b.kind) : byMatch
}
