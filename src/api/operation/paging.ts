/** One page of a list: keyset cursors in, rows and the next token out; and the moments of a series. */

import { decode, encode, type Format } from '../../codec/cursor.ts'
import { f64 } from '../../codec/primitives.ts'
import { Fault, faultOf } from '../../core/fault.ts'
import { nextPeriod, periodStart, previousPeriod, type Unit } from '../../rollup/period.ts'
import { defaultPageSize } from '../../shape/evm/parameters.ts'
import type { Binding, PageTokens } from './page-token.ts'

/** A page: at most `limit` rows, and the token of the next page if there is one. */
export type Page<R> = { readonly rows: readonly R[]; readonly nextPageToken?: string }

/** A list that is walked by pages. `C` is the place where a page ended. */
type List<R, C> = CursorBytes<C> & {
  /** Operation id: tokens of another are refused. */
  readonly route: string
  /** Subject of the list beside the query: its chain or network, and what else the path names. */
  readonly subject: Readonly<Record<string, unknown>>
  readonly query: {
    readonly pageToken?: string | undefined
    readonly pageSize?: number | undefined
  }
  /** Rows of a page where the caller does not say; absent: 10. */
  readonly usualSize?: number | undefined
  /** Rows strictly after `cursor`, at most `limit`. */
  readonly rows: (cursor: C | undefined, limit: number) => readonly R[] | Promise<readonly R[]>
  readonly cursorOf: (row: R) => C
}

/** A requested page: the place after which it begins, and its length. */
export type RequestedPage<C> = {
  readonly after: C | undefined
  readonly limit: number
  /** The token of the page after a place, in the form a body takes; none where nothing follows. */
  readonly next: (end: C | undefined) => { readonly nextPageToken?: string }
}

/** Reads which page is requested. Throws `bad-page-token`. */
export function requestedPage<C>(
  tokens: PageTokens,
  list: Pick<List<never, C>, 'route' | 'subject' | 'query' | 'usualSize' | 'encode' | 'decode'>,
): RequestedPage<C> {
  const { query, usualSize = defaultPageSize } = list
  const binding = bindingOf(list.route, { ...query, ...list.subject })
  const bytes = tokens.open(query.pageToken, binding)
  return {
    after: bytes === undefined ? undefined : list.decode(bytes),
    limit: query.pageSize ?? usualSize,
    next: (end) =>
      end === undefined ? {} : { nextPageToken: tokens.seal(list.encode(end), binding) },
  }
}

/**
 * Reads one row more than the page holds, which shows whether another page exists: an exactly
 * full last page carries no token.
 */
export async function readPage<R, C>(tokens: PageTokens, list: List<R, C>): Promise<Page<R>> {
  const { after, limit, next } = requestedPage(tokens, list)
  const rows = await list.rows(after, limit + 1)
  if (rows.length <= limit) return { rows }
  const page = rows.slice(0, limit)
  const last = page[page.length - 1]
  return { rows: page, ...next(last === undefined ? undefined : list.cursorOf(last)) }
}

// Of a list that hardly ever fits: some 50 ms for a page, which then has a token to go on.
const mostRead = 5_000
const readAtOnce = 500

/**
 * A page of the rows of a list that `wanted` keeps. It may be short where few rows are kept; its
 * token then continues.
 */
export async function filteredPage<R, C>(
  tokens: PageTokens,
  list: List<R, C>,
  wanted: (rows: readonly R[]) => readonly R[] | Promise<readonly R[]>,
): Promise<Page<R>> {
  const { limit, next, ...page } = requestedPage(tokens, list)
  let { after } = page
  const found: R[] = []
  for (let looked = 0; looked < mostRead && found.length <= limit; looked += readAtOnce) {
    const some = await list.rows(after, readAtOnce)
    found.push(...(await wanted(some)))
    const last = some.at(-1)
    if (some.length < readAtOnce || last === undefined) {
      if (found.length <= limit) return { rows: found }
      break
    }
    after = list.cursorOf(last)
  }
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const isMore = found.length > limit && last !== undefined
  return { rows, ...next(isMore ? list.cursorOf(last) : after) }
}

