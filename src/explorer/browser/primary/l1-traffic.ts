/** Numbers of messages that the chains of each subnet sent or received. */

import { type Chain, type Route, trafficOf } from '../icm/traffic-sums.ts'
import { useAnswer, useWhole } from '../kit/answer.ts'

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
