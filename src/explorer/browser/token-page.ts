/** A token contract: what it is, its transfers, and the items of a collection. */

import { h, type JSX } from 'preact'

import type { AddressTransactionV2 as AddressTransaction } from '../../shape/evm/address-transaction.ts'
import type { ContractMetadata } from '../../shape/evm/contract-metadata.ts'
import type { TokenReputation } from '../../shape/evm/erc20-token.ts'
import { addressPath, reputation } from './address-summary.ts'
import { useAnswer, withQuery } from './answer.ts'
import { chainLink } from './evm-parts.ts'
import { clipped, ends, named, visible } from './format.ts'
import { to } from './link.ts'
import { Items } from './nft-page.ts'
import { card, copied, facts, heading, paged, pill, shown, type View } from './parts.ts'
import { useTitle } from './place.ts'
import { transferTable, type AnyTransfer } from './transfers.ts'
import type { World } from './world.ts'

/** A token contract. */
export type TokenProps = {
  readonly world: World
  readonly chainId: string
  readonly address: string
}

/** The page. */
export function TokenPage({ world, chainId, address }: TokenProps): JSX.Element {
  const contract = useAnswer<ContractMetadata>(addressPath(chainId, address))
  const { name, symbol, ercType } = contract.data ?? {}
  const title = name === undefined || name === '' ? 'Token' : clipped(name)
  useTitle(`${title} ${ends(address)}`)
  const told = useReputation(chainId, ercType === 'ERC-20' ? address : undefined)
  const isCollection = ercType === 'ERC-721' || ercType === 'ERC-1155'
  return h(
    'div',
    { class: 'stack' },
    heading(
      h('span', null, isCollection ? 'Collection on ' : 'Token on ', chainLink(world, chainId)),
      h('span', null, title, ' ', h('span', { class: 'quiet' }, named(symbol, address))),
      ercType === undefined ? null : h('span', null, pill(ercType), reputation(told)),
    ),
    shown(contract, (data) =>
      contractCard(
        chainId,
        data,
        h('a', { href: to('chain', chainId, 'token', address, 'holders') }, 'holders →'),
      ),
    ),
    isCollection ? card('Items', h(Items, { chainId, address })) : null,
    card(
      'Transfers',
      paged<{ transfers: AnyTransfer[]; nextPageToken?: string }>({
        path: `/v1/chains/${chainId}/tokens/${encodeURIComponent(address)}/transfers`,
        view: ({ transfers }) => transferTable(chainId, transfers),
      }),
    ),
  )
}

/**
 * The reputation of a token in the operator's list. The API gives it with transfers of an address,
 * so the newest transfer is asked for.
 */
function useReputation(chainId: string, token: string | undefined): TokenReputation | undefined {
  const base = `/v1/chains/${chainId}/tokens/${encodeURIComponent(token ?? '')}/transfers`
  const newest = useAnswer<{ transfers: (AnyTransfer & { blockNumber: string })[] }>(
    token && `${base}?pageSize=1`,
  )
  const [transfer] = newest.data?.transfers ?? []
  const block = Number(transfer?.blockNumber)
  const answer = useAnswer<{ transactions: AddressTransaction[] }>(
    transfer &&
      withQuery(`/v2/chains/${chainId}/addresses/${transfer.to.address}/transactions`, {
        startBlock: block,
        endBlock: block + 1,
        filterSpamTokens: 'false',
      }),
  )
  return answer.data?.transactions
    .flatMap(({ erc20Transfers }) => erc20Transfers ?? [])
    .map(({ erc20Token }) => erc20Token)
    .find(({ address }) => address.toLowerCase() === token?.toLowerCase())?.tokenReputation
}

/** Facts about a contract. `side` is at the right of the title. */
export function contractCard(
  chainId: string,
  contract: ContractMetadata,
  side?: View,
): JSX.Element {
  const made = contract.deploymentDetails
  return card(
    'Contract',
    facts([
      ['Address', copied(contract.address, to('chain', chainId, 'address', contract.address))],
      ['Name', visible(contract.name ?? '')],
      ['Symbol', visible(contract.symbol ?? '')],
      ['Decimals', contract.decimals === undefined ? '' : String(contract.decimals)],
      ['Created in', made && copied(made.txHash, to('chain', chainId, 'tx', made.txHash))],
      [
        'Created by',
        made && copied(made.deployerAddress, to('chain', chainId, 'address', made.deployerAddress)),
      ],
    ]),
    side,
  )
}
