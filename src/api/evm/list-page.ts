/** Paging that the lists by position share. */

import { type PosRange, rangeBefore } from '../../store/query/evm/position.ts'
import type { PageTokens } from '../page-token.ts'
import { bindingOf, numberCursor, type Page, readPage } from '../paging.ts'

/** A list of rows by position, newest first. */
export type PositionList<R> = {
  readonly tokens: PageTokens
  /** Operation id: tokens of another are refused. */
  readonly route: string
  /** The subject of the list, beside the query: chain key and address. */
  readonly subject: Readonly<Record<string, string>>
  readonly query: { readonly pageToken?: string | undefined }
  readonly limit: number
  /** Positions the caller allows. */
  readonly range: PosRange
  /** Rows inside a range, newest first. */
  readonly rows: (range: PosRange, limit: number) => Promise<readonly R[]>
}

/** One page. Throws `bad-page-token`. */
export function positionPage<R extends { readonly pos: number }>(
  list: PositionList<R>,
): Promise<Page<R>> {
  return readPage<R, number>({
    tokens: list.tokens,
    pageToken: list.query.pageToken,
    binding: bindingOf(list.route, { ...list.query, ...list.subject }),
    limit: list.limit,
    ...numberCursor,
    rows: (before, limit) => list.rows(rangeBefore(list.range, before), limit),
    cursorOf: (row) => row.pos,
  })
}
