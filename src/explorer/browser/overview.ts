/** First page: how far every chain is, what happened last, two charts. */

import { h, type JSX } from 'preact'

import type { EvmBlock } from '../../shape/evm/evm-block.ts'
import type { NativeTransaction } from '../../shape/evm/native-transaction.ts'
import type { ChainStatus } from '../../shape/status.ts'
import { useAnswer } from './answer.ts'
import { blockLink, chainLink, methodWord, party, txLink } from './evm-parts.ts'
import { count, speed } from './format.ts'
import { to } from './link.ts'
import { MetricChart } from './metric-chart.ts'
import { age, card, coins, heading, shown, statePill, table, type View } from './parts.ts'
import { useTitle } from './place.ts'
import { coinOf, type World } from './world.ts'

/** The overview. */
export function Overview({ world }: { readonly world: World }): JSX.Element {
  useTitle('')
  const { status, chains } = world
  const blocks = useAnswer<{ blocks: EvmBlock[] }>('/v1/blocks?pageSize=8', 10_000)
  const transactions = useAnswer<{ transactions: NativeTransaction[] }>(
    '/v1/transactions?pageSize=8',
    10_000,
  )
  const all = status?.chains ?? []
  const live = all.filter(({ state }) => state === 'live').length
  return h(
    'div',
    { class: 'stack' },
    heading(
      'Overview',
      all.length === 0 ? 'Chains' : `${live} of ${all.length} chains live`,
      status === undefined ? null : h('p', { class: 'quiet' }, `Firn ${status.version}`),
    ),
    h(
      'div',
      { class: 'grid chains' },
      all.map((chain) => h(ChainCard, { key: chain.chain, chain })),
    ),
    chains.length === 0
      ? null
      : h(
          'div',
          { class: 'grid two' },
          h(MetricChart, {
            chainId: 'total',
            metric: 'txCount',
            interval: 'day',
            title: 'Transactions a day',
          }),
          h(MetricChart, {
            chainId: 'total',
            metric: 'activeAddresses',
            interval: 'day',
            title: 'Active addresses a day',
          }),
        ),
    h(
      'div',
      { class: 'grid latest' },
      card(
        'Latest blocks',
        shown(blocks, (data) => latestBlocks(world, data.blocks)),
      ),
      card(
        'Latest transactions',
        shown(transactions, (data) => latestTxs(world, data.transactions)),
      ),
    ),
  )
}

function latestBlocks(world: World, blocks: readonly EvmBlock[]): JSX.Element {
  return table(
    [['Block'], ['Chain'], ['Time'], ['Txs', 'num']],
    blocks.map((block) => [
      blockLink(block.chainId, block.blockNumber),
      chainLink(world, block.chainId),
      age(block.blockTimestamp),
      count(block.txCount),
    ]),
  )
}

function latestTxs(world: World, transactions: readonly NativeTransaction[]): JSX.Element {
  return table(
    [['Transaction'], ['Method', 'wide'], ['From', 'wide'], ['To'], ['Value', 'num']],
    transactions.map((tx) => {
      const { symbol, decimals } = coinOf(world, tx.chainId)
      return [
        txLink(tx.chainId, tx.txHash),
        methodWord(tx),
        party(tx.chainId, tx.from),
        party(tx.chainId, tx.to),
        coins(tx.value, decimals, symbol),
      ]
    }),
  )
}

/** One chain: how far it is and how fast. */
function ChainCard({ chain }: { readonly chain: ChainStatus }): JSX.Element {
  const newest = useAnswer<{ blocks: EvmBlock[] }>(
    chain.evmChainId === undefined ? undefined : `/v1/chains/${chain.evmChainId}/blocks?pageSize=1`,
    10_000,
  )
  const transactions = newest.data?.blocks[0]?.cumulativeTransactions
  return h(
    'section',
    { class: 'card chain' },
    h('header', null, h('h2', null, named(chain)), statePill(chain.state)),
    h('p', { class: 'quiet' }, chainLine(chain)),
    h(
      'p',
      { class: 'big' },
      chain.indexedHeight < 0 ? '–' : count(chain.indexedHeight),
      h('small', null, chain.state === 'live' ? ' last block' : ` of ${headOf(chain)}`),
    ),
    h('progress', {
      max: Math.max(1, chain.headHeight),
      value: Math.max(0, chain.indexedHeight),
      'aria-label': `${chain.name} indexed`,
    }),
    h(
      'p',
      { class: 'quiet foot' },
      h(
        'span',
        null,
        transactions === undefined ? heights(chain) : `${count(transactions)} transactions`,
      ),
      h('span', null, chain.state === 'live' ? 'up to date' : speed(chain.stages)),
    ),
    chain.reason === undefined ? null : h('p', { class: 'failed' }, chain.reason),
  )
}

/** Its name, a link to its page once it is known which chain it is. */
function named({ kind, name, network, evmChainId }: ChainStatus): View {
  if (kind === 'primary') return h('a', { href: to('primary', network) }, name)
  return evmChainId === undefined ? name : h('a', { href: to('chain', evmChainId) }, name)
}

function headOf({ headHeight }: ChainStatus): string {
  return headHeight < 0 ? 'an unknown height' : count(headHeight)
}

function chainLine({ evmChainId, network, kind }: ChainStatus): string {
  return kind === 'primary'
    ? `${network} · P-, X- and C-Chain`
    : `${network} · EVM${evmChainId === undefined ? '' : ` ${evmChainId}`}`
}

/** Of the primary network: how high its three chains are. */
function heights({ kind, stages }: ChainStatus): string {
  return kind === 'primary'
    ? stages
        .filter(({ stage, indexedHeight }) => /^[PXC]$/.test(stage) && indexedHeight >= 0)
        .map(({ stage, indexedHeight }) => `${stage} ${count(indexedHeight)}`)
        .join(' · ')
    : ''
}
