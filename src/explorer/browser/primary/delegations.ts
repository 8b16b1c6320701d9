/** Delegations to a node: how much at each moment, and each of them with its reward. */

import { h, type JSX } from 'preact'

import type { Delegator } from '../../../shape/primary/validator.ts'
import { useWhole } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { urlOf } from '../kit/contract.ts'
import { counted } from '../kit/format.ts'
import { paged } from '../kit/paged.ts'
import { age, card, rowTable, segments, type View } from '../kit/parts.ts'
import { query } from '../kit/place.ts'
import { now } from '../kit/world.ts'
import { owners, pTxLink, stakeSum, termPill } from './primary-parts.ts'
import { delegatedOver } from './stake.ts'

const mostPages = 10

type OfNode = Readonly<Record<'network' | 'nodeId', string>>

/** The chart and the list; which states it has is in the address. */
export function Delegations({ network, nodeId }: OfNode): JSX.Element {
  const state = query().get('delegated') ?? ''
  return h('div', { class: 'stack' }, [
    h(OverTime, { network, nodeId }),
    card('Delegations', [
      segments('delegated', 'which delegations', [
        ['', 'All'],
        ['active', 'Active'],
        ['completed', 'Completed'],
        ['pending', 'Pending'],
      ]),
      paged({
        path: urlOf('/v1/networks/{network}/delegators', { network }),
        query: { nodeIds: nodeId, delegationStatus: state },
        name: 'delegations',
        view: ({ delegators }) =>
          rowTable(delegators, [
            ['Delegation', '', ({ txHash }) => pTxLink(network, txHash)],
            ['Status', '', ({ delegationStatus }) => termPill(delegationStatus)],
            ['Amount', 'num', ({ asset, amountDelegated }) => stakeSum(asset, amountDelegated)],
            ['Net reward', 'num', reward],
            ['Reward owner', 'wide', ({ rewardAddresses }) => owners(network, rewardAddresses)],
            ['Started', 'num wide', ({ startTimestamp }) => age(startTimestamp)],
            ['Ends', 'num', ({ endTimestamp }) => age(endTimestamp)],
          ]),
      }),
    ]),
  ])
}

/** Delegated AVAX from the first delegation on; nothing where there never was one. */
function OverTime({ network, nodeId }: OfNode): JSX.Element | null {
  const path = { network, nodeIds: nodeId, pageSize: 100 }
  const answer = useWhole(urlOf('/v1/networks/{network}/delegators', path), mostPages)
  const pages = answer.data ?? []
  const all = pages.flatMap(({ delegators }) => delegators)
  const points = delegatedOver(all, Math.floor(now() / 1_000))
  if (points.length < 2) return null
  const isWhole = pages.at(-1)?.nextPageToken === undefined
  const first = points[0]?.timestamp ?? 0
  return card('Delegated over time, AVAX', [
    h(Chart, {
      points,
      label: 'Delegated',
      height: 180,
      bars: false,
      hours: (points.at(-1)?.timestamp ?? 0) - first < 5 * 86_400,
    }),
    !isWhole &&
      h(
        'p',
        { class: 'quiet' },
        `Of the latest ${counted(all.length, 'delegation')}; there are more.`,
      ),
  ])
}

/** The reward paid, or else the one expected. */
function reward({ asset, netReward, estimatedNetReward }: Delegator): View {
  if (netReward !== undefined) return stakeSum(asset, netReward)
  return estimatedNetReward === undefined
    ? ''
    : h('span', null, [
        stakeSum(asset, estimatedNetReward),
        h('div', { class: 'quiet' }, 'expected'),
      ])
}
