/** An address of an EVM chain, and a token contract. */

import { h, type JSX } from 'preact'

import type { AddressTransaction } from '../../shape/evm/address-transaction.ts'
import type { ChainInfo } from '../../shape/evm/chain-info.ts'
import type { ContractMetadata } from '../../shape/evm/contract-metadata.ts'
import type { Erc20TokenBalance } from '../../shape/evm/erc20-balance.ts'
import type { InternalTransaction } from '../../shape/evm/internal-transaction.ts'
import type { NativeTokenBalance } from '../../shape/evm/network-token.ts'
import type { SearchHit } from '../../shape/search-hit.ts'
import { useAnswer, withQuery } from './answer.ts'
import { chainLink, txTable } from './evm-parts.ts'
import { amount, clipped, cutAmount, ends, named, visible } from './format.ts'
import { to } from './link.ts'
import {
  card,
  copied,
  exactCoins,
  facts,
  failed,
  heading,
  paged,
  pill,
  shown,
  table,
  tabs,
  type View,
} from './parts.ts'
import { useTitle } from './place.ts'
import { internalTable, transferTable, type AnyTransfer } from './transfers.ts'
import { coinOf, type World } from './world.ts'

type Page<Name extends string, Item> = Record<Name, Item[]> & { nextPageToken?: string }

/** Which address, and which of its lists. */
export type AddressProps = {
  readonly world: World
  readonly chainId: string
  readonly address: string
  readonly view: string
}

const views = [
  ['', 'Transactions'],
  ['erc20', 'ERC-20'],
  ['erc721', 'ERC-721'],
  ['erc1155', 'ERC-1155'],
  ['internal', 'Internal'],
] as const

/** An address: what it holds and what it did. */
export function AddressPage(props: AddressProps): JSX.Element {
  const { world, chainId, address, view } = props
  useTitle(`Address ${ends(address)}`)
  const path = `/v1/chains/${chainId}/addresses/${encodeURIComponent(address)}`
  const contract = useAnswer<ContractMetadata>(useIsContract(chainId, address) ? path : undefined)
  const seen = useAnswer<{ indexedChains: ChainInfo[] }>(
    `/v1/address/${encodeURIComponent(address)}/chains`,
  )
  const others = (seen.data?.indexedChains ?? []).filter((chain) => chain.chainId !== chainId)
  return h(
    'div',
    { class: 'stack' },
    heading(
      h(
        'span',
        null,
        `${contract.data === undefined ? 'Address' : 'Contract'} on `,
        chainLink(world, chainId),
      ),
      h('span', { class: 'id' }, copied(address)),
      contract.data === undefined ? null : pill(contract.data.ercType),
    ),
    h(
      'div',
      { class: 'grid two top-aligned' },
      h(
        'div',
        { class: 'stack' },
        card('Balance', h(Native, props)),
        contract.data === undefined
          ? null
          : contractCard(chainId, contract.data, transfersLink(chainId, contract.data)),
        others.length === 0 ? null : card('Also on', alsoOn(others, address)),
      ),
      card('Tokens', h(Tokens, { ...props, key: path })),
    ),
    tabs(
      views.map(([name, label]) => [
        label,
        to('chain', chainId, 'address', address, ...(name === '' ? [] : [name])),
      ]),
    ),
    card('', listOf(world, chainId, address, view)),
  )
}

/**
 * Whether an address holds code, as far as lists tell: it is a known token, or the first
 * transaction it was in made or called it. Asking for the contract of a plain account is a fault,
 * which the browser would write into its console.
 */
function useIsContract(chainId: string, address: string): boolean {
  const first = useAnswer<Page<'transactions', AddressTransaction>>(
    `/v1/chains/${chainId}/addresses/${encodeURIComponent(address)}/transactions?pageSize=1&sortOrder=asc`,
  )
  const found = useAnswer<{ hits: SearchHit[] }>(withQuery('/v1/search', { q: address }))
  const is = (other: string): boolean => other.toLowerCase() === address.toLowerCase()
  const [one] = first.data?.transactions ?? []
  const { to: called, method } = one?.nativeTransaction ?? {}
  return (
    found.data?.hits.some(({ kind, chainId: on }) => kind === 'token' && on === chainId) === true ||
    (called !== undefined && is(called.address) && method?.callType !== 'NATIVE_TRANSFER') ||
    one?.internalTransactions?.some(
      (call) => call.internalTxType.startsWith('CREATE') && is(call.to.address),
    ) === true
  )
}

function alsoOn(chains: readonly ChainInfo[], address: string): JSX.Element[] {
  return chains.map(({ chainId, chainName: name }) =>
    h('a', { class: 'also', href: to('chain', chainId, 'address', address) }, name),
  )
}