/** A list whose rows are numbered, in the order of these numbers. */
export type NumberedList<R> = Omit<List<R, number>, 'encode' | 'decode' | 'cursorOf'> & {
  readonly numberOf: (row: R) => number
}

/** One page, of all rows or of those that fit. Throws `bad-page-token`. */
export function numberedPage<R>(
  tokens: PageTokens,
  numbered: NumberedList<R>,
  fits?: (row: R) => boolean,
): Promise<Page<R>> {
  const list: List<R, number> = { ...numbered, ...numberCursor, cursorOf: numbered.numberOf }
  return fits === undefined
    ? readPage(tokens, list)
    : filteredPage(tokens, list, (rows) => rows.filter(fits))
}

/** The token of a page, in the form a body takes: absent on the last page. */
export function nextToken(page: { readonly nextPageToken?: string }): { nextPageToken?: string } {
  return page.nextPageToken === undefined ? {} : { nextPageToken: page.nextPageToken }
}

/** A cursor as the bytes of a page token, and back. */
type CursorBytes<C> = {
  readonly encode: (cursor: C) => Uint8Array
  /** Throws `bad-page-token`. */
  readonly decode: (bytes: Uint8Array) => C
}

/** Cursors that look like `format`. */
export function cursorOf<C>(format: Format<C>): CursorBytes<C> {
  return {
    encode: (cursor) => encode(format, cursor),
    decode: (bytes) => {
      try {
        return decode(format, bytes)
      } catch (error) {
        if (faultOf(error)?.code !== 'bad-bytes') throw error
        throw new Fault('bad-page-token', 'pageToken is not valid here', { cause: error })
      }
    },
  }
}

/** A cursor that is one integer, for instance a `pos`. */
export const numberCursor = cursorOf(f64)

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** The binding of a list to its operation and every parameter that says what is in it: a page may have another size. */
export function bindingOf(route: string, parameters: Readonly<Record<string, unknown>>): Binding {
  let filter = ''
  for (const [name, value] of Object.entries(parameters).sort(byName)) {
    if (value === undefined || name === 'pageToken' || name === 'pageSize') continue
    // What JSON makes of a list of pairs.
    filter += `${filter === '' ? '' : ','}["${name}",${JSON.stringify(value)}]`
  }
  return { route, filter: `[${filter}]` }
}

const defaultPoints = 30
/** Each point costs a balance of the past. */
const mostPoints = 100

/**
 * Beginnings of intervals (UTC) from the start on, and the end itself: ascending, each once. Throws
 * `bad-parameter` where there are more than 100.
 */
export function momentsOf(
  query: {
    readonly timeInterval?: Unit | undefined
    readonly startTimestamp?: number | undefined
    readonly endTimestamp?: number | undefined
  },
  nowSeconds: number,
): number[] {
  const { timeInterval: unit = 'day', startTimestamp } = query
  const end = Math.min(query.endTimestamp ?? nowSeconds, nowSeconds)
  const moments: number[] = []
  // Moment 0 means now elsewhere.
  const start = Math.max(1, startTimestamp ?? startBefore(unit, end))
  let at = periodStart(unit, start)
  if (at < start) at = nextPeriod(unit, at)
  for (; at < end; at = nextPeriod(unit, at)) {
    if (moments.length === mostPoints - 1)
      throw new Fault('bad-parameter', `a series has at most this many points: ${mostPoints}`)
    moments.push(at)
  }
  return start <= end ? [...moments, end] : []
}

/** The beginning of the interval that lies the usual number of intervals before `end`. */
function startBefore(unit: Unit, end: number): number {
  let at = periodStart(unit, end)
  for (let back = 0; back < defaultPoints && at > 0; back++) at = previousPeriod(unit, at)
  return at
}
