/** A token in figures: its price, who had it, how often it moved. */

import { h, type JSX } from 'preact'

import { mostCounted } from '../../../core/token-counts.ts'
import { useAnswer } from '../kit/answer.ts'
import { urlOf } from '../kit/contract.ts'
import { count, money } from '../kit/format.ts'
import type { TokenOf } from './holders.ts'

// The API counts tokens in lists alone. Those with fewer transfers than so many others have none here.
const mostListed = 100

/** Price where there is one, and counts of a token that is among those with the most transfers. */
export function TokenFigures({ chainId, contract }: TokenOf): JSX.Element | null {
  const { address, ercType, price } = contract
  const list = useAnswer(
    urlOf(
      ercType === 'ERC-20'
        ? '/v1/chains/{chainId}/tokens'
        : '/v1/chains/{chainId}/nfts/collections',
      { chainId, filterSpamTokens: false, pageSize: mostListed },
    ),
  )
  const counted = list.data?.tokens.find((token) => token.address === address)
  const figures = [
    ['Price', price && money(Number(price.value), price.currencyCode)],
    ['Holders, all time', counted && least(counted.holderCount, mostCounted.holders)],
    ['Transfers', counted && least(counted.transferCount, mostCounted.transfers)],
  ].filter(([, figure]) => figure !== undefined)
  if (figures.length === 0) return null
  return h(
    'dl',
    { class: 'numbers card' },
    figures.map(([name, figure]) => h('div', null, h('dt', null, name), h('dd', null, figure))),
  )
}

/** A count that ends at `most`. */
function least(size: number, most: number): string {
  return `${count(size)}${size < most ? '' : ' or more'}`
}
