/**
 * A table of rows that are all here: ordered by any column, a page at a time, both in the address.
 */

import { h, type JSX } from 'preact'

import { count } from './format.ts'
import { ordered, orderOf, type OrderKey } from './order.ts'
import { CsvLink, pager } from './paged.ts'
import { table, type View } from './parts.ts'
import { query, withParams } from './place.ts'

/** A column; one with `by` can be chosen as the order. */
export type SortColumn<T> = {
  readonly title: string
  readonly name?: string
  readonly style?: string
  /** Most first when chosen for the first time. */
  readonly down?: boolean
  readonly by?: (row: T) => OrderKey | undefined
  readonly cell: (row: T) => View
}

/** Rows of a table, and their order while the reader has chosen none. */
export type SortedProps<T> = {
  readonly rows: readonly T[]
  readonly columns: readonly SortColumn<T>[]
  readonly order: string
  /** Path of the list, where the API writes it as CSV. */
  readonly csv: string
}

const pageSize = 25

/** The table. */
export function sortedTable<T>({ rows, columns, order, csv }: SortedProps<T>): JSX.Element {
  const chosen = orderOf(query().get('sort') ?? order)
  const column = columns.find(({ name }) => name === chosen.name)
  const all = column?.by === undefined ? rows : ordered(rows, column.by, chosen.down)
  const pages = Math.max(1, Math.ceil(all.length / pageSize))
  const at = Math.min(pages, Math.max(1, Math.floor(Number(query().get('page') ?? 1)) || 1))
  const heads = columns.map(
    ({ title, style, name, down }) =>
      [
        name === undefined ? title : orderLink(title, name, { chosen, down: down === true }),
        style,
        name === chosen.name ? (chosen.down ? 'descending' : 'ascending') : undefined,
      ] as const,
  )
  return h('div', null, [
    table(
      heads,
      all
        .slice((at - 1) * pageSize, at * pageSize)
        .map((row) => columns.map(({ cell }) => cell(row))),
    ),
    rows.length === 0
      ? null
      : h('div', { class: 'below' }, [
          h(CsvLink, { path: csv, name: 'page' }),
          pages === 1
            ? null
            : pager('page', `page ${at} of ${count(pages)}`, {
                first: at > 1 ? '' : undefined,
                back: at > 1 ? String(at - 1) : undefined,
                next: at < pages ? String(at + 1) : undefined,
              }),
        ]),
  ])
}

type Choice = {
  readonly chosen: { readonly name: string; readonly down: boolean }
  readonly down: boolean
}

/** A head that orders by its column, or the other way where it does already. */
function orderLink(title: string, name: string, { chosen, down }: Choice): JSX.Element {
  const here = chosen.name === name
  const next = here ? !chosen.down : down
  return h(
    'a',
    { class: 'order', href: withParams({ sort: `${next ? '-' : ''}${name}`, page: '' }) },
    [title, here ? (chosen.down ? ' ↓' : ' ↑') : ''],
  )
}
