/** Filters of the lists of an address; they are in the page's own address. */

import { h, type JSX } from 'preact'

import { query, submitFilters, withParams } from '../kit/place.ts'

const texts = ['direction', 'counterparty', 'methodHash', 'tokenAddress'] as const
const days = ['from', 'until'] as const
const secondsPerDay = 86_400

/** Parameters of the API for what is chosen; without any where nothing is. */
export function chosenFilters(): Readonly<Record<string, string>> {
  const params = query()
  const chosen: [string, string][] = texts.map((name) => [name, params.get(name) ?? ''])
  const [from, until] = days.map((name) => Date.parse(params.get(name) ?? '') / 1_000)
  if (from !== undefined && from > 0) chosen.push(['startTimestamp', String(from)])
  if (until !== undefined && until > 0) chosen.push(['endTimestamp', String(until + secondsPerDay)])
  return Object.fromEntries(chosen.filter(([, value]) => value !== ''))
}

/** The fields; `own` is a parameter that this list alone has, and what it takes. */
export function addressFilters(own?: readonly [name: string, label: string]): JSX.Element {
  const params = query()
  const isChosen = Object.keys(chosenFilters()).length > 0
  const direction = params.get('direction') ?? ''
  const field = (name: string, label: string, type = 'text'): JSX.Element =>
    h('input', {
      // A new place shows its own value.
      key: `${name} ${params.get(name) ?? ''}`,
      name,
      type,
      'aria-label': label,
      title: label,
      placeholder: label,
      defaultValue: params.get(name) ?? '',
      autocomplete: 'off',
      spellcheck: false,
    })
  return h('details', { class: 'filters', open: isChosen }, [
    h('summary', null, 'Filter'),
    h('form', { class: 'controls', onSubmit: submitFilters }, [
      h(
        'select',
        { name: 'direction', 'aria-label': 'direction', key: direction },
        [
          ['', 'IN and OUT'],
          ['in', 'IN'],
          ['out', 'OUT'],
        ].map(([value, text]) => h('option', { value, selected: value === direction }, text)),
      ),
      field('counterparty', 'counterparty address'),
      own === undefined ? null : field(...own),
      field('from', 'from date', 'date'),
      field('until', 'to date', 'date'),
      h('button', { type: 'submit' }, 'Apply'),
      isChosen
        ? h(
            'a',
            {
              class: 'button',
              href: withParams(
                Object.fromEntries(['page', ...texts, ...days].map((name) => [name, ''])),
              ),
            },
            'Clear',
          )
        : null,
    ]),
  ])
}
