/** The flow of funds of a transaction: what went in at the left, what came out at the right. */

import { h, type JSX } from 'preact'

import type { PrimaryNetworkTransaction } from '../../../shape/primary/transaction.ts'
import type { Utxo } from '../../../shape/primary/utxo.ts'
import { assetName, ends } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { coins, idLink, pill, type View } from '../kit/parts.ts'
import { feeBurned } from '../what-happened.ts'
import type { Sum } from './primary-parts.ts'

/** One end of the flow. */
type End = { readonly who: View; readonly sum: Sum; readonly note?: View }

/** Inputs and outputs of a transaction; the fee is an output to nobody. */
export function flow(network: string, tx: PrimaryNetworkTransaction): JSX.Element {
  const owned = (utxo: Utxo): End => ({
    who: owner(network, utxo.addresses),
    sum: utxo.asset,
    note: utxo.staked === true ? pill('staked', 'busy') : null,
  })
  const account = (address: string | undefined): View =>
    address === undefined ? '–' : h('span', { class: 'id', title: address }, ends(address))
  const inputs: End[] = [
    ...(tx.consumedUtxos ?? []).map(owned),
    ...(tx.evmInputs ?? []).map((one) => ({ who: account(one.fromAddress), sum: one.asset })),
  ]
  const outputs: End[] = [
    ...(tx.emittedUtxos ?? []).map(owned),
    ...(tx.evmOutputs ?? []).map((one) => ({ who: account(one.toAddress), sum: one.asset })),
    ...(tx.amountL1ValidatorBalanceBurned ?? []).map((sum) => ({
      who: 'L1 validator balances',
      sum,
      note: pill('refundable', 'busy'),
    })),
    ...feeBurned(tx).map((sum) => ({ who: pill('fee burned', 'bad'), sum })),
  ]
  return h('div', { class: 'flow' }, [
    side('Inputs', inputs),
    h('span', { class: 'arrow', 'aria-hidden': 'true' }, '→'),
    side('Outputs', outputs),
  ])
}

function owner(network: string, addresses: readonly string[]): View {
  const [first, ...others] = addresses
  if (first === undefined) return '–'
  return [
    idLink(to('primary', network, 'address', first), first, ends(first, 10, 6)),
    others.length === 0 ? null : h('small', { class: 'quiet' }, ` and ${others.length} more`),
  ]
}

/** One side; bars are shares of the greatest amount of the same asset there. */
function side(title: string, all: readonly End[]): JSX.Element {
  const most = new Map<string, number>()
  for (const { sum } of all) {
    const key = sum.assetId ?? sum.symbol
    most.set(key, Math.max(most.get(key) ?? 0, Number(sum.amount)))
  }
  return h('div', null, [
    h('h3', null, title),
    all.length === 0 ? h('p', { class: 'empty' }, 'None.') : null,
    all.map(({ who, sum, note }) =>
      h('div', { class: 'end' }, [
        h('span', null, who, ' ', note),
        coins(sum.amount, sum.denomination, assetName(sum)),
        h('progress', {
          class: 'bar',
          max: most.get(sum.assetId ?? sum.symbol) || 1,
          value: Number(sum.amount),
          'aria-hidden': 'true',
        }),
      ]),
    ),
  ])
}
