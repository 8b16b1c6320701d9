/** A token in figures: its price and supply, who had it, how often it moved. */

import { h, type JSX } from 'preact'

import { mostCounted } from '../../../core/token-counts.ts'
import type { ContractMetadata } from '../../../shape/evm/contract.ts'
import { amount, count, cutAmount, money } from '../kit/format.ts'
import { figures, type View } from '../kit/parts.ts'
import { type TokenOf, useSupply } from './holders.ts'

/** Price where there is one, supply, and counts. */
export function TokenFigures(props: TokenOf): JSX.Element {
  const { contract } = props
  const { price, transferCount, holderCount, decimals = null } = contract
  const supply = useSupply(props)
  return figures([
    ['Price', price && [money(Number(price.value), price.currencyCode), change(contract)]],
    [
      'Total supply',
      supply && h('span', { title: amount(supply, decimals) }, cutAmount(supply, decimals)),
    ],
    ['Market value', supply && marketValue(supply, contract)],
    ['Holders, all time', least(holderCount, mostCounted.holders)],
    ['Transfers', least(transferCount, mostCounted.transfers)],
  ])
}

function marketValue(supply: string, { price, decimals }: ContractMetadata): string | undefined {
  if (price === undefined || typeof decimals !== 'number') return undefined
  return money(Number(price.value) * (Number(supply) / 10 ** decimals), price.currencyCode)
}

/** How much more or less than on the day before. */
function change({ price, priceYesterday: before }: ContractMetadata): View {
  if (price === undefined || before === undefined || Number(before.value) === 0) return null
  const percent = (Number(price.value) / Number(before.value) - 1) * 100
  const text = Math.abs(percent).toFixed(2)
  const sign = text === '0.00' ? '±' : percent > 0 ? '+' : '−'
  return h('div', null, h('small', null, `${sign}${text} % since yesterday`))
}

/** A count that ends at `most`. */
function least(size: number | undefined, most: number): string | undefined {
  return size === undefined ? undefined : `${count(size)}${size < most ? '' : ' or more'}`
}