function Native({ world, chainId, address }: AddressProps): JSX.Element {
  const answer = useAnswer<{ nativeTokenBalance: NativeTokenBalance }>(
    `/v1/chains/${chainId}/addresses/${encodeURIComponent(address)}/balances:getNative`,
  )
  return h(
    'div',
    null,
    shown(answer, ({ nativeTokenBalance: { balance } }) => {
      const { symbol, decimals } = coinOf(world, chainId)
      return h('div', { class: 'big small' }, exactCoins(balance, decimals, symbol))
    }),
  )
}

function Tokens({ chainId, address }: AddressProps): JSX.Element {
  return paged<Page<'erc20TokenBalances', Erc20TokenBalance>>({
    path: `/v1/chains/${chainId}/addresses/${encodeURIComponent(address)}/balances:listErc20`,
    name: 'tokens',
    query: { pageSize: 8, filterSpamTokens: 'false' },
    view: ({ erc20TokenBalances }) =>
      table(
        [['Token'], ['Balance', 'num']],
        erc20TokenBalances.map((token) => [
          h(
            'a',
            { href: to('chain', chainId, 'token', token.address), title: visible(token.name) },
            named(token.symbol, token.address),
          ),
          h(
            'span',
            { title: amount(token.balance, token.decimals) },
            cutAmount(token.balance, token.decimals),
          ),
        ]),
      ),
  })
}

function listOf(world: World, chainId: string, address: string, view: string): View {
  const path = `/v1/chains/${chainId}/addresses/${encodeURIComponent(address)}/transactions`
  if (view === '') {
    return paged<Page<'transactions', AddressTransaction>>({
      path,
      view: ({ transactions }) =>
        txTable(
          world,
          transactions.map(({ nativeTransaction }) => nativeTransaction),
          address,
        ),
    })
  }
  if (view === 'internal') {
    return paged<Page<'transactions', InternalTransaction>>({
      path: `${path}:listInternals`,
      view: ({ transactions }) => internalTable(world, chainId, transactions, address),
    })
  }
  if (!['erc20', 'erc721', 'erc1155'].includes(view)) {
    return failed({ status: 404, message: `no such list: ${view}` })
  }
  return paged<Page<'transactions', AnyTransfer>>({
    path: `${path}:list${view.replace('erc', 'Erc')}`,
    view: ({ transactions }) => transferTable(chainId, transactions, address),
  })
}

/** Which token contract. */
export type TokenProps = {
  readonly world: World
  readonly chainId: string
  readonly address: string
}

/** A token contract and its transfers. */
export function TokenPage({ world, chainId, address }: TokenProps): JSX.Element {
  const path = `/v1/chains/${chainId}/addresses/${encodeURIComponent(address)}`
  const contract = useAnswer<ContractMetadata>(path)
  const { name, symbol, ercType } = contract.data ?? {}
  const title = name === undefined || name === '' ? 'Token' : clipped(name)
  useTitle(`${title} ${ends(address)}`)
  return h(
    'div',
    { class: 'stack' },
    heading(
      h('span', null, 'Token on ', chainLink(world, chainId)),
      h('span', null, title, ' ', h('span', { class: 'quiet' }, named(symbol, address))),
      ercType === undefined ? null : pill(ercType),
    ),
    shown(contract, (data) => contractCard(chainId, data)),
    card(
      'Transfers',
      paged<Page<'transfers', AnyTransfer>>({
        path: `/v1/chains/${chainId}/tokens/${encodeURIComponent(address)}/transfers`,
        view: ({ transfers }) => transferTable(chainId, transfers),
      }),
    ),
  )
}

function contractCard(chainId: string, contract: ContractMetadata, side?: View): JSX.Element {
  const made = contract.deploymentDetails
  return card(
    'Contract',
    facts([
      ['Address', copied(contract.address, to('chain', chainId, 'address', contract.address))],
      ['Name', visible(contract.name ?? '')],
      ['Symbol', visible(contract.symbol ?? '')],
      ['Decimals', contract.decimals === undefined ? '' : String(contract.decimals)],
      [
        'Created in',
        made === undefined ? '' : copied(made.txHash, to('chain', chainId, 'tx', made.txHash)),
      ],
      [
        'Created by',
        made === undefined
          ? ''
          : copied(made.deployerAddress, to('chain', chainId, 'address', made.deployerAddress)),
      ],
    ]),
    side,
  )
}

function transfersLink(chainId: string, { address, ercType }: ContractMetadata): View {
  return ercType === 'UNKNOWN'
    ? null
    : h('a', { href: to('chain', chainId, 'token', address) }, 'transfers →')
}
