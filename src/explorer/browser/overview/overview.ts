/**
 * First page: the network in numbers, what happened last, two charts, and what is still syncing.
 */

import { h, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { NativeTransaction } from '../../../shape/evm/transaction.ts'
import type { ChainStatus } from '../../../shape/status.ts'
import { chainLink, txLink, whatHappened } from '../evm/evm-parts.ts'
import { toldMessages } from '../icm/messages-page.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { count, ends, speed, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { MetricChart } from '../kit/metric-chart.ts'
import {
  age,
  card,
  chainPill,
  heading,
  type RowColumn,
  rowTable,
  shown,
  statePill,
  table,
  type View,
} from '../kit/parts.ts'
import { brand, useTitle } from '../kit/place.ts'
import {
  awaited,
  chainName,
  coinOf,
  onlyChain,
  pace,
  primaryNetworks,
  type World,
} from '../kit/world.ts'
import { subnetLink } from '../primary/primary-parts.ts'
import { WatchCard } from '../watch/watch-views.ts'
import { NewestBlocks, useNewestBlocks } from './newest-blocks.ts'
import { Numbers } from './numbers.ts'

/** The overview. */
export function Overview({ world }: { readonly world: World }): JSX.Element {
  useTitle('')
  const { chains } = world
  const stream = useNewestBlocks()
  const evm = stream.blocks?.filter(({ chainId }) => chainId !== undefined) ?? []
  const [newest] = evm
  const full = evm.find(({ txCount }) => txCount > 0)
  const [, come] = pace()
  const beat = useSeldom(full === undefined ? '' : `${full.chainId} ${full.blockNumber}`)
  const transactions = useAnswer(
    urlOf('/v1/transactions', { pageSize: 8, summaries: true }),
    0,
    `${beat}${come}`,
  )
  const [latest] = transactions.data?.transactions ?? []
  const chain = chains.at(-1)
  return h('div', { class: 'stack' }, [
    heading(
      'Overview',
      brand.title,
      tries([
        chain && [visible(chain.chainName), to('chain', chain.chainId)],
        newest && [
          `block ${count(newest.blockNumber)}`,
          to('chain', newest.chainId ?? '', 'block', newest.blockNumber),
        ],
        latest && [ends(latest.txHash), to('chain', latest.chainId, 'tx', latest.txHash)],
      ]),
    ),
    home(),
    h(ThreeThings, { world }),
    h(WatchCard, { world }),
    // What was answered before is not all that there is now.
    known(world, h(Numbers, { key: come, world, newest: newest?.blockTimestamp })),
    h(NewestBlocks, { stream, nameOf: (chainId) => chainName(world, chainId) }),
    progressOf(world),
    chains.length > 0 && [
      charts(),
      card(
        'Latest transactions',
        shown(transactions, (data) => latestTxs(world, data.transactions)),
      ),
    ],
    known(world, h(Newest, { key: come, world })),
  ])
}

/** Content that is of no use before the first status. */
function known({ status }: World, view: View): View {
  return status === undefined ? null : view
}

/** The operator's text at the head of the page. */
function home(): View {
  const { home: texts } = brand
  return (
    texts.length > 0 &&
    card(
      '',
      texts.map((text) => h('p', null, text)),
    )
  )
}

function charts(): JSX.Element {
  const chart = { chainId: 'total', interval: 'day' }
  return h('div', { class: 'grid two' }, [
    h(MetricChart, { ...chart, metric: 'txCount', title: 'Transactions per day' }),
    h(MetricChart, { ...chart, metric: 'activeAddresses', title: 'Active addresses per day' }),
  ])
}

// Pushed blocks come several a second; lists follow at a pace that people can read.
const seldomMs = 3_000

/** A value that changes at most every three seconds. */
function useSeldom(value: string): string {
  const [seen, setSeen] = useState({ value, at: 0 })
  useEffect(() => {
    const wait = Math.max(0, seen.at + seldomMs - Date.now())
    const timer =
      value === seen.value ? 0 : setTimeout(() => setSeen({ value, at: Date.now() }), wait)
    return () => clearTimeout(timer)
  }, [value, seen])
  return seen.value
}

/** The newest L1s and messages between chains; nothing where neither is served. */
function Newest({ world }: { readonly world: World }): JSX.Element {
  const network = primaryNetworks(world)[0]
  const subnets = useAnswer(
    network && urlOf('/v1/networks/{network}/subnets', { network, pageSize: 8, sortOrder: 'desc' }),
    ...pace(),
  )
  const messages = useAnswer(
    world.chains.length > 0
      ? urlOf('/v1/icm/messages', { pageSize: 8, summaries: true })
      : undefined,
    ...pace(10_000),
  )
  return h('div', { class: 'grid latest' }, [
    network === undefined
      ? null
      : card(
          'Latest subnets and L1s',
          shown(subnets, (page) =>
            table(
              [['L1 or subnet'], ['Created', 'num']],
              page.subnets.map((one) => [
                h(
                  'span',
                  null,
                  one.blockchains.map(({ blockchainName }) => `${visible(blockchainName)} `),
                  subnetLink(network, one.subnetId),
                ),
                age(one.createBlockTimestamp),
              ]),
            ),
          ),
          h('a', { href: to('l1s', network) }, 'All L1s →'),
        ),
    // A chain that stands alone has none.
    world.chains.length === 0 || messages.data?.messages.length === 0
      ? null
      : card(
          'Latest messages',
          shown(messages, (page) => toldMessages(world, page.messages)),
          h('a', { href: to('messages') }, 'All messages →'),
        ),
  ])
}

/** Three things to try on the demo: a transfer between chains, balances that run out, a market's season. */
function ThreeThings({ world }: { readonly world: World }): JSX.Element | null {
  const season = world.chains.find(({ chainName }) => chainName === 'Meridian')
  const isDemo = world.status?.recording !== undefined && season !== undefined
  const network = primaryNetworks(world)[0] ?? ''
  const messages = useAnswer(isDemo ? urlOf('/v1/icm/messages', { pageSize: 5 }) : undefined, 5_000)
  const sent = messages.data?.messages.find(({ status }) => status === 'delivered')
  if (!isDemo) return null
  const things = [
    [
      'Follow a transfer over the bridge',
      'a message, its fee, its signatures and its delivery on the other chain',
      sent === undefined ? to('messages') : to('message', sent.messageId),
    ],
    [
      'See whose balance runs out',
      'four validators of Summit: one nearly empty, one empty, one disabled, one removed',
      to('l1s', network),
    ],
    [
      'Look at ninety days of a market',
      'a launch, a quiet week, a spam attack, a migration',
      to('metrics', season.chainId, 'day'),
    ],
  ] as const
  return h(
    'ol',
    { class: 'things card', 'aria-label': 'three things to try' },
    things.map(([title, what, href]) =>
      h('li', null, h('a', { href }, title), h('span', { class: 'quiet' }, what)),
    ),
  )
}

/** Things to look for, for who does not know what there is. */
function tries(links: readonly (readonly [string, string] | undefined)[]): View {
  const there = links.filter((link) => link !== undefined)
  return there.length === 0
    ? null
    : h('p', { class: 'quiet tries' }, [
        'Try: ',
        there.map(([label, href]) => h('a', { href }, label)),
      ])
}

// A request each.
const mostCounted = 12

/** A table of the chains that are live; a card for each that is not. */
function progressOf(world: World): View {
  const all = world.status?.chains ?? []
  if (all.length === 0) return null
  const behind = all.filter(({ state }) => state !== 'live')
  if (behind.length === 0 && onlyChain(world) !== undefined) return null
  const live = all.filter(({ state }) => state === 'live')
  const isCounted = live.length <= mostCounted
  return [
    card(
      'Chains',
      live.length > 0 &&
        table(
          [
            ['Chain'],
            ['Coin', 'wide'],
            ['Latest block', 'num'],
            ...(isCounted ? [['Txns, 24 h', 'num'] as const] : []),
          ],
          live.map((chain) => [
            named(chain, world),
            chain.evmChainId === undefined
              ? 'AVAX'
              : visible(coinOf(world, String(chain.evmChainId)).symbol),
            heights(chain) || count(chain.indexedHeight),
            ...(isCounted ? [h(LastDay, { chain })] : []),
          ]),
        ),
      statePill(
        behind.length === 0 ? 'live' : 'syncing',
        `${live.length} of ${all.length} chains live`,
      ),
    ),
    behind.length === 0
      ? null
      : h(
          'div',
          { class: 'grid chains' },
          behind.map((chain) => h(ChainCard, { key: chain.chain, chain })),
        ),
  ]
}

/** Transactions of the latest 24 hours of an EVM chain. */
function LastDay({ chain: { evmChainId } }: { readonly chain: ChainStatus }): JSX.Element {
  const path =
    evmChainId === undefined ? undefined : { chainId: evmChainId, metric: 'txCount' as const }
  const answer = useAnswer(
    path && urlOf('/v2/chains/{chainId}/rollingWindowMetrics/{metric}', path),
    ...pace(),
  )
  const value = answer.data?.result.lastDay
  return h('span', null, path === undefined ? '' : value === undefined ? '–' : count(value))
}

function latestTxs(world: World, transactions: readonly NativeTransaction[]): JSX.Element {
  const chain: RowColumn<NativeTransaction> = [
    'Chain',
    'wide',
    ({ chainId }) => chainLink(world, chainId),
  ]
  return rowTable(transactions, [
    ['Transaction', '', ({ chainId, txHash }) => txLink(chainId, txHash)],
    ...(onlyChain(world) === undefined ? [chain] : []),
    ['Time', 'wide', ({ blockTimestamp }) => age(blockTimestamp)],
    whatHappened(world),
  ])
}

/** A chain that is not live: how far it is and how fast. */
function ChainCard({ chain }: { readonly chain: ChainStatus }): JSX.Element {
  return h('section', { class: 'card chain' }, [
    h('header', null, h('h2', null, named(chain)), chainPill(chain)),
    h('p', { class: 'quiet' }, chainLine(chain)),
    h('p', { class: 'big' }, [
      chain.indexedHeight < 0 ? 'starting' : count(chain.indexedHeight),
      h('small', null, chain.headHeight < 0 ? '' : ` of ${count(chain.headHeight)}`),
    ]),
    h('progress', {
      max: 1,
      value: chain.overall?.share ?? 0,
      'aria-label': `${visible(chain.name)} indexed`,
    }),
    h(
      'p',
      { class: 'quiet foot' },
      h('span', null, heights(chain)),
      h('span', null, awaited(chain) === undefined ? speed(chain) : ''),
    ),
    chain.reason === undefined ? null : h('p', { class: 'failed' }, chain.reason),
  ])
}

/** Its name, a link to its page once it is known which chain it is; with its logo where the world is given. */
function named({ kind, name: chosen, network, evmChainId }: ChainStatus, world?: World): View {
  const name = visible(chosen)
  if (kind === 'primary') return h('a', { href: to('primary', network) }, name)
  if (evmChainId === undefined) return name
  return world === undefined
    ? h('a', { href: to('chain', evmChainId) }, name)
    : chainLink(world, String(evmChainId))
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
