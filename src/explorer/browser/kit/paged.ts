/** Lists by pages of the API, and their CSV. */

import { h, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'

import { apiKey, useAnswer } from './answer.ts'
import type { Url } from './contract.ts'
import { withQuery } from './link.ts'
import { card, shown, type View } from './parts.ts'
import { query, withParams } from './place.ts'
import { pace } from './world.ts'

/** A page of a list as the API answers it. */
export type Page<Name extends string, Item> = Record<Name, Item[]> & {
  nextPageToken?: string | undefined
}

/** A list that is read a page at a time. `view` shows one page. */
export type PagedProps<T> = {
  readonly path: Url<T>
  readonly query?: Readonly<Record<string, string | number>>
  /** Name of its page in the address, where a page has several lists. */
  readonly name?: string
  readonly view: (page: T) => View
  /** Of a card of its own, which is not there where the list is empty. */
  readonly title?: string
}

// The page before each page that was reached by `Next`.
const before = new Map<string, string>()

/** Shows the page of a list that the address names; use through {@link paged}. */
function Paged<T extends { readonly nextPageToken?: string | undefined }>({
  path,
  query: filters,
  name = 'page',
  view,
  title,
}: PagedProps<T>): JSX.Element | null {
  const place = query().get(name) ?? ''
  const { number, token } = pageOf(place)
  const [, beat] = pace()
  const answer = useAnswer<T>(
    withQuery(path, { pageSize: 25, ...filters, pageToken: token }),
    0,
    beat,
  )
  const next = answer.data?.nextPageToken
  const after = next === undefined ? '' : `${number + 1}.${next}`
  useEffect(() => {
    if (after !== '') before.set(after, place)
  }, [after, place])
  const buttons = number === 1 && after === '' ? null : stepsOf(name, { number, place, after })
  if (title !== undefined && buttons === null && isEmpty(answer.data))
    return answer.failure === undefined ? null : card(title, shown(answer, view))
  const list = h('div', null, [
    shown(answer, view),
    answer.fromLogs === undefined || isEmpty(answer.data)
      ? null
      : h('p', { class: 'quiet' }, [
          `Balances are ${answer.fromLogs}: the node did not confirm them.`,
        ]),
    buttons === null && isEmpty(answer.data)
      ? null
      : h('div', { class: 'below' }, [
          h(CsvLink, { path: withQuery(path, { ...filters, pageSize: '', summaries: '' }), name }),
          buttons,
        ]),
  ])
  return title === undefined ? list : card(title, list)
}

function stepsOf(
  name: string,
  { number, place, after }: { readonly number: number } & Record<'place' | 'after', string>,
): JSX.Element {
  return pager(name, `page ${number}`, {
    first: number > 1 ? '' : undefined,
    back: number > 1 ? before.get(place) : undefined,
    next: after === '' ? undefined : after,
  })
}

/** Returns whether a page has no rows, or is not there: there is nothing to save then. */
function isEmpty(page: object | undefined): boolean {
  return (
    page === undefined ||
    Object.values(page).every((rows) => !Array.isArray(rows) || rows.length === 0)
  )
}

/** Saves a whole list as the API writes it in CSV. A link sends no header, so a key is in its address. */
export function CsvLink({ path, name }: Record<'path' | 'name', string>): JSX.Element {
  const file = path
    .replace(/\?.*/, '')
    .replace(/^\/v\d\//, '')
    .replace(/[^\w.-]+/g, '-')
  return h(
    'a',
    {
      class: 'copy',
      href: withQuery(path, { format: 'csv', rltoken: apiKey() }),
      download: `${file}.csv`,
      'aria-label': `${name === 'page' ? 'list' : name} as CSV`,
    },
    'CSV',
  )
}

/** Links to the pages of a list as the parameter `name` has them; plain text without one. */
export function pager(
  name: string,
  label: string,
  { first, back, next }: Partial<Record<'first' | 'back' | 'next', string | undefined>>,
): JSX.Element {
  return h(
    'nav',
    { class: 'pager', 'aria-label': `pages of ${name === 'page' ? 'the list' : name}` },
    [
      step('First', first, name),
      step('← Previous', back, name),
      h('span', { class: 'quiet' }, label),
      step('Next →', next, name),
    ],
  )
}

/** `3.token` is the third page, and what the API calls it. */
function pageOf(place: string): { readonly number: number; readonly token: string } {
  const [, number = '1', token = ''] = /^(\d{1,6})\.(.+)$/.exec(place) ?? []
  return { number: Math.max(1, Number(number)), token }
}

/** A link to a page of a list; plain text where there is no such page. */
function step(label: string, place: string | undefined, name: string): JSX.Element {
  return place === undefined
    ? h('span', { class: 'button', 'aria-disabled': 'true' }, label)
    : h('a', { class: 'button', href: withParams({ [name]: place }) }, label)
}

/** A list by pages of 25; which one is in the address. */
export function paged<T extends { readonly nextPageToken?: string | undefined }>(
  props: PagedProps<T>,
): JSX.Element {
  return h(Paged<T>, { ...props, key: withQuery(props.path, props.query ?? {}) })
}
