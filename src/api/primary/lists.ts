/** Pages and series that lists of the primary network share, and answers that are kept for a while. */

import { recently } from '../../core/bounded-maps.ts'
import { Fault } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { MetricPoint } from '../../shape/metrics/metric-point.ts'
import { knownNumbers, numberOfNode } from '../../store/query/primary/addresses.ts'
import type { PageTokens } from '../operation/page-token.ts'
import { requestedPage, type NumberedList, numberCursor, type Page } from '../operation/paging.ts'
import { addressesIn, itemsOf, nodeIdsIn } from './inputs.ts'
import type { ServedNetwork, PrimaryContext } from './network/networks.ts'
import { wideInteger } from './views/values.ts'

/** Most that the rows of a page weigh together, and rows read at once to find out. */
type Scales<R> = {
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
  const { numberOf, weightOf, maxWeight } = list
  const { limit, next, ...page } = requestedPage(tokens, { ...list, ...numberCursor })
  let { after } = page
  const rows: R[] = []
  let weight = 0
  for (;;) {
    const wanted = Math.min(list.rowsAtOnce, limit + 1 - rows.length)
    const found = await list.rows(after, wanted)
    for (const row of found) {
      weight += weightOf(row)
      const last = rows.at(-1)
      if (last !== undefined && (rows.length === limit || weight > maxWeight))
        return { rows, ...next(numberOf(last)) }
      rows.push(row)
      after = numberOf(row)
    }
    if (found.length < wanted) return { rows }
  }
}

/** Items of a page of subnets or chains when the caller does not say. */
export const defaultWidePageSize = 100

const daySeconds = 86_400

/** A range of points; `before` is where the page before ended. */
export type PointRange = {
  readonly startTimestamp?: number | undefined
  readonly endTimestamp?: number | undefined
}

/**
 * Points of every day from the first of `values` (oldest first) to that of `now`; a day without a
 * value has that of the day before. Values above 2^53 keep all their digits.
 */
export function dayPoints(
  values: ReadonlyMap<number, bigint>,
  now: number,
  { startTimestamp = -1, endTimestamp = Infinity }: PointRange,
): MetricPoint[] {
  const points: MetricPoint[] = []
  const [first] = values.keys()
  if (first === undefined) return points
  let value = 0n
  for (let day = first; day <= now; day += daySeconds) {
    value = values.get(day) ?? value
    if (day > startTimestamp && day < endTimestamp)
      points.push({ value: wideInteger(value), timestamp: day })
  }
  return points.toReversed()
}

const keepMs = 10_000

/** As `read`, but what it gave for a store is given again for ten seconds. */
export function keptFor<S extends object, T>(
  clock: Clock,
  read: (store: S) => Promise<T>,
): (store: S) => Promise<T> {
  const kept = new WeakMap<S, () => Promise<T>>()
  return (store) => {
    const answer = kept.get(store) ?? recently(() => read(store), { clock, forMs: keepMs })
    kept.set(store, answer)
    return answer()
  }
}

/** Numbers of addresses and nodes; both given: of those addresses for those nodes. */
type Whose = {
  readonly addresses?: readonly number[] | undefined
  readonly nodes?: readonly number[] | undefined
}

/** Reads both lists. Throws `bad-parameter`, also when neither is given. */
export async function whoseIn(
  context: PrimaryContext,
  network: ServedNetwork,
  query: { readonly addresses?: string | undefined; readonly nodeIds?: string | undefined },
): Promise<Whose> {
  const whose = await whoseOrAll(context, network, query)
  if (whose.addresses === undefined && whose.nodes === undefined)
    throw new Fault('bad-parameter', 'addresses or nodeIds is required')
  return whose
}

/** As {@link whoseIn}, but neither may be given: everybody's. */
export async function whoseOrAll(
  context: PrimaryContext,
  network: ServedNetwork,
  query: { readonly addresses?: string | undefined; readonly nodeIds?: string | undefined },
): Promise<Whose> {
  const { maxAddresses } = context.limits
  const hasAddresses = itemsOf(query.addresses ?? '').length > 0
  const hasNodes = itemsOf(query.nodeIds ?? '').length > 0
  const owners = hasAddresses
    ? addressesIn(query.addresses ?? '', { hrp: network.hrp, chain: 'P' }, maxAddresses)
    : []
  const nodeIds = hasNodes ? nodeIdsIn(query.nodeIds ?? '', maxAddresses) : []
  const nodes = await Promise.all(nodeIds.map((id) => numberOfNode(network.store, id)))
  return {
    addresses: hasAddresses ? await knownNumbers(network.store, owners) : undefined,
    nodes: hasNodes ? nodes.filter((number) => number !== undefined) : undefined,
  }
}
