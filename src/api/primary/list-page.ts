/** What lists of the primary network share. */

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

/** Items of a page when the caller does not say. */
export const defaultPageSize = 10

/** Items of a page of subnets or chains when the caller does not say. */
export const defaultWidePageSize = 100
