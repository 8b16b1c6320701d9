/** Validators of a network, with every filter and order the operation has, all in the address. */

import { h, type JSX } from 'preact'

import type { Validator } from '../../../shape/primary/validator.ts'
import { urlOf } from '../kit/contract.ts'
import { amount, assetName, count, counted, percent, visible } from '../kit/format.ts'
import { to } from '../kit/link.ts'
import { paged } from '../kit/paged.ts'
import { age, rowTable, select, type View } from '../kit/parts.ts'
import { go, query, submitFilters, withParams } from '../kit/place.ts'
import { nodeLink, primarySubnetId, stakeSum, termPill } from './primary-parts.ts'
import { ranges, validatorQuery } from './validator-query.ts'

const statuses = [
  ['', 'active'],
  ['pending', 'pending'],
  ['completed', 'completed'],
  ['removed', 'removed'],
  ['any', 'any status'],
] as const

const subnets = [
  ['', 'primary network'],
  ['any', 'all subnets'],
] as const

const sorts = [
  ['', 'by start time'],
  ['delegationCapacity', 'by free capacity'],
  ['timeRemaining', 'by time left'],
  ['uptimePerformance', 'by uptime'],
] as const

const orders = [
  ['', 'descending'],
  ['asc', 'ascending'],
] as const

/** The list and its filters. */
export function ValidatorsPage({ network }: { readonly network: string }): JSX.Element {
  const params = query()
  const chosen = [...params.keys()].some((name) => /^(min|max)/.test(name))
  // Fees order the primary network of mainnet only.
  const byFee = network === 'mainnet' && !params.has('of')
  return h('div', null, [
    h('form', { class: 'controls filters', onSubmit: submitFilters }, [
      choice('status', 'status', statuses),
      choice('of', 'subnet', subnets),
      choice('sort', 'order', byFee ? [...sorts, ['delegationFee', 'by fee']] : sorts),
      choice('dir', 'direction', orders),
      h('input', {
        name: 'node',
        'aria-label': 'node ID or part of it',
        placeholder: 'node ID or part of it',
        // A new place shows its own value.
        key: params.get('node') ?? '',
        defaultValue: params.get('node') ?? '',
      }),
      h('details', { open: chosen }, [
        h('summary', null, 'More filters'),
        h(
          'div',
          { class: 'controls' },
          ranges.map(([name, label, step]) => range(name, label, step)),
        ),
      ]),
      h('button', { type: 'submit' }, 'Apply'),
      h('a', { class: 'button', href: withParams(cleared(params)) }, 'Clear'),
    ]),
    validators(network, validatorQuery(params, primarySubnetId)),
  ])
}

function choice(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
): JSX.Element {
  return select({ name, 'aria-label': label }, options, {
    chosen: query().get(name) ?? '',
    change: (value) => go(withParams({ [name]: value, page: '' })),
  })
}

function range(name: string, label: string, step: string): JSX.Element {
  const value = query().get(name) ?? ''
  return h('label', { key: `${name} ${value}` }, [
    `${label} `,
    h('input', { type: 'number', min: 0, step, name, defaultValue: value, class: 'short' }),
  ])
}

function cleared(params: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...params.keys()].map((name) => [name, '']))
}

/** Validators by pages, with filters and an order as the operation takes them; `list` is of {@link paged}. */
export function validators(
  network: string,
  query: Readonly<Record<string, string>>,
  list: { readonly name?: string; readonly title?: string } = {},
): JSX.Element {
  return paged({
    path: urlOf('/v1/networks/{network}/validators', { network }),
    query,
    ...list,
    view: (page) =>
      rowTable(page.validators, [
        [
          'Node',
          '',
          ({ nodeId, avalancheGoVersion: version }) => [
            nodeLink(network, nodeId),
            version !== undefined && h('div', { class: 'quiet' }, visible(version)),
          ],
        ],
        ['Status', 'wide', ({ validationStatus }) => termPill(validationStatus)],
        ['Stake, capacity', 'num', (one) => h('div', null, stakeOf(network, one), stakeBar(one))],
        ['Delegated', 'num wide', delegated],
        [
          'Free capacity',
          'num wide',
          ({ asset, delegationCapacity }) => stakeSum(asset, delegationCapacity),
        ],
        ['Fee', 'num wide', ({ delegationFee: fee }) => fee && percent(fee)],
        [
          'Uptime',
          'num wide',
          ({ uptimePerformance: uptime }) =>
            uptime === undefined
              ? h('span', { class: 'quiet' }, 'not known')
              : percent(String(uptime)),
        ],
        ['Ends', 'num', ({ endTimestamp }) => age(endTimestamp)],
      ]),
  })
}

function delegated({ asset, amountDelegated, delegatorCount }: Validator): View {
  if (amountDelegated === undefined) return ''
  return h('span', null, [
    stakeSum(asset, amountDelegated),
    delegatorCount === undefined
      ? null
      : h('div', { class: 'quiet' }, counted(delegatorCount, 'delegator')),
  ])
}

/** Coins, or a weight, whose unit only the subnet knows. */
export function stakeOf(network: string, { asset, subnetId, amountStaked }: Validator): View {
  return asset !== undefined
    ? stakeSum(asset, amountStaked)
    : h('span', null, [
        `${count(amountStaked)} `,
        h('a', { href: to('primary', network, 'subnet', subnetId), title: subnetId }, 'weight'),
      ])
}

/** Share of a validator's capacity in use: its own stake and its delegations. */
export function stakeBar(term: Validator): View {
  const { asset, amountStaked, amountDelegated, delegationCapacity } = term
  if (asset === undefined || amountDelegated === undefined || delegationCapacity === undefined)
    return null
  const held = BigInt(amountStaked) + BigInt(amountDelegated)
  const most = held + BigInt(delegationCapacity)
  const [now, limit] = [held, most].map((sum) => amount(String(sum), asset.denomination))
  const text = `${now} of at most ${limit} ${visible(assetName(asset))}`
  return h('progress', {
    class: 'bar',
    max: Number(most),
    value: Number(held),
    title: text,
    'aria-label': text,
  })
}
