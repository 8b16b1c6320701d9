/** The pieces pages are made of: cards, tables, facts, tabs, pagers, links, amounts. */

import { h, type ComponentChildren, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import { apiKey, useAnswer, withQuery, type Answer, type Failure } from './answer.ts'
import { now } from './clock.ts'
import { amount, cutAmount, ends, failureText, moment, span, visible } from './format.ts'
import { to } from './link.ts'
import { here, query, withParams } from './place.ts'

/** Content of a page. */
export type View = ComponentChildren

/** A titled box. `side` sits at the right of its title. */
export function card(title: View, body: View, side?: View): JSX.Element {
  return h(
    'section',
    { class: 'card' },
    title === '' ? null : h('header', null, h('h2', null, title), side),
    body,
  )
}

/** Page title with a line above it. */
export function heading(above: View, title: View, side?: View): JSX.Element {
  return h(
    'div',
    { class: 'heading' },
    h('div', null, h('p', { class: 'above' }, above), h('h1', null, title)),
    side,
  )
}

/**
 * A column of a table: its title, `num` (right), `wide` (hidden on phones) as needed, and how the
 * rows are ordered where they are ordered by it.
 */
export type Column = readonly [
  title: View,
  style?: string | undefined,
  order?: 'ascending' | 'descending' | undefined,
]

/** A table; a row is a cell per column. */
export function table(columns: readonly Column[], rows: readonly (readonly View[])[]): JSX.Element {
  if (rows.length === 0) return h('p', { class: 'empty' }, 'None.')
  return h(
    'div',
    { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': 'table' },
    h(
      'table',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          columns.map(([title, style, order]) =>
            h('th', { class: style, scope: 'col', 'aria-sort': order }, title),
          ),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map((row) =>
          h(
            'tr',
            null,
            row.map((cell, at) => h('td', { class: columns[at]?.[1] }, cell)),
          ),
        ),
      ),
    ),
  )
}

/** Name and value pairs; pairs without a value are left out. */
export function facts(pairs: readonly (readonly [name: string, value: View])[]): JSX.Element {
  return h(
    'dl',
    { class: 'facts' },
    pairs
      .filter(([, value]) => value !== undefined && value !== '' && value !== null)
      .map(([name, value]) => h('div', null, h('dt', null, name), h('dd', null, value))),
  )
}

/** A small coloured word: `good`, `bad`, `busy` or plain. */
export function pill(text: View, mood = ''): JSX.Element {
  return h('span', { class: `pill ${mood}` }, text)
}

const moods = { live: 'good', syncing: 'busy', stopped: 'bad', off: '' } as const

/** State of a chain or a stage; `text` where there is more to say. */
export function statePill(state: keyof typeof moods, text: string = state): JSX.Element {
  return pill(text, moods[state])
}

/** Why something is not shown. */
export function failed(failure: Failure): JSX.Element {
  const { status } = failure
  if (status === 503) return h('p', { class: 'empty', role: 'status' }, failureText(failure))
  const hint =
    status === 401 || status === 403
      ? h('a', { href: to('api') }, 'Enter an API key in the console.')
      : null
  return h('p', { class: 'failed', role: 'alert' }, `${failureText(failure)} `, hint)
}

/** The answer when there is one, else why not, else that it is on its way. */
export function shown<T>(answer: Answer<T>, view: (data: T) => View): View {
  if (answer.data !== undefined) return view(answer.data)
  if (answer.failure !== undefined) return failed(answer.failure)
  return h('div', { class: 'wait', 'aria-busy': 'true', 'aria-label': 'loading', role: 'status' })
}

/** A link whose text is the two ends of an id; the whole is its title. */
export function idLink(link: string, id: string, label = ends(id)): JSX.Element {
  return h('a', { href: link, title: id, class: 'id' }, label)
}

/** A whole id with a button that copies it. */
export function copied(id: string, link?: string): JSX.Element {
  return h(
    'span',
    { class: 'copied' },
    link === undefined ? h('span', { class: 'id' }, id) : h('a', { href: link, class: 'id' }, id),
    h(CopyButton, { text: id }),
  )
}

/** Copies its text; says so for a moment. */
export function CopyButton({ text }: { readonly text: string }): JSX.Element {
  const [done, setDone] = useState(false)
  useEffect(() => {
    const timer = done ? setTimeout(() => setDone(false), 1_200) : 0
    return () => clearTimeout(timer)
  }, [done])
  const copy = (): void => {
    void navigator.clipboard?.writeText(text).then(() => setDone(true))
  }
  return h(
    'button',
    { class: 'copy', type: 'button', onClick: copy, 'aria-label': `copy ${ends(text)}` },
    done ? 'copied' : 'copy',
  )
}

/** Time since a moment; the moment itself is its title. */
export function age(seconds: number): JSX.Element {
  const ago = now() / 1_000 - seconds
  const text = ago >= 0 ? `${span(ago)} ago` : `in ${span(-ago)}`
  return h(
    'time',
    { dateTime: new Date(seconds * 1_000).toISOString(), title: `${moment(seconds)} UTC` },
    text,
  )
}

/** A moment and how long ago it was. */
export function when(seconds: number): JSX.Element {
  return h(
    'span',
    null,
    `${moment(seconds)} UTC `,
    h('span', { class: 'quiet' }, '· ', age(seconds)),
  )
}

/** An amount for a table, cut where long, whole in its title. */
export function coins(units: string, decimals: number, symbol: string): JSX.Element {
  return h(
    'span',
    { title: `${amount(units, decimals)} ${visible(symbol)}` },
    cutAmount(units, decimals),
    ' ',
    h('span', { class: 'quiet' }, visible(symbol)),
  )
}

/** An amount, exact. */
export function exactCoins(units: string, decimals: number, symbol: string): JSX.Element {
  return h(
    'span',
    { class: 'num' },
    amount(units, decimals),
    ' ',
    h('span', { class: 'quiet' }, visible(symbol)),
  )
}

/** Links to the blocks beside one; none to where there is no block, outside `first` to `head`. */
export function neighbours(
  height: number,
  { first, head }: { readonly first: number; readonly head: number },
  link: (height: number) => string,
): JSX.Element {
  return h(
    'nav',
    { class: 'steps', 'aria-label': 'neighbours' },
    height > first ? h('a', { href: link(height - 1) }, '← Previous block') : null,
    height < head ? h('a', { href: link(height + 1) }, 'Next block →') : null,
  )
}

/** Links of which one is the present one. */
export function tabs(links: readonly (readonly [label: string, link: string])[]): JSX.Element {
  return h(
    'nav',
    { class: 'tabs', 'aria-label': 'views' },
    links.map(([label, link]) =>
      h('a', { href: link, 'aria-current': link === here() ? 'page' : undefined }, label),
    ),
  )
}

/** A list that is asked for a page at a time. `view` shows one page. */
export type PagedProps<T> = {
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** Name of its page in the address, where a page has several lists. */
  readonly name?: string
  readonly view: (page: T) => View
}

// The page before each page that was reached by `Next`.
const before = new Map<string, string>()

/** Shows the page of a list that the address names; use through {@link paged}. */
function Paged<T extends { nextPageToken?: string }>({
  path,
  query: asked,
  name = 'page',
  view,
}: PagedProps<T>): JSX.Element {
  const place = query().get(name) ?? ''
  const { number, token } = pageOf(place)
  const answer = useAnswer<T>(withQuery(path, { pageSize: 25, ...asked, pageToken: token }))
  const next = answer.data?.nextPageToken
  const after = next === undefined ? '' : `${number + 1}.${next}`
  const back = before.get(place)
  useEffect(() => {
    if (after !== '') before.set(after, place)
  }, [after, place])
  const buttons =
    number === 1 && after === ''
      ? null
      : pager({
          name,
          label: `page ${number}`,
          first: number > 1 ? '' : undefined,
          back: number > 1 ? back : undefined,
          next: after === '' ? undefined : after,
        })
  return h(
    'div',
    null,
    shown(answer, view),
    answer.fromLogs === undefined
      ? null
      : h(
          'p',
          { class: 'quiet' },
          `Balances are ${answer.fromLogs}: the node did not confirm them.`,
        ),
    buttons === null && isEmpty(answer.data)
      ? null
      : h(
          'div',
          { class: 'below' },
          h(CsvLink, { path: withQuery(path, { ...asked, pageSize: '' }), name }),
          buttons,
        ),
  )
}

/** Returns whether a page has no rows, or is not there: there is nothing to save then. */
function isEmpty(page: object | undefined): boolean {
  return (
    page === undefined ||
    Object.values(page).every((rows) => !Array.isArray(rows) || rows.length === 0)
  )
}

/** Saves a whole list as the API writes it in CSV. A link sends no header, so a key is in its address. */
export function CsvLink({
  path,
  name,
}: {
  readonly path: string
  readonly name: string
}): JSX.Element {
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

/** Pages of a list as the parameter `name` has them; undefined where there is none. */
export type PagerProps = {
  readonly name: string
  readonly label: string
  readonly first: string | undefined
  readonly back: string | undefined
  readonly next: string | undefined
}

/** Links to the pages of a list. */
export function pager({ name, label, first, back, next }: PagerProps): JSX.Element {
  return h(
    'nav',
    { class: 'pager', 'aria-label': `pages of ${name === 'page' ? 'the list' : name}` },
    step('First', first, name),
    step('← Back', back, name),
    h('span', { class: 'quiet' }, label),
    step('Next →', next, name),
  )
}

/** `3.token` is the third page, and what the API calls it. */
function pageOf(place: string): { readonly number: number; readonly token: string } {
  const [, number = '1', token = ''] = /^(\d{1,6})\.(.+)$/.exec(place) ?? []
  return { number: Math.max(1, Number(number)), token }
}

/** A link to a page of a list; only text where there is none. */
function step(label: string, place: string | undefined, name: string): JSX.Element {
  return place === undefined
    ? h('span', { class: 'button', 'aria-disabled': 'true' }, label)
    : h('a', { class: 'button', href: withParams({ [name]: place }) }, label)
}

/** A list by pages of 25; which one is in the address. */
export function paged<T extends { nextPageToken?: string }>(props: PagedProps<T>): JSX.Element {
  return h(Paged<T>, { ...props, key: withQuery(props.path, props.query ?? {}) })
}
