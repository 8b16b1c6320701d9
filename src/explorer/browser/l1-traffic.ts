/** How many messages chains of each subnet sent or received. */

import { useAnswer, useWhole } from './answer.ts'

/** A row of the operation `getICMSummary`: messages of two chains, in windows that end now. */
type Route = {
  readonly srcBlockchainId: string
  readonly destBlockchainId: string
  readonly lastDay: number
}

/** A chain and whose it is. */
type Chain = { readonly blockchainId: string; readonly subnetId: string }

type ChainsPage = { readonly blockchains: readonly Chain[]; readonly nextPageToken?: string }

// Pages of 100: more than any network has, and an end for one that is out of hand.
const mostPages = 20

/** Messages of the latest 24 hours by subnet; `undefined` until they are known. */
export function useTraffic(base: string): ReadonlyMap<string, number> | undefined {
  const chains = useWhole<ChainsPage>(`${base}/blockchains?pageSize=100`, mostPages).data
  const routes = useAnswer<{ results: Route[] }>(
    '/v2/icm/summary?groupBy=srcBlockchainId,destBlockchainId',
  ).data
  return chains === undefined || routes === undefined
    ? undefined
    : trafficOf(
        chains.flatMap(({ blockchains }) => blockchains),
        routes.results,
      )
}

/** Messages by subnet; one between two chains of the same subnet counts once. */
export function trafficOf(
  chains: readonly Chain[],
  routes: readonly Route[],
): ReadonlyMap<string, number> {
  const subnetOf = new Map(chains.map(({ blockchainId, subnetId }) => [blockchainId, subnetId]))
  const sums = new Map<string, number>()
  for (const { srcBlockchainId, destBlockchainId, lastDay } of routes)
    for (const subnet of new Set([subnetOf.get(srcBlockchainId), subnetOf.get(destBlockchainId)]))
      if (subnet !== undefined) sums.set(subnet, (sums.get(subnet) ?? 0) + lastDay)
  return sums
}
