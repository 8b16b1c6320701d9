/** Tokens and their transfers in tables. */

import { h, type JSX } from 'preact'

import type { RichAddress } from '../../../shape/evm/token.ts'
import type { InternalTransaction } from '../../../shape/evm/transaction.ts'
import { amount, cutAmount, ends, named, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { age, coins, pill, table, type View } from '../kit/parts.ts'
import { coinOf, type World } from '../kit/world.ts'
import { blockLink, bothEnds, isZero, spamPill, txLink } from './evm-parts.ts'
import { isSame } from './moved-coins.ts'

type Erc20 = {
  readonly address: string
  readonly symbol: string
  readonly decimals: number | null
  readonly isSpam?: true | undefined
}
type Nft = {
  readonly address: string
  readonly symbol?: string
  readonly tokenId: string
  readonly metadata?: { readonly name?: string | undefined }
}

/** A transfer of any standard, as lists have it. */
export type AnyTransfer = {
  readonly txHash: string
  readonly blockNumber: string
  readonly blockTimestamp: number
  readonly from: RichAddress
  readonly to: RichAddress
  readonly value?: string | undefined
  readonly erc20Token?: Erc20 | undefined
  readonly erc721Token?: Nft | undefined
  readonly erc1155Token?: Nft | undefined
}

/** An amount of a token; the token is a link, but on its own page. */
export function tokenAmount(
  chainId: string,
  token: Erc20,
  value: string,
  own?: string,
): JSX.Element {
  const words = `${amount(value, token.decimals)} ${visible(token.symbol)}`
  if (isSame(token.address, own))
    return h('span', { title: words }, cutAmount(value, token.decimals))
  return h('span', { title: words }, [
    cutAmount(value, token.decimals),
    ' ',
    h(
      'a',
      { href: to('chain', chainId, 'address', token.address) },
      named(token.symbol, token.address),
    ),
    spamPill(token),
  ])
}

type NftShown = {
  /** How many, where that matters. */
  readonly value?: string | undefined
  /** The collection on whose page it is shown. */
  readonly own?: string | undefined
}

/** An item of a collection; both are links. Where answers do not name the collection, the item is called by its name. */
export function nftLabel(chainId: string, token: Nft, { value, own }: NftShown = {}): JSX.Element {
  return h('span', { title: `${token.address} id ${token.tokenId}` }, [
    value === undefined ? '' : `${amount(value, 0)} × `,
    !isSame(token.address, own) && [
      h(
        'a',
        { href: to('chain', chainId, 'address', token.address) },
        named(token.symbol ?? token.metadata?.name, token.address),
      ),
      ' ',
    ],
    h(
      'a',
      { href: to('chain', chainId, 'nft', token.address, token.tokenId) },
      `#${ends(token.tokenId, 8, 4)}`,
    ),
  ])
}

/** Whose page transfers are shown on: an address, or a token. */
type TransfersOf = { readonly self?: string; readonly own?: string }

/** Transfers of any standard, one a row. */
export function transferTable(
  chainId: string,
  transfers: readonly AnyTransfer[],
  of: TransfersOf,
): JSX.Element {
  const isOfItems = transfers.some(({ erc20Token }) => erc20Token === undefined)
  const what = of.own === undefined ? 'Token' : isOfItems ? 'Item' : 'Amount'
  return table(
    [['Transaction'], ['Block', 'wide'], ['Time'], ['From'], ['To'], [what, 'num']],
    transfers.map((transfer) => [
      txLink(chainId, transfer.txHash),
      blockLink(chainId, transfer.blockNumber),
      age(transfer.blockTimestamp),
      ...endsOf(chainId, transfer, of.self),
      moved(chainId, transfer, of.own),
    ]),
  )
}

/** Both ends; what came from the zero address was minted, what went there burned. */
function endsOf(chainId: string, { from, to: receiver }: AnyTransfer, self?: string): View[] {
  const [sender, taker] = bothEnds(chainId, { from, to: receiver }, self)
  return [
    isZero(from.address) ? pill('minted', 'good') : sender,
    isZero(receiver.address) ? pill('burned', 'bad') : taker,
  ]
}

function moved(chainId: string, transfer: AnyTransfer, own?: string): JSX.Element | string {
  const { erc20Token, erc721Token, erc1155Token, value = '0' } = transfer
  if (erc20Token !== undefined) return tokenAmount(chainId, erc20Token, value, own)
  if (erc721Token !== undefined) return nftLabel(chainId, erc721Token, { own })
  return erc1155Token === undefined ? '' : nftLabel(chainId, erc1155Token, { value, own })
}

/** Internal transactions, one a row. */
export function internalTable(
  world: World,
  chainId: string,
  list: readonly InternalTransaction[],
  self?: string,
): JSX.Element {
  const { symbol, decimals } = coinOf(world, chainId)
  return table(
    [
      ['Transaction'],
      ['Block', 'wide'],
      ['Time'],
      ['Type', 'wide'],
      ['From'],
      ['To'],
      ['Value', 'num'],
    ],
    list.map((call) => [
      txLink(chainId, call.txHash),
      blockLink(chainId, call.blockNumber),
      age(call.blockTimestamp),
      h('span', { class: call.isReverted ? 'undone' : '' }, call.internalTxType),
      ...bothEnds(chainId, call, self),
      coins(call.value, decimals, symbol),
    ]),
  )
}
