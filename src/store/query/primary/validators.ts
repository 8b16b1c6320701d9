/**
 * Validations by state, in the orders callers sort by, strictly after a cursor.
 *
 * Order: (sorted column, place), either way; by `blockIndex` the place alone. Cost: one range of
 * the sort's index per state; those a filter drops are passed over in it.
 */

import { assert, Fault } from '../../../core/fault.ts'
import type { Reader, Statement, Value } from '../../engine/database.ts'
import { stakerStatuses } from '../../schema/primary-position.ts'
import { mergeLists } from './merged-lists.ts'
import { stakerRow, type StoredStaker } from './staker-rows.ts'

/** Columns by which validations can be sorted. */
export type ValidatorSort =
  | 'blockIndex'
  | 'delegationCapacity'
  | 'timeRemaining'
  | 'delegationFee'
  | 'uptimePerformance'

/** Where a page ended. `key` is the sorted column, 0 by `blockIndex`. */
export type ValidatorCursor = { readonly key: bigint; readonly pos: number }

/** Inclusive bounds of a column; where either is given, rows without that quantity are dropped. */
export type Bounds = { readonly min?: bigint | undefined; readonly max?: bigint | undefined }

/** Parameters of the question. */
export type ValidatorQuery = {
  readonly statuses: readonly (typeof stakerStatuses)[number][]
  readonly sortBy: ValidatorSort
  readonly order: 'asc' | 'desc'
  /** Numbers of nodes; absent: all. */
  readonly nodes?: readonly number[] | undefined
  readonly subnetId?: Uint8Array | undefined
  /** Smallest unit. */
  readonly capacity: Bounds
  /** Unix seconds of the end. */
  readonly until: Bounds
  /** Millionths. */
  readonly shares: Bounds
  /** Ten-thousandths of a percent. */
  readonly uptime: Bounds
  readonly after?: ValidatorCursor | undefined
  readonly limit: number
}

const columns: Readonly<Record<ValidatorSort, string>> = {
  blockIndex: '0',
  delegationCapacity: 's.capacity',
  timeRemaining: 's.until',
  delegationFee: 's.shares',
  uptimePerformance: 's.uptime',
}

const indexes: Readonly<Record<ValidatorSort, string>> = {
  blockIndex: 'staker_by_status',
  delegationCapacity: 'staker_by_capacity',
  timeRemaining: 'staker_by_until',
  delegationFee: 'staker_by_shares',
  uptimePerformance: 'staker_by_uptime',
}

/** `[0, 2^63)` is what a bound leaves open; rows without the quantity hold -1, or 0 as end. */
const bounded = (column: string): string => `${column} between ? and ?`

function question(sort: ValidatorSort, order: 'asc' | 'desc', byNode: boolean): Statement {
  const column = columns[sort]
  const sign = order === 'asc' ? '>' : '<'
  const cursor =
    sort === 'blockIndex'
      ? `(0 = ? or true) and s.pos ${sign} ?`
      : `(${column}, s.pos) ${sign} (?, ?)`
  const sorted = sort === 'blockIndex' ? '' : `${column} ${order}, `
  const text = (columns: string, hint: string, nodes: string): string =>
    `select ${column}, ${columns} from staker s ${hint} join node n on n.id = s.node
     where s.role = 0 and s.status = ? and ${cursor}
       and (? = 0 or s.node in (${nodes})) and (? = 0 or s.subnet_id = ?)
       and ${bounded('s.capacity')} and ${bounded('s.until')}
       and ${bounded('s.shares')} and ${bounded('s.uptime')}
     order by ${sorted}s.pos ${order} limit ?`
  const hint = byNode ? 'indexed by staker_by_node' : `indexed by ${indexes[sort]}`
  return stakerRow.statement(
    (columns) => text(columns, hint, 'select j.value from json_each(?) j'),
    {
      bigints: true,
      postgres: (columns) =>
        text(columns, '', 'select j.value::bigint from json_array_elements_text(?::json) j'),
    },
  )
}

const questions: ReadonlyMap<string, Statement> = new Map(
  Object.keys(columns).flatMap((sort) =>
    (['asc', 'desc'] as const).flatMap((order) =>
      [true, false].map((byNode): readonly [string, Statement] => [
        `${sort} ${order} ${byNode}`,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of `columns`
        question(sort as ValidatorSort, order, byNode),
      ]),
    ),
  ),
)

/** Few nodes are found faster by their own index than by passing over all others. */
const fewNodes = 32

/** A validation with its place in the order. */
export type ListedValidator = StoredStaker & { readonly cursor: ValidatorCursor }

/** Validations of the page. */
export async function listValidators(
  reader: Reader,
  query: ValidatorQuery,
): Promise<ListedValidator[]> {
  const { sortBy, order, nodes } = query
  const byNode = nodes !== undefined && nodes.length <= fewNodes
  const asked = questions.get(`${sortBy} ${order} ${byNode}`)
  if (asked === undefined) throw new Fault('store-failed', `no such order: ${sortBy}`)
  const sign = order === 'asc' ? 1 : -1
  const start = query.after ?? (order === 'asc' ? lowest : highest)
  return mergeLists<string, ListedValidator>({
    lists: query.statuses,
    limit: query.limit,
    compare: (a, b) => sign * compareCursors(a.cursor, b.cursor),
    accepts: () => true,
    read: async (status, after, limit) => {
      const { key, pos } = after?.cursor ?? start
      const values: Value[] = [
        stakerStatuses.findIndex((word) => word === status),
        sortBy === 'blockIndex' ? 0 : key,
        pos,
        nodes === undefined ? 0 : 1,
        JSON.stringify(nodes ?? []),
        query.subnetId === undefined ? 0 : 1,
        query.subnetId ?? new Uint8Array(),
        ...range(query.capacity, -1n),
        ...range(query.until, 0n),
        ...range(query.shares, -1n),
        ...range(query.uptime, -1n),
        limit,
      ]
      const rows = await reader.all(asked, values)
      return rows.map(([sorted, ...row]) => {
        const staker = stakerRow.read(row)
        assert(typeof sorted === 'bigint', 'the sorted column is an integer')
        return { ...staker, cursor: { key: sorted, pos: staker.pos } }
      })
    },
  })
}

const lowest: ValidatorCursor = { key: -2n, pos: -1 }
const highest: ValidatorCursor = { key: 2n ** 63n - 1n, pos: Number.MAX_SAFE_INTEGER }

/** Values of a `between`; `none` is what rows without the quantity hold. */
function range({ min, max }: Bounds, none: bigint): [bigint, bigint] {
  if (min === undefined && max === undefined) return [none, 2n ** 63n - 1n]
  return [min === undefined || min < none + 1n ? none + 1n : min, max ?? 2n ** 63n - 1n]
}

function compareCursors(a: ValidatorCursor, b: ValidatorCursor): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1
  return a.pos - b.pos
}
