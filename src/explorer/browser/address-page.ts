/** An address of an EVM chain: what it holds and what it did. */

import { h, type JSX } from 'preact'

import type { AddressTransaction } from '../../shape/evm/address-transaction.ts'
import type { ChainInfo } from '../../shape/evm/chain-info.ts'
import type { ContractMetadata } from '../../shape/evm/contract-metadata.ts'
import type { InternalTransaction } from '../../shape/evm/internal-transaction.ts'
import type { IcmMessage } from '../../shape/icm/icm-message.ts'
import type { SearchHit } from '../../shape/search-hit.ts'
import { addressPath, Summary, Tokens, useEnds } from './address-summary.ts'
import { useAnswer, withQuery } from './answer.ts'
import { Code } from './contract-code.ts'
import { chainLink, txLink, txTable } from './evm-parts.ts'
import { ends } from './format.ts'
import { to } from './link.ts'
import { messageTable } from './messages-page.ts'
import { Collectibles } from './nft-page.ts'
import {
  card,
  copied,
  failed,
  heading,
  idLink,
  paged,
  pill,
  table,
  tabs,
  type View,
} from './parts.ts'
import { useTitle } from './place.ts'
import { contractCard } from './token-page.ts'
import { internalTable, transferTable, type AnyTransfer } from './transfers.ts'
import type { World } from './world.ts'

type Page<Name extends string, Item> = Record<Name, Item[]> & { nextPageToken?: string }

/** An address, and one of its lists. */
export type AddressProps = {
  readonly world: World
  readonly chainId: string
  readonly address: string
  readonly view: string
}

const views = [
  ['', 'Transactions'],
  ['code', 'Contract'],
  ['erc20', 'ERC-20'],
  ['erc721', 'ERC-721'],
  ['erc1155', 'ERC-1155'],
  ['internal', 'Internal'],
  ['nfts', 'NFTs'],
  ['messages', 'Messages'],
  ['deployments', 'Deployments'],
] as const

/** The page. */
export function AddressPage(props: AddressProps): JSX.Element {
  const { world, chainId, address, view } = props
  useTitle(`Address ${ends(address)}`)
  const path = addressPath(chainId, address)
  const isContract = useIsContract(chainId, address)
  const contract = useAnswer<ContractMetadata>(isContract ? path : undefined)
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
        card('Balance', h(Summary, { world, chainId, address, key: path })),
        contract.data === undefined
          ? null
          : contractCard(chainId, contract.data, transfersLink(chainId, contract.data)),
        others.length === 0 ? null : card('Also on', alsoOn(others, address)),
      ),
      card('Tokens', h(Tokens, { world, chainId, address, key: path })),
    ),
    tabs(
      views
        .filter(([name]) => name !== 'code' || isContract)
        .map(([name, label]) => [
          label,
          to('chain', chainId, 'address', address, ...(name === '' ? [] : [name])),
        ]),
    ),
    view === 'code' ? h(Code, { chainId, address, key: path }) : card('', listOf(props, view)),
  )
}

/**
 * Returns whether an address holds code, as far as lists tell: it is a known token, or the first
 * transaction it was in made or called it. Asking for the contract of a plain account is a fault,
 * which the browser would write into its console.
 */
function useIsContract(chainId: string, address: string): boolean {
  const [first] = useEnds(chainId, address)
  const found = useAnswer<{ hits: SearchHit[] }>(withQuery('/v1/search', { q: address }))
  const is = (other: string): boolean => other.toLowerCase() === address.toLowerCase()
  const [one] = first?.data?.transactions ?? []
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

function listOf({ world, chainId, address }: AddressProps, view: string): View {
  const path = `${addressPath(chainId, address)}/transactions`
  switch (view) {
    case '':
      return paged<Page<'transactions', AddressTransaction>>({
        path,
        view: ({ transactions }) =>
          txTable(
            world,
            transactions.map(({ nativeTransaction }) => nativeTransaction),
            address,
          ),
      })
    case 'internal':
      return paged<Page<'transactions', InternalTransaction>>({
        path: `${path}:listInternals`,
        view: ({ transactions }) => internalTable(world, chainId, transactions, address),
      })
    case 'erc20':
    case 'erc721':
    case 'erc1155':
      return paged<Page<'transactions', AnyTransfer>>({
        path: `${path}:list${view.replace('erc', 'Erc')}`,
        view: ({ transactions }) => transferTable(chainId, transactions, address),
      })
    case 'nfts':
      return h(Collectibles, { chainId, address })
    case 'messages':
      return paged<Page<'messages', IcmMessage>>({
        path: `/v1/icm/addresses/${encodeURIComponent(address)}/messages`,
        view: ({ messages }) => messageTable(world, messages),
      })
    case 'deployments':
      return paged<Page<'contracts', ContractMetadata>>({
        path: `/v1/chains/${chainId}/contracts/${encodeURIComponent(address)}/deployments`,
        view: ({ contracts }) => deploymentTable(chainId, contracts),
      })
    default:
      return failed({ status: 404, message: `no such list: ${view}` })
  }
}

function deploymentTable(chainId: string, contracts: readonly ContractMetadata[]): JSX.Element {
  return table(
    [['Contract'], ['Kind'], ['Transaction'], ['Made by', 'wide']],
    contracts.map(({ address, ercType, deploymentDetails: made }) => [
      idLink(to('chain', chainId, 'address', address), address),
      pill(ercType),
      made && txLink(chainId, made.txHash),
      made?.deployerContractAddress === undefined
        ? 'the address itself'
        : idLink(
            to('chain', chainId, 'address', made.deployerContractAddress),
            made.deployerContractAddress,
          ),
    ]),
  )
}

function transfersLink(chainId: string, { address, ercType }: ContractMetadata): View {
  return ercType === 'UNKNOWN'
    ? null
    : h('a', { href: to('chain', chainId, 'token', address) }, 'transfers →')
}
