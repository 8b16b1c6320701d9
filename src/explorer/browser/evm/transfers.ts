/** Tokens and their transfers in tables. */

import { h, type JSX } from 'preact'

import type { RichAddress } from '../../../shape/evm/token.ts'
import type { InternalTransaction } from '../../../shape/evm/transaction.ts'
import { amount, cutAmount, ends, named, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { age, coins, table } from '../kit/parts.ts'
import { coinOf, type World } from '../kit/world.ts'
import { blockLink, bothEnds, spamPill, txLink } from './evm-parts.ts'

type Erc20 = {
  readonly address: string
  readonly symbol: string
  readonly decimals: number | null
  readonly isSpam?: true | undefined
}
type Nft = { readonly address: string; readonly symbol?: string; readonly tokenId: string }

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

/** An amount of a token; the token is a link. */
export function tokenAmount(chainId: string, token: Erc20, value: string): JSX.Element {
  return h('span', { title: `${amount(value, token.decimals)} ${visible(token.symbol)}` }, [
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

/** A token id of a collection, with how many of it where that matters. */
export function nftLabel(chainId: string, token: Nft, value?: string): JSX.Element {
  return h('span', { title: `${token.address} id ${token.tokenId}` }, [
    value === undefined ? '' : `${amount(value, 0)} × `,
    h(
      'a',
      { href: to('chain', chainId, 'address', token.address) },
      named(token.symbol, token.address),
    ),
    ` #${ends(token.tokenId, 8, 4)}`,
  ])
}

/** Transfers of any standard, one a row, as seen from `self` where given. */
export function transferTable(
  chainId: string,
  transfers: readonly AnyTransfer[],
  self?: string,
): JSX.Element {
  return table(
    [['Transaction'], ['Block', 'wide'], ['Time'], ['From'], ['To'], ['Token', 'num']],
    transfers.map((transfer) => [
      txLink(chainId, transfer.txHash),
      blockLink(chainId, transfer.blockNumber),
      age(transfer.blockTimestamp),
      ...bothEnds(chainId, transfer, self),
      moved(chainId, transfer),
    ]),
  )
}

function moved(chainId: string, transfer: AnyTransfer): JSX.Element | string {
  const { erc20Token, erc721Token, erc1155Token, value = '0' } = transfer
  if (erc20Token !== undefined) return tokenAmount(chainId, erc20Token, value)
  if (erc721Token !== undefined) return nftLabel(chainId, erc721Token)
  return erc1155Token === undefined ? '' : nftLabel(chainId, erc1155Token, value)
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
