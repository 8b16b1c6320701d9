/** Paging that lists of the primary network share. */

import { bindingOf, numberCursor, type Page, readPage } from '../paging.ts'
import type { ServedNetwork } from './network-directory.ts'
import type { PrimaryParts } from './parts.ts'

/** A list of a network whose rows have a number each, in the order of which it is walked. */
export type NumberedList<R> = {
  /** Operation id: tokens of another are refused. */
  readonly route: string
  readonly query: { readonly pageToken?: string | undefined }
  readonly limit: number
  /** Rows strictly after a number, in the direction of the list. */
  readonly rows: (after: number | undefined, limit: number) => Promise<readonly R[]>
  readonly numberOf: (row: R) => number
}

/** One page. Throws `bad-page-token`. */
export function numberedPage<R>(
  { tokens }: PrimaryParts,
  { network }: ServedNetwork,
  list: NumberedList<R>,
): Promise<Page<R>> {
  return readPage<R, number>({
    tokens,
    pageToken: list.query.pageToken,
    binding: bindingOf(list.route, { ...list.query, network }),
    limit: list.limit,
    ...numberCursor,
    rows: list.rows,
    cursorOf: list.numberOf,
  })
}

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
  { tokens }: Pick<PrimaryParts, 'tokens'>,
  { network }: Pick<ServedNetwork, 'network'>,
  list: NumberedList<R> & Scales<R>,
): Promise<Page<R>> {
  const { limit, numberOf, weightOf, maxWeight } = list
  const binding = bindingOf(list.route, { ...list.query, network })
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
