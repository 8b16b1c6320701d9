/** Validators of a network, with every filter and order the operation has, all in the address. */

import { h, type JSX } from 'preact'

import { go, query, submitFilters, withParams } from '../kit/place.ts'
import { primarySubnetId } from './primary-parts.ts'
import { validatorQuery } from './validator-query.ts'
import { validators } from './validator-rows.ts'

const statuses = [
  ['', 'active'],
  ['pending', 'pending'],
  ['completed', 'completed'],
  ['removed', 'removed'],
  ['any', 'in any state'],
] as const

const subnets = [
  ['', 'primary network'],
  ['any', 'all subnets'],
] as const

const sorts = [
  ['', 'as they began'],
  ['delegationCapacity', 'by free capacity'],
  ['timeRemaining', 'by time left'],
  ['uptimePerformance', 'by uptime'],
] as const

const orders = [
  ['', 'descending'],
  ['asc', 'ascending'],
] as const

const ranges = [
  ['minCapacity', 'free AVAX from', '0.000000001'],
  ['maxCapacity', 'to', '0.000000001'],
  ['minDays', 'days left from', 'any'],
  ['maxDays', 'to', 'any'],
  ['minFee', 'fee % from', 'any'],
  ['maxFee', 'to', 'any'],
  ['minUptime', 'uptime % from', 'any'],
  ['maxUptime', 'to', 'any'],
] as const

/** The list and its filters. */
export function ValidatorsPage({ network }: { readonly network: string }): JSX.Element {
  const params = query()
  const chosen = [...params.keys()].some((name) => /^(min|max)/.test(name))
  // Fees order the primary network of mainnet only.
  const byFee = network === 'mainnet' && !params.has('of')
  return h(
    'div',
    null,
    h(
      'form',
      { class: 'controls filters', onSubmit: submitFilters },
      choice('status', 'status', statuses),
      choice('of', 'subnet', subnets),
      choice('sort', 'order', byFee ? [...sorts, ['delegationFee', 'by fee']] : sorts),
      choice('dir', 'direction', orders),
      h('input', {
        name: 'node',
        'aria-label': 'node id, or a part of it',
        placeholder: 'node id, or a part of it',
        // A new place shows its own value.
        key: params.get('node') ?? '',
        defaultValue: params.get('node') ?? '',
      }),
      h(
        'details',
        { open: chosen },
        h('summary', null, 'ranges'),
        h(
          'div',
          { class: 'controls' },
          ranges.map(([name, label, step]) => range(name, label, step)),
        ),
      ),
      h('button', { type: 'submit' }, 'Apply'),
      h('a', { class: 'button', href: withParams(cleared(params)) }, 'Clear'),
    ),
    validators({ network, query: validatorQuery(params, primarySubnetId) }),
  )
}

function choice(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
): JSX.Element {
  const chosen = query().get(name) ?? ''
  return h(
    'select',
    {
      name,
      'aria-label': label,
      onChange: (event: Event) => {
        if (event.currentTarget instanceof HTMLSelectElement)
          go(withParams({ [name]: event.currentTarget.value, page: '' }))
      },
    },
    options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  )
}

function range(name: string, label: string, step: string): JSX.Element {
  const value = query().get(name) ?? ''
  return h(
    'label',
    { key: `${name} ${value}` },
    `${label} `,
    h('input', { type: 'number', min: 0, step, name, defaultValue: value, class: 'short' }),
  )
}

function cleared(params: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...params.keys()].map((name) => [name, '']))
}
