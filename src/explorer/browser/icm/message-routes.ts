/** Routes of interchain messages: how many go from where to where, and how many by subnet. */

import { h, type JSX } from 'preact'

import { useAnswer, useWhole } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { count, ends } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { shown, table } from '../kit/parts.ts'
import { chainName, chainOf, pace, type World } from '../kit/world.ts'
import { type RouteOfDay, trafficOf } from './traffic-sums.ts'

type Route = RouteOfDay & { readonly allTime: number }

const routesPath = urlOf('/v2/icm/summary', { groupBy: 'srcBlockchainId,destBlockchainId' })

/** Longest table: the busiest routes. */
const mostRoutes = 10

/** The busiest routes; with `blockchainIds` only those that begin or end there. */
export function Routes({
  world,
  blockchainIds,
}: {
  readonly world: World
  readonly blockchainIds?: readonly string[]
}): JSX.Element {
  const answer = useAnswer(routesPath, ...pace())
  const fits = (one: Route): boolean =>
    blockchainIds === undefined ||
    blockchainIds.includes(one.srcBlockchainId) ||
    blockchainIds.includes(one.destBlockchainId)
  return h('div', null, [
    shown(answer, ({ results }) =>
      table(
        [['From'], ['To'], ['Last 24 h', 'num'], ['Total', 'num']],
        results
          .filter(fits)
          .slice(0, mostRoutes)
          .map((one) => [
            endOf(world, one.srcBlockchainId),
            endOf(world, one.destBlockchainId),
            count(one.lastDay),
            h('a', { href: routeLink(one), title: 'only this route' }, count(one.allTime)),
          ]),
      ),
    ),
  ])
}

function endOf(world: World, blockchainId: string): JSX.Element {
  return messageEnd(world, chainOf(world, blockchainId)?.chainId ?? '', blockchainId)
}

function routeLink({ srcBlockchainId, destBlockchainId }: Route): string {
  const params = new URLSearchParams({
    sourceBlockchainId: srcBlockchainId,
    destinationBlockchainId: destBlockchainId,
  })
  return `${to('messages')}?${params.toString()}`
}

/** One end of a message: its chain, or the blockchain's id where that is not served. */
export function messageEnd(world: World, evmChainId: string, blockchainId: string): JSX.Element {
  return evmChainId === ''
    ? h('span', { class: 'id', title: blockchainId }, ends(blockchainId))
    : h('a', { href: to('chain', evmChainId), title: blockchainId }, chainName(world, evmChainId))
}

// Pages of 100: more than any network has, and an end for one that is out of hand.
const mostPages = 20

/** Messages of the latest 24 hours by subnet; `undefined` until they are known. */
export function useTraffic(network: string): ReadonlyMap<string, number> | undefined {
  const chains = useWhole(
    urlOf('/v1/networks/{network}/blockchains', { network, pageSize: 100 }),
    mostPages,
  ).data
  const routes = useAnswer(routesPath).data
  return chains === undefined || routes === undefined
    ? undefined
    : trafficOf(
        chains.flatMap(({ blockchains }) => blockchains),
        routes.results,
      )
}
