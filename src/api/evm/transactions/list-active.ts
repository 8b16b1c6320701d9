/** Who sent the most transactions of a day, week or month, and who was called by the most. */

import { setImmediate as turn } from 'node:timers/promises'

import { struct } from '../../../codec/kit.ts'
import { f64 } from '../../../codec/primitives.ts'
import { ActivityCounts, type ListPlace, listStart } from '../../../rollup/activity-counts.ts'
import { nextPeriod, periodStart } from '../../../rollup/period.ts'
import { EvmActivity, mostListed } from '../../../shape/operations/evm-activity.ts'
import type { Database } from '../../../store/engine/database.ts'
import {
  type ActivityList,
  activityLists,
  activityStarts,
  newestActivity,
} from '../../../store/query/metrics/activity-days.ts'
import { type AllOf, operation, type Operation } from '../../operation/operation.ts'
import { cursorOf, requestedPage } from '../../operation/paging.ts'
import type { EvmContext } from '../evm-context.ts'

/** Both lists. Cost of a page: the lists of the period's days, seven bytes or so an address. */
export function listActive(context: EvmContext): AllOf<typeof EvmActivity> {
  return {
    listActiveSenders: list(context, EvmActivity.listActiveSenders, 'senders'),
    listCalledContracts: list(context, EvmActivity.listCalledContracts, 'callees'),
  }
}

/** Where a page ended: of the period that starts at `start`, `given` addresses, the last with `most` of what counts. */
type Place = {
  readonly start: number
  readonly given: number
  readonly most: number
  readonly id: number
}

const place = cursorOf<Place>(struct({ start: f64, given: f64, most: f64, id: f64 }))

type Entry = {
  readonly id: number
  readonly transactionCount: number
  readonly gasUsed: number
  /** The one of both by which is sorted. */
  readonly most: number
}

function list<
  C extends typeof EvmActivity.listActiveSenders | typeof EvmActivity.listCalledContracts,
>(context: EvmContext, contract: C, of: ActivityList): Operation<C['id']> {
  return operation<C>(contract, async ({ path, query }) => {
    const chain = context.chains.find(path.chainId)
    const { timeInterval: unit = 'day', sortBy = 'transactions' } = query
    const { after, limit, next } = requestedPage(context.tokens, {
      route: contract.id,
      subject: { chain: chain.facts.key },
      query,
      ...place,
    })
    const counted = await newestActivity(chain.store)
    const now = Math.floor(context.clock.now() / 1_000)
    const start = after?.start ?? periodStart(unit, query.timestamp ?? counted?.start ?? now)
    const end = nextPeriod(unit, start)
    const counts = await countsOf(chain.store, of, { from: start, until: end })
    const given = after?.given ?? 0
    const wanted = Math.min(limit, mostListed - given)
    const { rows, transactionCount, gasUsed } = ranked(counts, sortBy, after, wanted)
    const last = rows.at(-1)
    const isMore = last !== undefined && given + rows.length < Math.min(mostListed, counts.size)
    const pageEnd = isMore
      ? { start, given: given + rows.length, most: last.most, id: last.id }
      : undefined
    const named = await context.addressBooks(chain).load(rows.map(({ id }) => id))
    return {
      body: {
        ...next(pageEnd),
        startTimestamp: start,
        endTimestamp: end,
        countedUntilBlock: counted?.height ?? -1,
        isComplete: counted !== undefined && counted.start >= end,
        addressCount: counts.size,
        transactionCount,
        gasUsed,
        addresses: rows.map(({ id, transactionCount: txs, gasUsed: gas }) => {
          const { address, label } = named(id).rich
          return { address, label, transactionCount: txs, gasUsed: gas }
        }),
      },
    }
  })
}

async function countsOf(
  store: Database,
  of: ActivityList,
  period: { readonly from: number; readonly until: number },
): Promise<ActivityCounts> {
  const counts = new ActivityCounts()
  for (const start of await activityStarts(store, period)) {
    const list = (await activityLists(store, start))[of]
    for (let from: ListPlace | undefined = listStart; from !== undefined;) {
      from = counts.addPart(list, from)
      // Others have their turn: a month of a busy chain takes half a second.
      await turn()
    }
  }
  return counts
}

/** Entries strictly after `after`, those with the most first and of as many the one seen first, and sums of all. */
function ranked(
  counts: ActivityCounts,
  sortBy: 'transactions' | 'gasUsed',
  after: Place | undefined,
  wanted: number,
): {
  readonly rows: readonly Entry[]
  readonly transactionCount: number
  readonly gasUsed: number
} {
  const rows: Entry[] = []
  const comesBefore = (
    one: Pick<Entry, 'most' | 'id'>,
    other: Pick<Entry, 'most' | 'id'>,
  ): boolean => one.most > other.most || (one.most === other.most && one.id < other.id)
  let transactionCount = 0
  let gasUsed = 0
  counts.visit((id, txs, gas) => {
    transactionCount += txs
    gasUsed += gas
    const most = sortBy === 'gasUsed' ? gas : txs
    const key = { most, id }
    if (after !== undefined && !comesBefore(after, key)) return
    const worst = rows.length < wanted ? undefined : rows.at(-1)
    if (wanted === 0 || (worst !== undefined && !comesBefore(key, worst))) return
    if (worst !== undefined) rows.pop()
    const at = rows.findIndex((row) => comesBefore(key, row))
    rows.splice(at < 0 ? rows.length : at, 0, { ...key, transactionCount: txs, gasUsed: gas })
  })
  return { rows, transactionCount, gasUsed }
}
