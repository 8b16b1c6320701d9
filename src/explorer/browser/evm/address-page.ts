/** An address of an EVM chain: what it is, what it holds and what it did. */

import { h, type JSX } from 'preact'
import { useState } from 'preact/hooks'

import type { ContractMetadata, ContractCode } from '../../../shape/evm/contract.ts'
import { itemsOf } from '../contract/abi.ts'
import type { CallsOf } from '../contract/calls.ts'
import { codeView, implementations, ofProject } from '../contract/code.ts'
import { messageTable } from '../icm/messages-page.ts'
import { type Answer, useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { clipped, ends, visible } from '../kit/format.ts'
import { later } from '../kit/later.ts'
import { to } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import {
  card,
  copied,
  facts,
  failed,
  heading,
  pill,
  shown,
  table,
  tabs,
  type View,
} from '../kit/parts.ts'
import { useTitle } from '../kit/place.ts'
import { QrCode } from '../kit/qr-code.ts'
import { WatchButton } from '../watch/watch-views.ts'
import { addressFilters, chosenFilters } from './address-filters.ts'
import { type OfAddress, Summary, Tokens, useEnds } from './address-summary.ts'
import { tabsOf } from './address-tabs.ts'
import { addressLink, chainLink, logo, spamPill, txLink, toldTable } from './evm-parts.ts'
import { Holders } from './holders.ts'
import { Collectibles, Items } from './nft-page.ts'
import { TokenFigures } from './token-figures.ts'
import { internalTable, transferTable } from './transfers.ts'

/** An address, and one of its lists. */
export type AddressProps = OfAddress & { readonly view: string }

/** The page, also of a contract and a token. */
export function AddressPage(props: AddressProps): JSX.Element {
  const { chainId, address, view } = props
  const path = { chainId, address }
  const { isContract, label, own } = useFound(props)
  const contract = useAnswer(
    isContract ? urlOf('/v1/chains/{chainId}/addresses/{address}', path) : undefined,
  ).data
  const [beat, renew] = useState(0)
  const code = useAnswer(
    isContract ? urlOf('/v1/chains/{chainId}/contracts/{address}', path) : undefined,
    0,
    String(beat),
  )
  const { kind, title, symbol, isToken, isCollection } = namesOf(contract, isContract, label)
  useTitle(`${title} ${ends(address)}`)
  const items = code.data === undefined ? [] : itemsOf(code.data)
  const places = tabsOf(props, { isContract, isToken, isCollection })
  const calls = {
    ...props,
    items,
    code: code.data,
    key: `${chainId} ${address} ${items.length}`,
  }
  return h('div', { class: 'stack' }, [
    headOf(props, { kind, title, symbol, label, own, contract: isToken ? contract : undefined }),
    warningOf(contract),
    !isContract && h(QrCode, { text: own, key: own }),
    tabs(places.tabs, 'views', 'tabs', places.chosen),
    places.inside.length > 0 && tabs(places.inside, 'lists', 'segments'),
    view === '' || (isToken && view === 'transfers')
      ? h(Overview, { ...props, contract, code: code.data, key: path })
      : view === 'holders' && contract !== undefined
        ? h(Holders, { chainId, contract, key: path })
        : (onContract(view, code, { calls, renew: () => renew(beat + 1) }) ??
          card('', listOf(props, view))),
  ])
}

/** The head; `contract` is that of a token. */
function headOf(
  { world, chainId, address }: AddressProps,
  of: Readonly<Record<'kind' | 'title' | 'symbol' | 'label' | 'own', string>> & {
    readonly contract: ContractMetadata | undefined
  },
): View {
  const { contract, label, own } = of
  return [
    heading(
      h('span', null, `${of.kind} on `, chainLink(world, chainId)),
      contract !== undefined
        ? h(
            'span',
            null,
            contract.logoAsset && logo(chainId, contract.address),
            of.title,
            ' ',
            h('span', { class: 'quiet' }, clipped(of.symbol)),
          )
        : label === ''
          ? h('span', { class: 'id' }, copied(own))
          : label,
      h('span', null, [
        contract !== undefined && [pill(contract.ercType), spamPill(contract)],
        ' ',
        h(WatchButton, { chainId, address }),
      ]),
    ),
    contract !== undefined || label !== '' ? h('p', null, copied(own)) : null,
    contract !== undefined && h(TokenFigures, { chainId, contract, key: own }),
  ]
}

/** A word of warning on a token, and on what not to do. */
function warningOf(contract: ContractMetadata | undefined): View {
  if (contract?.isSpam !== true && contract?.tokenReputation !== 'Malicious') return null
  const why =
    contract.tokenReputation === 'Malicious'
      ? 'The operator of this explorer calls this token malicious.'
      : 'This token looks like spam: its name or symbol invites to a web site, promises something, or imitates another.'
  return h('p', { class: 'failed', role: 'note' }, [
    why,
    ' Visit no site that it names, and sign nothing there.',
  ])
}

/** Names for the head of the page. */
function namesOf(
  contract: ContractMetadata | undefined,
  isContract: boolean,
  label: string,
): {
  readonly kind: string
  readonly title: string
  readonly symbol: string
  readonly isToken: boolean
  readonly isCollection: boolean
} {
  const { name = '', symbol = '', ercType = 'UNKNOWN' } = contract ?? {}
  const isToken = ercType !== 'UNKNOWN'
  const isCollection = isToken && ercType !== 'ERC-20'
  const kind = isCollection
    ? 'NFT collection'
    : isToken
      ? 'Token'
      : isContract
        ? 'Contract'
        : 'Address'
  const title = isToken && name.trim() !== '' ? clipped(name) : label || kind
  return { kind, title, symbol, isToken, isCollection }
}

const Read = later(async () => (await import('../rare.ts')).rare.Read)
const Write = later(async () => (await import('../rare.ts')).rare.Write)
const Events = later(async () => (await import('../rare.ts')).rare.Events)

/** The tab of a contract; `undefined` for what is none. */
function onContract(
  view: string,
  code: Answer<ContractCode>,
  { calls, renew }: { readonly calls: CallsOf; readonly renew: () => void },
): View {
  if (view === 'code') return shown(code, (data) => codeView(calls, data, renew))
  const part = new Map([
    ['read', Read],
    ['write', Write],
    ['events', Events],
  ]).get(view)
  return part && shown(code, () => h(part, calls))
}

type OverviewProps = AddressProps & {
  readonly contract: ContractMetadata | undefined
  readonly code: ContractCode | undefined
}

/** Facts about it, its balances, and its transactions. */
function Overview({ contract, code, ...props }: OverviewProps): JSX.Element {
  const { world, chainId, address } = props
  const seen = useAnswer(urlOf('/v1/address/{address}/chains', { address }))
  const others = (seen.data?.indexedChains ?? []).filter((chain) => chain.chainId !== chainId)
  const also =
    others.length > 0 &&
    others.map((chain) =>
      h(
        'a',
        { class: 'also', href: to('chain', chain.chainId, 'address', address) },
        visible(chain.chainName),
      ),
    )
  // What a token itself holds and was called with is under its tab as an account.
  if (contract !== undefined && contract.ercType !== 'UNKNOWN')
    return h('div', { class: 'stack' }, [
      contractCard(chainId, { contract, code, also }),
      card('Transfers', listOf(props, 'transfers')),
    ])
  const balance = card(
    'Balance',
    h(Summary, { world, chainId, address, also: contract === undefined && also }),
  )
  const tokens = card('Tokens', h(Tokens, { world, chainId, address }))
  return h('div', { class: 'stack' }, [
    h('div', { class: 'grid two top-aligned' }, [
      contract === undefined
        ? balance
        : h('div', { class: 'stack' }, contractCard(chainId, { contract, code, also }), tokens),
      contract === undefined ? tokens : balance,
    ]),
    card('Transactions', listOf(props, '')),
  ])
}

/** Facts about a contract, and the supply of a token. */
function contractCard(
  chainId: string,
  of: {
    readonly contract: ContractMetadata
    readonly code: ContractCode | undefined
    /** Other chains that have something at its address. */
    readonly also: View
  },
): JSX.Element {
  const { contract, code, also } = of
  const { address, ercType, name = '', decimals, deploymentDetails: made } = contract
  const { source, project, proxy } = code ?? {}
  const codePage = to('chain', chainId, 'address', address, 'code')
  return card(
    ercType === 'UNKNOWN' ? 'Contract' : 'Token',
    facts([
      // Where the title is cut.
      ['Name', clipped(name) === visible(name) ? '' : visible(name)],
      ['Decimals', String(decimals ?? '')],
      [
        'Source code',
        source !== undefined
          ? h('a', { href: codePage }, `${visible(source.name)}, ${source.match} match`)
          : project !== undefined
            ? h('a', { href: codePage }, `${visible(project.name)}, ${ofProject}, not verified`)
            : 'not verified',
      ],
      ['Implementation', implementations(chainId, proxy)],
      ['Creation transaction', made && txLink(chainId, made.txHash)],
      [
        'Creator',
        made && addressLink(chainId, { address: made.deployerAddress, label: made.deployerLabel }),
      ],
      ['Same address on', also],
    ]),
    source !== undefined && warningOf(contract) === null
      ? pill('verified', 'good')
      : project !== undefined
        ? pill(ofProject)
        : null,
  )
}

/**
 * Facts about an address that need no fault for an answer, which the browser would write into its console. It holds
 * code, as far as lists say, where it is a token or a contract whose creation is known, or the
 * first transaction it was in called it, as one of genesis.
 */
function useFound({ chainId, address }: AddressProps): {
  readonly isContract: boolean
  /** The address with its checksum, where the chain has seen it. */
  readonly own: string
  /** Its label; empty where it has none. */
  readonly label: string
} {
  const found = useAnswer(urlOf('/v1/search', { q: address }))
  const isCalled = useIsCalled(chainId, address)
  const { kind, id, label, isLabelled } =
    found.data?.hits.find((each) => each.chainId === chainId) ?? {}
  return {
    isContract: kind === 'token' || kind === 'contract' || isCalled,
    own: id ?? address,
    label: isLabelled === true && kind !== 'token' ? clipped(label ?? '') : '',
  }
}

/** Returns whether the first transaction of an address called it. */
function useIsCalled(chainId: string, address: string): boolean {
  const [first] = useEnds(chainId, address)
  const { to: called, method } = first?.data?.transactions[0]?.nativeTransaction ?? {}
  return (
    called?.address.toLowerCase() === address.toLowerCase() &&
    method?.callType !== 'NATIVE_TRANSFER'
  )
}

/** All that it took part in, or of its own transactions those that are wanted. */
function transactionsOf({ world, chainId, address }: OfAddress): View {
  const filters = chosenFilters()
  const path = { chainId, address }
  return Object.keys(filters).length === 0
    ? paged({
        path: urlOf('/v1/chains/{chainId}/addresses/{address}/transactions', path),
        query: { summaries: 'true' },
        view: ({ transactions }) =>
          toldTable(
            world,
            transactions.map(({ nativeTransaction }) => nativeTransaction),
            address,
          ),
      })
    : paged({
        path: urlOf('/v1/chains/{chainId}/addresses/{address}/transactions:listNative', path),
        query: { ...filters, summaries: 'true' },
        view: ({ transactions }) => toldTable(world, transactions, address),
      })
}

function listOf({ world, chainId, address }: OfAddress, view: string): View {
  const filters = chosenFilters()
  const path = { chainId, address }
  switch (view) {
    case '':
    case 'native':
      return [
        addressFilters(['methodHash', 'method ID, as 0xa9059cbb']),
        transactionsOf({ world, chainId, address }),
      ]
    case 'internal':
      return [
        addressFilters(),
        paged({
          path: urlOf('/v1/chains/{chainId}/addresses/{address}/transactions:listInternals', path),
          query: filters,
          view: ({ transactions }) => internalTable(world, chainId, transactions, address),
        }),
      ]
    case 'transfers':
      return paged({
        path: urlOf('/v1/chains/{chainId}/tokens/{address}/transfers', { chainId, address }),
        view: ({ transfers }) => transferTable(chainId, transfers, { own: address }),
      })
    case 'items':
      return h(Items, { chainId, address })
    case 'token-transfers':
    // Where links of before lead.
    case 'erc20':
    case 'erc721':
    case 'erc1155':
      return [
        addressFilters(['tokenAddress', 'token address']),
        paged({
          path: urlOf('/v1/chains/{chainId}/addresses/{address}/transfers', path),
          query: filters,
          view: ({ transfers }) => transferTable(chainId, transfers, { self: address }),
        }),
      ]
    case 'nfts':
      return h(Collectibles, { chainId, address })
    case 'messages':
      return paged({
        path: urlOf('/v1/icm/addresses/{address}/messages', { address }),
        query: { summaries: 'true' },
        view: ({ messages }) => messageTable(world, messages),
      })
    case 'deployments':
      return paged({
        path: urlOf('/v1/chains/{chainId}/contracts/{address}/deployments', { chainId, address }),
        view: ({ contracts }) => deploymentTable(chainId, contracts),
      })
    default:
      return failed({ status: 404, message: `no such list: ${view}` })
  }
}

function deploymentTable(chainId: string, contracts: readonly ContractMetadata[]): JSX.Element {
  return table(
    [['Contract'], ['Standard'], ['Transaction'], ['Created by', 'wide']],
    contracts.map(({ address, label, ercType, deploymentDetails: made }) => [
      addressLink(chainId, { address, label }),
      ercType === 'UNKNOWN' ? '' : pill(ercType),
      made && txLink(chainId, made.txHash),
      made?.deployerContractAddress === undefined
        ? 'this address'
        : addressLink(chainId, {
            address: made.deployerContractAddress,
            label: made.deployerContractLabel,
          }),
    ]),
  )
}
