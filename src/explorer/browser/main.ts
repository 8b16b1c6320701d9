/**
 * The explorer in the browser: the frame around every page, and which page a place leads to.
 *
 * It calls Firn's own API like any other caller. The tab keeps an API key; the browser keeps choices and watched
 * addresses.
 */

import { h, type JSX, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { Status } from '../../shape/status.ts'
import { AddressPage } from './evm/address-page.ts'
import { BlockPage } from './evm/block-page.ts'
import { ChainPage } from './evm/chain-page.ts'
import { NftPage } from './evm/nft-page.ts'
import { TxPage } from './evm/tx-page.ts'
import { MessagePage, MessagesPage } from './icm/messages-page.ts'
import { type Answer, retryAll, useAnswer, useBusy } from './kit/answer.ts'
import { urlOf } from './kit/contract.ts'
import { day, visible } from './kit/format.ts'
import { later } from './kit/later.ts'
import { isChainView, isPage, to } from './kit/link.ts'
import { failed, heading, keep, kept, useTimes } from './kit/parts.ts'
import { brand, leadOn, usePlace, useTitle } from './kit/place.ts'
import { shownThing } from './kit/shown-thing.ts'
import {
  followStatus,
  isUnknown,
  onlyChain,
  pace,
  primaryNetworks,
  type World,
} from './kit/world.ts'
import { MetricsPage } from './metrics-page.ts'
import { Overview } from './overview/overview.ts'
import { L1sPage, ValidationPage } from './primary/l1-page.ts'
import { NodePage } from './primary/node-page.ts'
import { PrimaryAddressPage } from './primary/primary-address.ts'
import { PrimaryBlockPage, PrimaryTxPage } from './primary/primary-detail.ts'
import { PrimaryPage } from './primary/primary-page.ts'
import { SubnetPage } from './primary/subnet-page.ts'
import { SearchBox } from './search/search-box.ts'
import { WatchNotes } from './watch/watch-views.ts'

const ConsolePage = later(async () => (await import('./rare.ts')).rare.ConsolePage)
const GasPage = later(async () => (await import('./rare.ts')).rare.GasPage)
const BroadcastPage = later(async () => (await import('./rare.ts')).rare.BroadcastPage)
const StakingPage = later(async () => (await import('./rare.ts')).rare.StakingPage)

/** Everything on the screen. */
function Explorer(): JSX.Element {
  const place = usePlace()
  const status = useStatus()
  followStatus(status.data)
  const chains = useAnswer(urlOf('/v1/chains', {}), ...pace(30_000))
  const world: World = { chains: chains.data?.chains ?? [], status: status.data }
  useTimes()
  const chainId = place[0] === 'chain' ? (place[1] ?? '') : ''
  const thing = shownThing(place)
  return h('div', { class: 'frame' }, [
    h('a', { class: 'skip', href: '#main', onClick: focusMain }, 'Skip to content'),
    h('header', { class: 'top' }, [
      h('a', { href: to(), class: 'brand', 'aria-label': `${brand.title}, home` }, [
        h('img', { src: brand.logo, width: 28, height: 28, alt: '' }),
        brand.title,
      ]),
      menu(world, place),
      h(SearchBox, { world, chainId }),
      h(ThemeSwitch, {}),
    ]),
    h(RecordingNote, { recording: status.data?.recording }),
    h('main', { id: 'main', tabIndex: -1 }, [
      status.failure === undefined ? null : failed(status.failure),
      h(BusyNotice, {}),
      h(WatchNotes, {}),
      isPage(to(...place)) ? pageOf(world, place) : h(Lost, { world, why: '' }),
    ]),
    h('footer', null, [
      h('span', null, `${brand.title}: ${brand.description}`),
      h('span', null, [
        thing !== undefined && [h('a', { href: thing.url }, 'This page as JSON'), ' · '],
        brand.links.map(([label, address]) => [h('a', { href: address }, label), ' · ']),
        brand.hasDocs && [h('a', { href: '/docs' }, 'Documentation'), ' · '],
        h('a', { href: urlOf('/status', {}) }, 'Status'),
        ' · ',
        h('a', { href: '/openapi.json' }, 'openapi.json'),
      ]),
    ]),
  ])
}

/** Says on every page that what is shown is a recording, and how far it is played. */
function RecordingNote({
  recording,
}: {
  readonly recording: Status['recording']
}): JSX.Element | null {
  if (recording === undefined) return null
  const { time, endTime } = recording
  return h('aside', { class: 'recording', 'aria-label': 'Recording' }, [
    h('strong', null, `Recording of ${day(endTime)}. `),
    time < endTime
      ? 'Its last blocks arrive now, one a second. '
      : 'It has ended; ages are counted from its end. ',
    brand.hasDocs &&
      h('a', { href: '/docs/guide/getting-started#your-own-node' }, 'Connect your own node'),
  ])
}

/** Says that the page lacks something, and requests it again. */
function BusyNotice(): JSX.Element | null {
  return useBusy()
    ? h('p', { class: 'failed given-up', role: 'alert' }, [
        'The server is busy: parts of this page are missing or old. ',
        h('button', { type: 'button', onClick: retryAll }, 'Try again'),
      ])
    : null
}

/** The status, read often while a chain is behind and seldom when all are live. */
function useStatus(): Answer<Status> {
  const [behind, setBehind] = useState(true)
  const answer = useAnswer(urlOf('/status', {}), behind ? 2_000 : 10_000)
  const syncing = answer.data?.chains.some(({ state }) => state === 'syncing') ?? true
  useEffect(() => setBehind(syncing), [syncing])
  return answer
}

function focusMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

/** Lists of a chain that stand in the menu where it is the only one. */
const ownLists = [
  ['Transactions', 'transactions'],
  ['Tokens', 'tokens'],
  ['NFTs', 'collections'],
  ['Contracts', 'contracts'],
  ['Gas', 'gas'],
] as const

type MenuLink = readonly [label: string, link: string, place: string]

function linksOfChain(chainId: string): readonly MenuLink[] {
  return [
    ['Blocks', to('chain', chainId), `chain/${chainId}`],
    ...ownLists.map(([label, list]): MenuLink => [
      label,
      to('chain', chainId, list),
      `chain/${chainId}/${list}`,
    ]),
  ]
}

function linksOf(
  { status }: World,
  network: string | undefined,
  chainId: string | undefined,
): MenuLink[] {
  const hasEvm = status?.chains.some(({ kind }) => kind === 'evm') === true
  return [
    ['Home', to(), ''],
    ...(chainId === undefined ? [] : linksOfChain(chainId)),
    ...(network === undefined
      ? []
      : [
          ['Primary network', to('primary', network), 'primary'] as const,
          ['Staking', to('staking', network), 'staking'] as const,
          ['L1s', to('l1s', network), 'l1s'] as const,
        ]),
    ...(hasEvm && chainId === undefined ? [['Messages', to('messages'), 'message'] as const] : []),
    ...(hasEvm ? [['Metrics', to('metrics'), 'metrics'] as const] : []),
    ...(brand.hasDocs ? [['API', to('api'), 'api'] as const] : []),
    ...brand.links.map(([label, address]) => [label, address, address] as const),
  ]
}

function menu(world: World, place: readonly string[]): JSX.Element {
  const chainId = onlyChain(world)
  // Subnets and validations have their places below the network, and belong to the L1s.
  const isOfL1 = place[0] === 'primary' && ['subnet', 'validation'].includes(place[2] ?? '')
  const isOfChain = chainId !== undefined && place[0] === 'chain'
  const here = isOfL1 ? 'l1s' : isOfChain ? place.join('/') : (place[0] ?? '')
  return h(
    'nav',
    { class: 'menu', 'aria-label': 'pages' },
    linksOf(world, primaryNetworks(world)[0], chainId).map(([label, href, name]) => {
      const current = name === '' || isOfChain ? here === name : here.startsWith(name)
      return h('a', { href, 'aria-current': current ? 'page' : undefined }, label)
    }),
  )
}

function pageOf(world: World, place: readonly string[]): JSX.Element {
  const [page = '', first = '', second = '', third = ''] = place
  switch (page) {
    case '':
      return h(Overview, { world })
    case 'chain':
      return chainPageOf(world, first, second, place.slice(3))
    case 'messages':
      return h(MessagesPage, { world })
    case 'message':
      return h(MessagePage, { world, messageId: first })
    case 'metrics':
      return metricsPageOf(world, first, second, third)
    case 'primary':
      return primaryPageOf(world, first, second, place.slice(3))
    case 'l1s':
    case 'staking': {
      const network = networkIn(world, first)
      // The network's own page says that it is not known yet, or not indexed here.
      if (network === '') return primaryPageOf(world, network, '', [])
      return h(page === 'l1s' ? L1sPage : StakingPage, { network })
    }
    case 'api':
      return h(ConsolePage, { world, id: first })
    default:
      return h(Lost, { world, why: '' })
  }
}

/** The network that a place names, or the first one. */
function networkIn(world: World, named: string): string {
  return named === '' ? (primaryNetworks(world)[0] ?? '') : named
}

function metricsPageOf(
  world: World,
  chainId: string,
  interval: string,
  metric: string,
): JSX.Element {
  return h(MetricsPage, {
    world,
    chainId: chainId === '' ? 'total' : chainId,
    interval: interval === '' ? 'day' : interval,
    metric,
  })
}

function chainPageOf(
  world: World,
  chainId: string,
  view: string,
  rest: readonly string[],
): JSX.Element {
  const [id = '', list = ''] = rest
  if (isUnknown(world, chainId))
    return h(Lost, { world, why: `Chain ${chainId} is not indexed here.` })
  if (!isChainView(view)) return h(Lost, { world, why: '' })
  switch (view) {
    case 'block':
      return h(BlockPage, { world, chainId, blockId: id })
    case 'tx':
      return h(TxPage, { world, chainId, txHash: id })
    case 'address':
      return addressPageOf(world, chainId, id, list)
    case 'nft':
      return h(NftPage, { world, chainId, address: id, tokenId: list })
    case 'broadcast':
      return h(BroadcastPage, { world, chainId })
    case 'gas':
      return h(GasPage, { world, chainId })
    default:
      return h(ChainPage, { world, chainId, view })
  }
}

function addressPageOf(world: World, chainId: string, address: string, view: string): JSX.Element {
  return /^0x[0-9a-f]{40}$/i.test(address)
    ? h(AddressPage, { world, chainId, address, view })
    : h(Lost, { world, why: `This is no address: ${visible(address)}` })
}

function primaryPageOf(
  world: World,
  network: string,
  view: string,
  rest: readonly string[],
): JSX.Element {
  const [first = '', second = ''] = rest
  switch (view) {
    case 'block':
      return h(PrimaryBlockPage, { world, network, chain: first, id: second })
    case 'tx':
      return h(PrimaryTxPage, { world, network, chain: first, id: second })
    case 'address':
      return h(PrimaryAddressPage, { network, address: first, view: second })
    case 'subnet':
      return h(SubnetPage, { world, network, subnetId: first })
    case 'validation':
      return h(ValidationPage, { world, network, validationId: first })
    case 'node':
      return h(NodePage, { world, network, nodeId: first })
    default:
      return h(PrimaryPage, { world, network, view, chain: first })
  }
}

/** A place that leads nowhere, why, and where there is something. */
function Lost({ world, why }: { readonly world: World; readonly why: string }): JSX.Element {
  useTitle('Not found')
  return h('div', { class: 'stack' }, [
    heading('404', 'Page not found'),
    why !== '' && h('p', { class: 'failed', role: 'alert' }, why),
    h('p', null, [
      'Look for an address, a hash, a block or a name in the search above (key /), or go to ',
      h('a', { class: 'also', href: to() }, 'Home'),
      world.chains.map(({ chainId, chainName }) =>
        h('a', { class: 'also', href: to('chain', chainId) }, visible(chainName)),
      ),
    ]),
  ])
}

const themeName = 'firn-theme'

/** Themes and their signs. The first leaves the choice to the system. */
const themes = [
  ['system', '◐'],
  ['light', '☀'],
  ['dark', '☾'],
] as const

/** A button that goes from one theme to the next. */
function ThemeSwitch(): JSX.Element {
  const [chosen, choose] = useState(() => kept(themeName) || 'system')
  const at = Math.max(
    0,
    themes.findIndex(([name]) => name === chosen),
  )
  const [name, sign] = themes[at] ?? themes[0]
  const [next] = themes[(at + 1) % themes.length] ?? themes[0]
  useEffect(() => {
    document.documentElement.dataset['theme'] = name
    // Charts have their colours painted in.
    dispatchEvent(new Event('themechange'))
  }, [name])
  const change = (): void => {
    choose(next)
    keep(themeName, next)
  }
  return h(
    'button',
    {
      type: 'button',
      class: 'theme',
      onClick: change,
      title: `theme: ${name}`,
      'aria-label': `theme: ${name}; change to ${next}`,
    },
    sign,
  )
}

// Last, since all constants above must be there.
const root = document.getElementById('app')
if (root !== null) {
  leadOn()
  // The page that the server drew for the first moment is replaced.
  root.replaceChildren()
  render(h(Explorer, {}), root)
}
