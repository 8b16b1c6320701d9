/** Gas prices of a chain: now, over its latest blocks, and by day. */

import { h, type JSX } from 'preact'

import { isObject } from '../../../core/json.ts'
import type { Money } from '../../../shape/evm/token.ts'
import type { EvmBlock } from '../../../shape/evm/transaction.ts'
import { useAnswer } from '../kit/answer.ts'
import { Chart } from '../kit/chart.ts'
import { urlOf } from '../kit/contract.ts'
import { amount, count, figure, share } from '../kit/format.ts'
import { MetricChart } from '../kit/metric-chart.ts'
import { card, coins, figures, heading, shown, table, worthOf } from '../kit/parts.ts'
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

// Fields of the action `gasoracle` in the form of Etherscan.
const speeds = [
  ['Slow', 'SafeGasPrice'],
  ['Normal', 'ProposeGasPrice'],
  ['Fast', 'FastGasPrice'],
] as const

type OnChain = { readonly world: World; readonly chainId: string }
/** A price of gas by its name, wei. */
type GasPrice = readonly [name: string, wei: string]

/** The page. */
export function GasPage({ world, chainId }: OnChain): JSX.Element {
  useTitle(`Gas tracker of ${chainName(world, chainId)}`)
  const answer = useAnswer(urlOf('/v1/chains/{chainId}/blocks', { chainId, pageSize: 100 }), 10_000)
  const prices = usePrices(chainId)
  const price = useCoinPrice(chainId)
  return h('div', { class: 'stack' }, [
    heading(chainLink(world, chainId), 'Gas tracker'),
    shown(answer, ({ blocks }) => now({ world, chainId }, { blocks, prices, price })),
    h(
      'div',
      { class: 'grid two' },
      ['avgGasPrice', 'maxGasPrice', 'gasUsed', 'feesPaid'].map((metric) =>
        h(MetricChart, { key: `${chainId} ${metric}`, chainId, metric, interval: 'day' }),
      ),
    ),
  ])
}

/** Prices that the newest transactions paid; empty until they are known. */
function usePrices(chainId: string): readonly GasPrice[] {
  const { data } = useAnswer(
    urlOf('/v1/chains/{chainId}/api', { chainId, module: 'gastracker', action: 'gasoracle' }),
    10_000,
  )
  const result = data?.result
  if (!isObject(result)) return []
  return speeds.map(([name, field]) => [name, weiOf(result[field])])
}

/** Wei of gwei as text. */
function weiOf(gwei: unknown): string {
  return String(Math.round(Number(gwei) * 1e9))
}

/** Price of the chain's coin, which the API tells beside a transaction. */
function useCoinPrice(chainId: string): Money | undefined {
  const newest = useAnswer(urlOf('/v1/chains/{chainId}/transactions', { chainId, pageSize: 1 }))
  const txHash = newest.data?.transactions[0]?.txHash
  const { data } = useAnswer(
    txHash && urlOf('/v1/chains/{chainId}/transactions/{txHash}', { chainId, txHash }),
  )
  return data?.networkTokenDetails.currentPrice
}

function now(
  { world, chainId }: OnChain,
  of: {
    readonly blocks: readonly EvmBlock[]
    readonly prices: readonly GasPrice[]
    readonly price: Money | undefined
  },
): JSX.Element {
  const { blocks, prices, price } = of
  const { symbol, decimals } = coinOf(world, chainId)
  const [newest] = blocks
  const baseFee: GasPrice = ['Base fee', newest?.baseFee ?? '0']
  const title = 'Base fee of the latest blocks, gwei'
  const columns = prices.length === 0 ? [baseFee] : prices
  return h('div', { class: 'stack' }, [
    card('Now', [
      figures(
        [
          ...[baseFee, ...prices].map(([name, wei]) => [name, gwei(wei)] as const),
          [
            `Gas used, last ${count(blocks.length)} blocks`,
            share(sum(blocks, 'gasUsed'), sum(blocks, 'gasLimit')),
          ],
        ],
        'numbers',
      ),
      table(
        [
          ['Action'],
          ['Gas', 'num wide'],
          ...columns.map(
            ([name]) => [name, /^(Slow|Fast)$/.test(name) ? 'num wide' : 'num'] as const,
          ),
        ],
        actions.map(([what, gas]) => [
          what,
          count(gas),
          ...columns.map(([, wei]) => {
            const cost = String(BigInt(wei) * BigInt(gas))
            return [coins(cost, decimals, symbol), worthOf(cost, decimals, price)]
          }),
        ]),
      ),
      prices.length > 0 &&
        h('div', { class: 'below quiet' }, [
          'A quarter of the newest transactions paid no more than slow, half than normal, three quarters than fast.',
        ]),
    ]),
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

/** Gwei to nine digits; exact in the title. */
function gwei(wei: string): JSX.Element {
  const title = `${amount(wei, 9)} gwei`
  return h('span', { title }, `${figure(Number(wei) / 1e9)} `, h('small', null, 'gwei'))
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
