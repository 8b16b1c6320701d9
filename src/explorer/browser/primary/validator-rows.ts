/** Rows of validators, for the list of a network, of a subnet and of a node. */

import { h, type JSX } from 'preact'

import type { Validator } from '../../../shape/primary/validator.ts'
import { amount, count, ends, percent } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import { age, coins, idLink, pill, table, type View } from '../kit/parts.ts'
import { primarySubnetId } from './primary-parts.ts'

/** Filters and order of validators, as the operation takes them. */
export type ValidatorsProps = {
  readonly network: string
  readonly query: Readonly<Record<string, string>>
  /** Name of the page of the list in the address. */
  readonly name?: string
}

/** Validators by pages. */
export function validators({ network, query, name = 'page' }: ValidatorsProps): JSX.Element {
  return paged<{ validators: Validator[]; nextPageToken?: string }>({
    path: `/v1/networks/${encodeURIComponent(network)}/validators`,
    query,
    name,
    view: (page) =>
      table(
        [
          ['Node'],
          ['Status'],
          ['Stake', 'num'],
          ['Delegated', 'num wide'],
          ['Free', 'num wide'],
          ['Fee', 'num wide'],
          ['Uptime', 'num wide'],
          ['Ends', 'num'],
        ],
        page.validators.map((one) => [
          idLink(to('primary', network, 'node', one.nodeId), one.nodeId, ends(one.nodeId, 14, 6)),
          pill(one.validationStatus, one.validationStatus === 'active' ? 'good' : ''),
          h('div', null, stakeOf(network, one), stakeBar(one)),
          delegated(one),
          one.delegationCapacity === undefined ? '' : coins(one.delegationCapacity, 9, 'AVAX'),
          one.delegationFee === undefined ? '' : percent(one.delegationFee),
          one.uptimePerformance === undefined
            ? h('span', { class: 'quiet' }, 'not known')
            : percent(String(one.uptimePerformance)),
          age(one.endTimestamp),
        ]),
      ),
  })
}

function delegated({ amountDelegated, delegatorCount }: Validator): View {
  if (amountDelegated === undefined) return ''
  return h(
    'span',
    null,
    coins(amountDelegated, 9, 'AVAX'),
    delegatorCount === undefined
      ? null
      : h('div', { class: 'quiet' }, `by ${count(delegatorCount)}`),
  )
}

/** AVAX on the primary network; elsewhere a weight, whose unit only the subnet knows. */
export function stakeOf(network: string, { subnetId, amountStaked }: Validator): View {
  return subnetId === primarySubnetId
    ? coins(amountStaked, 9, 'AVAX')
    : h(
        'span',
        null,
        `${count(amountStaked)} `,
        h('a', { href: to('primary', network, 'subnet', subnetId), title: subnetId }, 'weight'),
      )
}

/** Share of a validator's capacity in use: its own stake and its delegations. */
export function stakeBar({ amountStaked, amountDelegated, delegationCapacity }: Validator): View {
  if (amountDelegated === undefined || delegationCapacity === undefined) return null
  const held = BigInt(amountStaked) + BigInt(amountDelegated)
  const most = held + BigInt(delegationCapacity)
  const text = `${amount(String(held), 9)} of at most ${amount(String(most), 9)} AVAX`
  return h('progress', {
    class: 'bar',
    max: Number(most),
    value: Number(held),
    title: text,
    'aria-label': text,
  })
}
