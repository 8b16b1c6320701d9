/** The pieces pages are made of: cards, tables, facts, tabs, pagers, links, amounts. */

import { h, type ComponentChildren, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

import type { Money } from '../../../shape/evm/token.ts'
import type { ChainStatus } from '../../../shape/status.ts'
import type { Answer, Failure } from './answer.ts'
import { amount, cutAmount, ends, failureText, moment, money, span, visible } from './format.ts'
import { segmentsOf, to } from './link.ts'
import { here, query, withParams } from './place.ts'
import { awaited, emptyWords, now } from './world.ts'

/** Content of a page. */
export type View = ComponentChildren

/** A titled box. `side` sits at the right of its title. */
export function card(title: View, body: View, side?: View): JSX.Element {
  return h('section', { class: 'card' }, [
    title === '' ? null : h('header', null, h('h2', null, title), side),
    body,
  ])
}

/** Page title with a line above it. */
export function heading(above: View, title: View, side?: View): JSX.Element {
  return h('div', { class: 'heading' }, [
    h('div', null, h('p', { class: 'above' }, above), h('h1', null, title)),
    side,
  ])
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
  if (rows.length === 0)
    return h('p', { class: 'empty' }, emptyWords(segmentsOf(location.pathname)))
  return h('div', { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': 'table' }, [
    h('table', null, [
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          columns.map(([title, style, order]) =>
            h('th', { class: style, scope: 'col', 'aria-sort': order }, [
              title === 'Time' ? h(TimeSwitch, {}) : title,
            ]),
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
    ]),
  ])
}

/** A column: its title, its style as {@link Column} has it, and what it shows of a row. */
export type RowColumn<T> = readonly [title: string, style: string, cell: (row: T) => View]

/** A table of rows by its columns. */
export function rowTable<T>(rows: readonly T[], columns: readonly RowColumn<T>[]): JSX.Element {
  return table(
    columns.map(([title, style]) => (style === '' ? [title] : [title, style])),
    rows.map((row) => columns.map(([, , cell]) => cell(row))),
  )
}

/** A part of `max` as a bar; without a label it repeats what stands beside it. */
export function bar(value: number, max: number, label?: string): JSX.Element {
  const hidden = label === undefined ? 'true' : undefined
  return h('progress', { class: 'bar', max, value, 'aria-label': label, 'aria-hidden': hidden })
}

/** Name and value pairs; pairs without a value are left out. */
export function facts(pairs: readonly (readonly [name: string, value: View])[]): JSX.Element {
  return figures(pairs, 'facts')
}

/** Figures side by side, each under its name; those without a value are left out. */
export function figures(
  pairs: readonly (readonly [name: View, value: View])[],
  look: 'numbers' | 'numbers card' | 'facts' = 'numbers card',
): JSX.Element {
  return h(
    'dl',
    { class: look },
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

/** State of a chain: `waiting` where it stands still until something comes back. */
export function chainPill(chain: ChainStatus): JSX.Element {
  return awaited(chain) === undefined ? statePill(chain.state) : pill('waiting', 'bad')
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
  return h('span', { class: 'copied' }, [
    link === undefined ? h('span', { class: 'id' }, id) : h('a', { href: link, class: 'id' }, id),
    h(CopyButton, { text: id }),
  ])
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
    [done ? 'copied' : 'copy'],
  )
}

/**
 * Time since a moment, or where people chose so the moment itself; the other is its title. `atMs` is the present: of
 * what this process did itself that of the clock, also where a recording is played.
 */
export function age(seconds: number, atMs = now()): JSX.Element {
  const ago = atMs / 1_000 - seconds
  const texts = [ago >= 0 ? `${span(ago)} ago` : `in ${span(-ago)}`, `${moment(seconds)} UTC`]
  const [text, title] = kept(timesName) === 'moments' ? texts.toReversed() : texts
  return h('time', { dateTime: new Date(seconds * 1_000).toISOString(), title }, text)
}

const timesName = 'firn-times'
const timesChanged = 'timeschange'

/** Head of a column of times: goes from ages to moments and back, on all pages. */
function TimeSwitch(): JSX.Element {
  const isAge = kept(timesName) !== 'moments'
  const change = (): void => {
    keep(timesName, isAge ? 'moments' : 'ages')
    dispatchEvent(new Event(timesChanged))
  }
  const label = isAge ? 'Age' : 'Time (UTC)'
  const title = isAge ? 'show date and time' : 'show age'
  return h(
    'button',
    { type: 'button', class: 'order', onClick: change, title, 'aria-label': `${label}: ${title}` },
    label,
  )
}

/** Draws anew when times are shown otherwise. */
export function useTimes(): void {
  const [, draw] = useState(0)
  useEffect(() => {
    const changed = (): void => draw((times) => times + 1)
    addEventListener(timesChanged, changed)
    return () => removeEventListener(timesChanged, changed)
  }, [])
}

/** A word that the browser keeps under a name; empty where it keeps nothing. */
export function kept(name: string): string {
  try {
    return localStorage.getItem(name) ?? ''
  } catch {
    return ''
  }
}

/** Has the browser keep a word; where it keeps nothing, it holds until the page is loaded again. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // It is kept for nobody.
  }
}

/** A choice of views of a list; which one is in the address under `name`, the first where it is not. */
export function segments(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
): JSX.Element {
  const chosen = query().get(name) ?? options[0]?.[0]
  return h(
    'nav',
    { class: 'segments', 'aria-label': label },
    options.map(([value, text]) =>
      h(
        'a',
        {
          href: withParams({ [name]: value, page: '' }),
          'aria-current': value === chosen ? 'page' : undefined,
        },
        text,
      ),
    ),
  )
}

/** A field that offers values by their texts; `change` is called with the value that is chosen. */
export function select(
  attributes: object,
  options: readonly (readonly [value: string, text: string])[],
  of: { readonly chosen: string; readonly change: (value: string) => void },
): JSX.Element {
  return h(
    'select',
    {
      ...attributes,
      onChange: ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
        of.change(currentTarget.value),
    },
    options.map(([value, text]) => h('option', { value, selected: value === of.chosen }, text)),
  )
}

/** A moment and how long ago it was; as {@link age}. */
export function when(seconds: number, atMs?: number): JSX.Element {
  return h('span', null, [
    `${moment(seconds)} UTC `,
    h('span', { class: 'quiet' }, '· ', age(seconds, atMs)),
  ])
}

/** An amount for a table, cut where long, whole in its title. */
export function coins(units: string, decimals: number | null, symbol: string): JSX.Element {
  return h('span', { title: `${amount(units, decimals)} ${visible(symbol)}` }, [
    cutAmount(units, decimals),
    ' ',
    h('span', { class: 'quiet' }, visible(symbol)),
  ])
}

/** An amount, exact. */
export function exactCoins(units: string, decimals: number | null, symbol: string): JSX.Element {
  return h('span', { class: 'num' }, [
    amount(units, decimals),
    ' ',
    h('span', { class: 'quiet' }, visible(symbol)),
  ])
}

/** Value of an amount behind `words`, in quiet; nothing where no price is known, or of nothing. */
export function worthOf(
  units: string,
  decimals: number | null,
  price: Money | undefined,
  words = '',
): JSX.Element | null {
  if (price === undefined || decimals === null || units === '0') return null
  const value = Number(price.value) * (Number(units) / 10 ** decimals)
  return h('span', { class: 'quiet' }, ` · ${words}${money(value, price.currencyCode)}`)
}

/** Links to the neighbouring blocks, where they exist between `first` and `head`. */
export function neighbours(
  height: number,
  { first, head }: { readonly first: number; readonly head: number },
  link: (height: number) => string,
): JSX.Element {
  return h('nav', { class: 'steps', 'aria-label': 'neighbours' }, [
    height > first
      ? h(
          'a',
          { href: link(height - 1), rel: 'prev', 'aria-keyshortcuts': 'ArrowLeft' },
          '← Previous block',
        )
      : null,
    height < head
      ? h(
          'a',
          { href: link(height + 1), rel: 'next', 'aria-keyshortcuts': 'ArrowRight' },
          'Next block →',
        )
      : null,
  ])
}

/** A row of links; one of them is the present page, or leads to its group. */
export function tabs(
  links: readonly (readonly [label: string, link: string])[],
  label = 'views',
  look: 'tabs' | 'segments' = 'tabs',
  chosen = here(),
): JSX.Element {
  return h(
    'nav',
    { class: look, 'aria-label': label },
    links.map(([text, link]) =>
      h('a', { href: link, 'aria-current': link === chosen ? 'page' : undefined }, text),
    ),
  )
}
