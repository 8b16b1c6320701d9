/** Gas prices of a chain: now, over its latest blocks, and by day. */

import { h, type JSX } from 'preact'

import type { EvmBlock } from '../../../shape/evm/transaction.ts'
import { useAnswer } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { urlOf } from '../kit/contract.ts'
import { amount, count, share } from '../kit/format.ts'
import { MetricChart } from '../kit/metric-chart.ts'
import { card, coins, facts, heading, shown, table } from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import { chainName, coinOf, type World } from '../kit/world.ts'
import { chainLink } from './evm-parts.ts'

// Gas that common actions take. The first is in the protocol; others are what contracts usually use.
const actions = [
  ['Native transfer', 21_000],
  ['ERC-20 transfer', 65_000],
  ['Swap', 180_000],
  ['Deployment of a token contract', 1_500_000],
] as const

/** The page. */
export function GasPage(props: { readonly world: World; readonly chainId: string }): JSX.Element {
  const { world, chainId } = props
  useTitle(`Gas tracker of ${chainName(world, chainId)}`)
  const answer = useAnswer(urlOf('/v1/chains/{chainId}/blocks', { chainId, pageSize: 100 }), 10_000)
  return h('div', { class: 'stack' }, [
    heading(chainLink(world, chainId), 'Gas tracker'),
    shown(answer, ({ blocks }) => now(world, chainId, blocks)),
    h(
      'div',
      { class: 'grid two' },
      ['avgGasPrice', 'maxGasPrice', 'gasUsed', 'feesPaid'].map((metric) =>
        h(MetricChart, { key: `${chainId} ${metric}`, chainId, metric, interval: 'day' }),
      ),
    ),
  ])
}

function now(world: World, chainId: string, blocks: readonly EvmBlock[]): JSX.Element {
  const { symbol, decimals } = coinOf(world, chainId)
  const [newest] = blocks
  const baseFee = newest?.baseFee ?? '0'
  const title = 'Base fee of the latest blocks, gwei'
  return h('div', { class: 'grid two' }, [
    card(
      'Now',
      h('div', null, [
        facts([
          ['Base fee', `${amount(baseFee, 9)} gwei`],
          [
            `Gas used, last ${count(blocks.length)} blocks`,
            share(sum(blocks, 'gasUsed'), sum(blocks, 'gasLimit')),
          ],
        ]),
        table(
          [['Action'], ['Gas', 'num'], ['Cost at base fee', 'num']],
          actions.map(([what, gas]) => [
            what,
            count(gas),
            coins(String(BigInt(baseFee) * BigInt(gas)), decimals, symbol),
          ]),
        ),
      ]),
    ),
    card(
      title,
      h(Chart, {
        points: perSecond(blocks),
        label: title,
        height: 220,
        bars: false,
        hours: true,
      }),
    ),
  ])
}

function sum(blocks: readonly EvmBlock[], field: 'gasUsed' | 'gasLimit'): number {
  return blocks.reduce((total, block) => total + Number(block[field]), 0)
}

/** Oldest first; of blocks of one second the newest. */
function perSecond(blocks: readonly EvmBlock[]): { timestamp: number; value: number }[] {
  const bySecond = new Map<number, number>()
  for (const { blockTimestamp, baseFee } of blocks.toReversed())
    bySecond.set(blockTimestamp, Number(baseFee) / 1e9)
  return [...bySecond].map(([timestamp, value]) => ({ timestamp, value }))
}
