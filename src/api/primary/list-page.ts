/** Paging that lists of the primary network share. */

import type { PageTokens } from '../operation/page-token.ts'
import { bindingOf, type NumberedList, numberCursor, type Page } from '../operation/paging.ts'

/** Most that the rows of a page weigh together, and rows read at once to find out. */
export type Scales<R> = {
  readonly weightOf: (row: R) => number
  readonly maxWeight: number
  readonly rowsAtOnce: number
}

/**
 * A page that ends early when its rows weigh too much, and then has a token like any other; its
 * first row is never too heavy. Throws `bad-page-token`.
 */
export async function weighedPage<R>(
  tokens: PageTokens,
  list: NumberedList<R> & Scales<R>,
): Promise<Page<R>> {
  const { limit, numberOf, weightOf, maxWeight } = list
  const binding = bindingOf(list.route, { ...list.query, ...list.subject })
  const bytes = tokens.open(list.query.pageToken, binding)
  let after = bytes === undefined ? undefined : numberCursor.decode(bytes)
  const rows: R[] = []
  let weight = 0
  for (;;) {
    const wanted = Math.min(list.rowsAtOnce, limit + 1 - rows.length)
    const found = await list.rows(after, wanted)
    for (const row of found) {
      weight += weightOf(row)
      const last = rows.at(-1)
      if (last !== undefined && (rows.length === limit || weight > maxWeight)) {
        const nextPageToken = tokens.seal(numberCursor.encode(numberOf(last)), binding)
        return { rows, nextPageToken }
      }
      rows.push(row)
      after = numberOf(row)
    }
    if (found.length < wanted) return { rows }
  }
}

/** Items of a page when the caller does not say. */
export const defaultPageSize = 10

/** Items of a page of subnets or chains when the caller does not say. */
export const defaultWidePageSize = 100
