/**
 * Coins of an address over time: walked back over its transactions from what it has now, which is exact where it ends
 * with nothing. Where it does not, something else gave or took coins, as a genesis or an import: then a node tells some.
 */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { MetricPoint } from '../../../shape/metrics/metric-point.ts'
import { get, useWhole, type Answer } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { urlOf } from '../kit/contract.ts'
import { shown, type View } from '../kit/parts.ts'
import { isRecording } from '../kit/world.ts'
import { walkedBack } from './moved-coins.ts'

/** An address, what it has now, and the blocks of its first and its newest transaction. */
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
      return held === undefined
        ? h(Sampled, props)
        : chart(
            held.map(({ timestamp, units }) => ({
              timestamp,
              value: Number(units) / 10 ** decimals,
            })),
          )
    }),
  ])
}

function chart(points: readonly MetricPoint[]): View {
  return h(Chart, { points, label: 'Balance', height: 160, bars: false, hours: true })
}

// As many as a chart of this width can show, and few enough for a node.
const samples = 16

/** The balance at some heights between the first and the newest transaction, by a node. */
function Sampled(props: HistoryProps): View {
  const [answer, setAnswer] = useState<Answer<readonly MetricPoint[]>>({})
  useEffect(() => {
    if (!isRecording()) void sampled(props).then(setAnswer)
  }, [])
  return isRecording()
    ? h('p', { class: 'quiet' }, 'A node tells past balances; this is a recording.')
    : shown(answer, chart)
}

async function sampled(props: HistoryProps): Promise<Answer<readonly MetricPoint[]>> {
  const { chainId, address, from, until, decimals } = props
  const heights = new Set(
    Array.from({ length: samples }, (_, at) =>
      Math.round(from + ((until - from) * at) / (samples - 1)),
    ),
  )
  const points: MetricPoint[] = []
  for (const height of heights) {
    // One after the other: these are questions to a node.
    // oxlint-disable-next-line no-await-in-loop
    const [balance, block] = await Promise.all([
      get(
        urlOf('/v1/chains/{chainId}/addresses/{address}/balances:getNative', {
          chainId,
          address,
          blockNumber: height,
        }),
      ),
      get(urlOf('/v1/chains/{chainId}/blocks/{blockId}', { chainId, blockId: height })),
    ])
    const failure = balance.failure ?? block.failure
    if (failure !== undefined) return { failure }
    if (balance.data !== undefined && block.data !== undefined)
      points.push({
        timestamp: block.data.blockTimestamp,
        value: Number(balance.data.nativeTokenBalance.balance) / 10 ** decimals,
      })
  }
  return { data: points }
}
