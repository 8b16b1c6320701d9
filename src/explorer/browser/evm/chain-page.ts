/** A chain: what it is, and its lists. */

import { Fragment, h, type JSX } from 'preact'

import type { ChainInfo } from '../../../shape/evm/chain-info.ts'
import type { EvmBlock } from '../../../shape/evm/transaction.ts'
import { ofProject } from '../contract/code.ts'
import { AddToWallet } from '../contract/wallet.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf, type AnswerAt } from '../kit/contract.ts'
import { clipped, count, gasPrice, money, progress, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { MetricChart } from '../kit/metric-chart.ts'
import { paged } from '../kit/paged.ts'
import {
  age,
  card,
  coins,
  copied,
  facts,
  heading,
  pill,
  segments,
  chainPill,
  table,
  tabs,
  type View,
} from '../kit/parts.ts'
import { query, useTitle } from '../kit/place.ts'
import {
  chainName,
  chainOf,
  coinOf,
  pace,
  primaryNetworks,
  statusOf,
  type World,
} from '../kit/world.ts'
import { primarySubnetId } from '../primary/primary-parts.ts'
import { ActiveList } from './active-list.ts'
import { BlockTable } from './block-page.ts'
import { addressLink, toldTable } from './evm-parts.ts'

/** A chain, and one of its lists. */
export type ChainProps = { readonly world: World; readonly chainId: string; readonly view: string }

/** A chain: what it is, a chart, its blocks or transactions. */
export function ChainPage({ world, chainId, view }: ChainProps): JSX.Element {
  useTitle(chainName(world, chainId))
  const chain = chainOf(world, chainId)
  const status = statusOf(world, chainId)
  return h('div', { class: 'stack' }, [
    heading(
      chain?.isTestnet === true ? 'Testnet chain' : 'Chain',
      chainName(world, chainId),
      status && chainPill(status),
    ),
    // Whoever came for a list sees it at once.
    view === '' && [
      h('dl', { class: 'numbers card' }, h(Totals, { chainId, key: chainId })),
      h('div', { class: 'grid two top-aligned' }, [
        h(About, { world, chainId, key: chainId }),
        h(
          'div',
          { class: 'stack' },
          ['txCount', 'activeAddresses'].map((metric) =>
            h(MetricChart, { key: metric, chainId, metric, interval: 'day', height: 140 }),
          ),
        ),
      ]),
    ],
    tabs([
      ['Blocks', to('chain', chainId)],
      ['Transactions', to('chain', chainId, 'transactions')],
      ['Tokens', to('chain', chainId, 'tokens')],
      ['NFT collections', to('chain', chainId, 'collections')],
      ['Contracts', to('chain', chainId, 'contracts')],
      ['Most active', to('chain', chainId, 'active')],
      ['Gas tracker', to('chain', chainId, 'gas')],
    ]),
    card('', listOf(world, chainId, view)),
  ])
}

function listOf(world: World, chainId: string, view: string): View {
  const path = { chainId }
  switch (view) {
    case 'transactions':
      return paged({
        path: urlOf('/v1/chains/{chainId}/transactions', path),
        query: { summaries: 'true' },
        view: ({ transactions }) => toldTable(world, transactions),
      })
    case 'tokens':
    case 'collections': {
      const sortBy = query().get('by') ?? 'transfers'
      return [
        segments('by', 'order', [
          ['transfers', 'Most transfers'],
          ['holders', 'Most holders'],
        ]),
        paged({
          path: urlOf(
            view === 'tokens'
              ? '/v1/chains/{chainId}/tokens'
              : '/v1/chains/{chainId}/nfts/collections',
            path,
          ),
          query: { sortBy },
          view: ({ tokens }) => tokenTable(chainId, tokens),
        }),
      ]
    }
    case 'contracts': {
      const of = query().get('of') ?? 'verified'
      return [
        segments('of', 'which contracts', [
          ['verified', 'Verified'],
          ['all', 'Newest'],
        ]),
        paged({
          path: urlOf('/v1/chains/{chainId}/contracts', path),
          query: { verified: String(of === 'verified') },
          view: ({ contracts }) => contractTable(chainId, contracts),
        }),
      ]
    }
    case 'active':
      return h(ActiveList, { chainId })
    default:
      return paged({
        path: urlOf('/v1/chains/{chainId}/blocks', path),
        view: ({ blocks }) => h(BlockTable, { world, chainId, blocks }),
      })
  }
}

type CountedContract = AnswerAt<'/v1/chains/{chainId}/tokens'>['tokens'][number]

function tokenTable(chainId: string, tokens: readonly CountedContract[]): JSX.Element {
  const hasPrices = tokens.some(({ price }) => price !== undefined)
  return table(
    [
      ['Token'],
      ['Name', 'wide'],
      ['Standard', 'wide'],
      ...(hasPrices ? [['Price', 'num'] as const] : []),
      ['Holders, all time', 'num'],
      ['Transfers', 'num'],
    ],
    tokens.map((token) => [
      addressLink(chainId, token),
      h('span', { title: visible(token.name ?? '') }, clipped(token.name ?? '')),
      token.ercType,
      ...(hasPrices
        ? [token.price ? money(Number(token.price.value), token.price.currencyCode) : '–']
        : []),
      count(token.holderCount),
      count(token.transferCount),
    ]),
  )
}

type ListedContract = AnswerAt<'/v1/chains/{chainId}/contracts'>['contracts'][number]

function contractTable(chainId: string, contracts: readonly ListedContract[]): JSX.Element {
  return table(
    [['Contract'], ['Name'], ['Standard', 'wide'], ['Source code'], ['Creator', 'wide']],
    contracts.map(({ address, name = '', ercType, label, deploymentDetails: made, ...of }) => [
      addressLink(chainId, { address, label }),
      clipped((of.source ?? of.project)?.name ?? name),
      ercType === 'UNKNOWN' ? '' : ercType,
      of.source === undefined
        ? h('span', { class: 'quiet' }, of.project === undefined ? 'not verified' : ofProject)
        : h(
            'span',
            null,
            pill(`${of.source.match} match`, 'good'),
            ' ',
            age(of.source.verifiedAt, Date.now()),
          ),
      made === undefined
        ? '–'
        : addressLink(chainId, { address: made.deployerAddress, label: made.deployerLabel }),
    ]),
  )
}

const totals = [
  ['txCount', 'Transactions'],
  ['activeAddresses', 'Addresses'],
  ['contracts', 'Contracts'],
] as const

/** Counts since the first block, as parts of a strip of numbers. */
export function Totals({ chainId }: { readonly chainId: string }): JSX.Element {
  return h(
    Fragment,
    null,
    totals.map(([metric, title]) => h(Total, { chainId, metric, title, key: metric })),
  )
}

function Total(of: {
  readonly chainId: string
  readonly metric: string
  readonly title: string
}): JSX.Element {
  const { chainId, metric, title } = of
  const path = { chainId, metric }
  const answer = useAnswer(
    urlOf('/v2/chains/{chainId}/rollingWindowMetrics/{metric}', path),
    ...pace(),
  )
  const { result } = answer.data ?? {}
  return h('div', null, [
    h('dt', null, h('a', { href: to('metrics', chainId, 'day', metric) }, title)),
    h('dd', null, [
      result === undefined ? '–' : count(result.allTime),
      result !== undefined &&
        h('div', null, h('small', null, `${count(result.lastDay)} in the last 24 h`)),
    ]),
  ])
}

/** Facts about the chain for a visitor: what it is, how fast and dear, how to use it. */
function About({ world, chainId }: Omit<ChainProps, 'view'>): JSX.Element {
  const chain = chainOf(world, chainId)
  const status = statusOf(world, chainId)
  const newest = useAnswer(urlOf('/v1/chains/{chainId}/blocks', { chainId, pageSize: 100 }), 30_000)
  return card(
    'About',
    facts([
      ...(chain === undefined ? [] : ownFacts(chain)),
      ...paceFacts(world, newest.data?.blocks ?? []),
      ['Validators', validatorsOf(world, chain?.subnetId, status?.network)],
      ['Chain ID', copied(chainId)],
      ...(chain === undefined ? [] : access(chain)),
      ['Indexed', status === undefined || status.state === 'live' ? '' : progress(status)],
      ['Reason', status?.reason && h('span', { class: 'failed' }, status.reason)],
    ]),
  )
}

type Fact = readonly [name: string, value: View]

function ownFacts({ description, subnetId, networkToken }: ChainInfo): Fact[] {
  const usual =
    subnetId === primarySubnetId
      ? 'The smart contract chain of the primary network'
      : 'An EVM chain of an L1'
  return [
    ['Description', description === '' ? usual : visible(description)],
    [
      'Native token',
      `${clipped(networkToken.symbol) || 'without a symbol'}, ${networkToken.decimals} decimals`,
    ],
  ]
}

/** How often blocks came of late, and what a transfer costs now; newest first. */
function paceFacts(world: World, blocks: readonly EvmBlock[]): Fact[] {
  const [last] = blocks
  // The genesis is of whatever time its maker chose.
  const timed = blocks.filter(({ blockNumber }) => blockNumber !== '0')
  const first = timed.at(-1)
  if (last === undefined || first === undefined || last === first) return []
  const { chainId, baseFee } = last
  const { symbol, decimals } = coinOf(world, chainId)
  const seconds = (last.blockTimestamp - first.blockTimestamp) / (timed.length - 1)
  return [
    ['Block time', `${seconds.toFixed(1)} s, average of the last ${count(timed.length)} blocks`],
    ['Base fee', h('a', { href: to('chain', chainId, 'gas') }, gasPrice(baseFee))],
    ['Cost of a transfer', coins(String(BigInt(baseFee) * 21_000n), decimals, symbol)],
  ]
}

/** Ways to use the chain. */
function access(chain: ChainInfo): Fact[] {
  const { rpcUrl, wsUrl, explorerUrl = '', platformChainId } = chain
  return [
    ['RPC URL', rpcUrl === '' ? '' : rpcOf(chain)],
    ['WebSocket', wsUrl && copied(wsUrl)],
    [
      'Transactions',
      chain.acceptsTransactions &&
        h('a', { href: to('chain', chain.chainId, 'broadcast') }, 'Broadcast a signed transaction'),
    ],
    [
      'Explorer',
      /^https?:/.test(explorerUrl)
        ? h('a', { href: explorerUrl, rel: 'noreferrer' }, visible(explorerUrl))
        : '',
    ],
    ['Blockchain ID', platformChainId && copied(platformChainId)],
  ]
}

/** The subnet whose validators the chain has, a link where its network is indexed here too. */
function validatorsOf(world: World, id: string | undefined, network: string | undefined): View {
  if (id === undefined || id === primarySubnetId) return ''
  return network === undefined || !primaryNetworks(world).includes(network)
    ? h('span', null, 'of the subnet ', copied(id))
    : h('a', { href: to('primary', network, 'subnet', id) }, 'the validators of this L1')
}

function rpcOf(chain: ChainInfo): JSX.Element {
  const url = new URL(chain.rpcUrl, location.href).href
  return h('span', null, copied(url), h(AddToWallet, { chain }))
}
