/**
 * Coins of an address over time: walked back over its transactions from what it has now, which is exact where it ends
 * with nothing. Where it does not, something else gave or took coins, as a genesis or an import: then a node is asked.
 */

import { h, type JSX } from 'preact'

import { useAnswer, useWhole } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { urlOf } from '../kit/contract.ts'
import { shown, type View } from '../kit/parts.ts'
import { walkedBack } from './moved-coins.ts'

/** An address, what it has now, and when its first and its newest transaction were, Unix seconds. */
export type HistoryProps = {
  readonly chainId: string
  readonly address: string
  readonly from: number
  readonly until: number
  /** Smallest units. */
  readonly balance: string
  readonly decimals: number
}

const mostPages = 5

/** The chart. */
export function BalanceHistory(props: HistoryProps): JSX.Element {
  const { chainId, address, balance, decimals } = props
  const answer = useWhole(
    urlOf('/v1/chains/{chainId}/addresses/{address}/transactions', {
      chainId,
      address,
      pageSize: 100,
    }),
    mostPages,
  )
  return h('div', null, [
    h('h3', null, 'Balance over time'),
    shown(answer, (pages) => {
      const isWhole = pages.at(-1)?.nextPageToken === undefined
      const held = isWhole
        ? walkedBack(
            address,
            balance,
            pages.flatMap(({ transactions }) => transactions),
          )
        : undefined
      return held === undefined ? h(ByNode, props) : chart(held, decimals)
    }),
  ])
}

function chart(
  held: readonly { readonly timestamp: number; readonly units: bigint | string }[],
  decimals: number,
): View {
  const points = held.map(({ timestamp, units }) => ({
    timestamp,
    value: Number(units) / 10 ** decimals,
  }))
  return h(Chart, { points, label: 'Balance', height: 160, bars: false, hours: true })
}

const daySeconds = 86_400

/** Time between two points, so that there are at most about sixty of them. */
function intervalOf(seconds: number): 'hour' | 'day' | 'week' | 'month' {
  const days = seconds / daySeconds
  return days < 3 ? 'hour' : days < 60 ? 'day' : days < 420 ? 'week' : 'month'
}

/** Balances at regular moments, as far as a node has the state of their blocks. */
function ByNode({ chainId, address, from, until, decimals }: HistoryProps): JSX.Element {
  const answer = useAnswer(
    urlOf('/v1/chains/{chainId}/addresses/{address}/balances:listSeries', {
      chainId,
      address,
      timeInterval: intervalOf(until - from),
      startTimestamp: from,
      endTimestamp: until + 1,
    }),
  )
  return h('div', null, [
    shown(answer, ({ series }) => {
      const held = series.flatMap(({ timestamp, nativeBalance: units }) =>
        units === undefined ? [] : { timestamp, units },
      )
      return held.length === 0
        ? h('p', { class: 'quiet' }, 'Not known: no node here has the state of past blocks.')
        : chart(held, decimals)
    }),
  ])
}
