/** The primary network: validators, subnets, L1 validators, blocks and transactions by chain. */

import { h, type JSX } from 'preact'

import { cTypes, pTypes, xTypes } from '../../../core/type-ids.ts'
import type { Subnet } from '../../../shape/primary/subnet.ts'
import { urlOf } from '../kit/contract.ts'
import { count, ends, words } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import {
  age,
  card,
  failed,
  heading,
  pill,
  rowTable,
  select,
  table,
  tabs,
  type View,
} from '../kit/parts.ts'
import { go, query, useTitle, withParams } from '../kit/place.ts'
import { chainsOfSubnet, primaryNetworks, type World } from '../kit/world.ts'
import { NetworkFigures } from './network-figures.ts'
import {
  blockLink,
  type ChainName,
  chainLabel,
  chains,
  isChain,
  l1ValidatorRows,
  namedChain,
  nodeLink,
  shortBlockType,
  shortType,
  subnetLink,
  txRows,
} from './primary-parts.ts'
import { ValidatorsPage } from './validators-page.ts'

/** A network, and one of its lists. */
export type PrimaryProps = {
  readonly world: World
  readonly network: string
  readonly view: string
  readonly chain: string
}

/** The page; says so when no primary network is indexed here. */
export function PrimaryPage({ world, network, view, chain }: PrimaryProps): JSX.Element {
  useTitle(`${titleOf(view, chain)} · ${network}`)
  const served = primaryNetworks(world)
  if (served.length === 0) return notServed(world)
  return h('div', { class: 'stack' }, [
    heading(
      'P-, X- and C-Chain',
      world.status?.chains.find((one) => one.kind === 'primary' && one.network === network)?.name ??
        network,
      served.length > 1
        ? h(
            'nav',
            { class: 'steps' },
            served.map((name) => h('a', { href: to('primary', name) }, name)),
          )
        : null,
    ),
    view === '' && h(NetworkFigures, { network }),
    tabs([
      ['Validators', to('primary', network)],
      ['Subnets', to('primary', network, 'subnets')],
      ['L1 validators', to('primary', network, 'l1')],
      ...chains.flatMap((name): [string, string][] => [
        [`${label(name)} blocks`, to('primary', network, 'blocks', name)],
        [`${label(name)} transactions`, to('primary', network, 'transactions', name)],
      ]),
    ]),
    card('', viewOf({ world, network, view, chain })),
  ])
}

function notServed({ status }: World): JSX.Element {
  return h('div', { class: 'stack' }, [
    heading('Primary network', status === undefined ? 'Loading…' : 'Not indexed here'),
    h('p', null, [
      'Name a node under ',
      h('code', null, 'networks'),
      ' in the configuration to index the P-, X- and C-Chain.',
    ]),
  ])
}

/** Title of a view of the network. */
function titleOf(view: string, chain: string): string {
  if (view === '') return 'Validators'
  if (view === 'l1') return 'L1 validators'
  return chain === '' ? words(view) : `${chainLabel(chain)} ${view}`
}

function label(chain: string): string {
  return chain.slice(0, 1).toUpperCase()
}

function viewOf({ world, network, view, chain }: PrimaryProps): View {
  if (view === '') return h(ValidatorsPage, { network })
  if (view === 'subnets') return subnets(network, world)
  if (view === 'l1') return l1Validators({ world, network })
  if (view === 'blocks' && isChain(chain)) return blocks(network, chain)
  if (view === 'transactions' && isChain(chain)) return transactions(network, chain)
  return failed({ status: 404, message: `no such page: ${view}` })
}

function subnets(network: string, world: World): JSX.Element {
  return paged({
    path: urlOf('/v1/networks/{network}/subnets', { network }),
    view: (page) =>
      table(
        [['Subnet'], ['Type'], ['Chains'], ['Owners', 'num wide'], ['Created', 'num']],
        page.subnets.map((one) => [
          subnetLink(network, one.subnetId, chainsOfSubnet(world, one.subnetId)),
          subnetPill(one),
          one.blockchains.map((chain) =>
            h('span', { class: 'also' }, namedChain(world, network, chain)),
          ),
          `${one.threshold} of ${one.ownerAddresses.length}`,
          age(one.createBlockTimestamp),
        ]),
      ),
  })
}

/** The label `L1` or `subnet`. */
export function subnetPill({ isL1 }: Subnet): JSX.Element {
  return isL1 ? pill('L1', 'good') : pill('subnet')
}

function l1Validators(of: Pick<PrimaryProps, 'world' | 'network'>): JSX.Element {
  return paged({
    path: urlOf('/v1/networks/{network}/l1Validators', { network: of.network }),
    query: { includeInactiveL1Validators: 'true' },
    view: (page) => l1ValidatorRows(of, page.validators),
  })
}

function blocks(network: string, chain: string): JSX.Element {
  return paged({
    path: urlOf('/v1/networks/{network}/blockchains/{blockchainId}/blocks', {
      network,
      blockchainId: chain,
    }),
    view: (page) =>
      rowTable(page.blocks, [
        ['Block', '', ({ blockNumber }) => blockLink(network, chain, blockNumber)],
        ['ID', 'wide', ({ blockHash: id }) => h('span', { class: 'id', title: id }, ends(id))],
        ['Time', '', ({ blockTimestamp }) => age(blockTimestamp)],
        ['Type', '', ({ blockType }) => shortBlockType(blockType)],
        [
          'Proposer',
          'wide',
          ({ proposerDetails: of }) =>
            of?.proposerNodeId === undefined ? '–' : nodeLink(network, of.proposerNodeId),
        ],
        ['Transactions', 'num', ({ txCount }) => count(txCount)],
        ['Size, bytes', 'num wide', ({ blockSizeBytes }) => count(blockSizeBytes)],
      ]),
  })
}

const typesOf = {
  'p-chain': Object.keys(pTypes),
  'x-chain': Object.keys(xTypes),
  'c-chain': Object.keys(cTypes),
} as const

function transactions(network: string, chain: ChainName): View {
  const type = query().get('type') ?? ''
  return [
    h('div', { class: 'controls filters' }, [
      select(
        { 'aria-label': 'type of transaction', key: `${chain} ${type}` },
        [
          ['', 'Any type'],
          ...typesOf[chain].toSorted().map((name) => [name, shortType(name)] as const),
        ],
        { chosen: type, change: (name) => go(withParams({ type: name, page: '' })) },
      ),
    ]),
    paged({
      path: urlOf('/v1/networks/{network}/blockchains/{blockchainId}/transactions', {
        network,
        blockchainId: chain,
      }),
      query: { txTypes: type },
      view: (page) => txRows(network, chain, page.transactions),
    }),
  ]
}
