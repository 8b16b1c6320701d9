/** A chain's open periods in memory, and how they are written and read back. */

import { fromHex, toBigint } from '../core/bytes.ts'
import { itemAt, u8At } from '../core/item-at.ts'
import { type ColumnsOf, statement, type Reader, type Writer } from '../store/engine/database.ts'
import { metaText, putMeta } from '../store/meta.ts'
import { dayRow, periodRow } from '../store/query/metrics/days.ts'
import type { RowOf } from '../store/query/stored-row.ts'
import {
  activityHour,
  dayAmounts,
  dayCounts,
  periodCounts,
  rollup,
  rollupDay,
  rollupState,
} from '../store/schema/metrics.ts'
import { byColumn, byField } from '../store/schema/table.ts'
import { everBits, openBits, reserve, type AddressFlags } from './address-flags.ts'
import type { DeployDay } from './deploy-count.ts'
import type { EverSeen } from './ever-seen.ts'
import { encodeMembers, visitMembers } from './member-list.ts'
import { periodStart, unitNames, units, type Unit } from './period.ts'
import { speedStart, type SpeedState } from './speed.ts'

/** A period that may still grow. */
export type OpenPeriod = { readonly unit: Unit; readonly start: number } & Record<
  keyof typeof periodCounts,
  number
>

/** Values that only days have. */
export type OpenDay = Record<keyof typeof dayCounts, number> & {
  readonly start: number
  lastMs: number
  priceSum: WideSum
  priceMax: bigint
  /** `priceMax` as a number while it is below 2^48, so that most comparisons need no BigInt. */
  topPrice: number
  fees: WideSum
}

/** Everything that counting needs between batches. */
export type RollupState = {
  /** First second after the open hour. */
  nextHour: number
  /** Time of the chain's first block, milliseconds; -1 before there is one. */
  firstMs: number
  open: OpenPeriod[]
  day: OpenDay | undefined
  hourMembers: number[]
  speed: SpeedState
  /** Left behind since the last save. */
  closed: OpenPeriod[]
  closedDays: OpenDay[]
  closedHours: { readonly start: number; readonly members: Float64Array }[]
  deploys: readonly [DeployDay | undefined, DeployDay | undefined]
}

/** A period with nothing in it. */
export function emptyPeriod(unit: Unit, start: number): OpenPeriod {
  return { unit, start, ...byField(periodCounts, () => 0) }
}

/** Writes every period that changed since the last save; `members` are those of the open hour. */
export async function saveRollup(
  writer: Writer,
  state: RollupState,
  members: Float64Array,
): Promise<void> {
  const periods = [...state.closed, ...state.open].sort(
    (a, b) => units[a.unit] - units[b.unit] || a.start - b.start,
  )
  state.closed = []
  await writer.upsert(rollup, {
    unit: periods.map((period) => units[period.unit]),
    start: periods.map((period) => period.start),
    ...byColumn(periodCounts, (count) => periods.map((period) => period[count])),
  } satisfies ColumnsOf<typeof rollup>)
  await saveDays(writer, state)
  await saveHours(writer, state, members)
  const { firstMs, speed } = state
  await putMeta(writer, { [rollupState]: JSON.stringify({ firstMs, speed }) })
}

async function saveDays(writer: Writer, state: RollupState): Promise<void> {
  const days = state.day === undefined ? state.closedDays : [...state.closedDays, state.day]
  state.closedDays = []
  await writer.upsert(rollupDay, {
    start: days.map((day) => day.start),
    last_ms: days.map((day) => day.lastMs),
    ...byColumn(dayAmounts, (amount) => days.map((day) => minimalBytes(totalOf(day[amount])))),
    ...byColumn(dayCounts, (count) => days.map((day) => day[count])),
  } satisfies ColumnsOf<typeof rollupDay>)
}

async function saveHours(writer: Writer, state: RollupState, members: Float64Array): Promise<void> {
  const hours = [...state.closedHours]
  state.closedHours = []
  const hour = state.open[units.hour]
  if (hour !== undefined) hours.push({ start: hour.start, members })
  await writer.upsert(activityHour, {
    start: hours.map(({ start }) => start),
    members: hours.map((each) => encodeMembers(each.members)),
  } satisfies ColumnsOf<typeof activityHour>)
}

const newest = periodRow.statement(
  (columns) =>
    `select ${columns} from rollup r where start = (select max(start) from rollup m where m.unit = r.unit) order by unit`,
)
const newestDay = dayRow.statement(
  (columns) => `select ${columns} from rollup_day order by start desc limit 1`,
)
const hoursSince = statement(
  'select start, members from activity_hour where start >= ? order by start',
)
const newestDeploys = statement(
  'select start, contracts, new_deployers, members from rollup_deploys where source = ? order by start desc limit 1',
)

/** Reads the open periods back, and fills `flags` and `ever` with who was seen in them. */
export async function loadRollup(
  reader: Reader,
  flags: AddressFlags,
  ever: EverSeen,
): Promise<RollupState> {
  const state: RollupState = {
    nextHour: 0,
    firstMs: -1,
    open: [],
    day: undefined,
    hourMembers: [],
    speed: speedStart(),
    closed: [],
    closedDays: [],
    closedHours: [],
    deploys: [await loadDeploys(reader, 0), await loadDeploys(reader, 1)],
  }
  await ever.load(reader, (kind, id) => {
    reserve(flags, id)
    flags.ever[id] = u8At(flags.ever, id) | (1 << kind)
  })
  for (const [source, day] of state.deploys.entries()) {
    const bit = source === 0 ? everBits.deployedTodayByReceipts : everBits.deployedTodayByTraces
    for (const id of day?.members ?? []) flags.ever[id] = u8At(flags.ever, id) | bit
  }
  const saved = await metaText(reader, rollupState)
  if (saved !== undefined) Object.assign(state, JSON.parse(saved))
  for (const { unit, ...counts } of await periodRow.all(reader, newest))
    state.open.push({ unit: itemAt(unitNames, unit), ...counts })
  const hour = state.open[units.hour]
  if (hour === undefined) return state
  state.nextHour = hour.start + 3_600
  state.day = dayOf(await dayRow.first(reader, newestDay))
  await loadActivity(reader, state, flags)
  return state
}

async function loadActivity(
  reader: Reader,
  state: RollupState,
  flags: AddressFlags,
): Promise<void> {
  const [hour, day, week, month] = state.open
  if (hour === undefined || day === undefined || week === undefined || month === undefined) return
  const rows = await reader.all(hoursSince, [Math.min(week.start, month.start)])
  for (const [start, members] of rows) {
    if (typeof start !== 'number' || !(members instanceof Uint8Array)) continue
    let active = 0
    let sender = 0
    for (const [at, period] of [hour, day, week, month].entries()) {
      if (periodStart(period.unit, start) !== period.start) continue
      active |= openBits.hour << (2 * at)
      sender |= openBits.hourSender << (2 * at)
    }
    visitMembers(members, (member) => {
      const id = Math.floor(member / 2)
      reserve(flags, id)
      const sends = member % 2 === 1
      flags.open[id] = u8At(flags.open, id) | active | (sends ? sender : 0)
      if (start !== hour.start) return
      state.hourMembers.push(id)
    })
  }
}

async function loadDeploys(reader: Reader, source: 0 | 1): Promise<DeployDay | undefined> {
  const row = await reader.get(newestDeploys, [source])
  if (row === undefined) return undefined
  const [start, contracts, newDeployers, members] = row
  const ids: number[] = []
  if (members instanceof Uint8Array) visitMembers(members, (id) => ids.push(id))
  return {
    start,
    contracts,
    newDeployers,
    members: ids,
  }
}

function dayOf(row: RowOf<typeof dayRow> | undefined): OpenDay | undefined {
  if (row === undefined) return undefined
  const priceMax = toBigint(row.priceMax)
  return {
    ...row,
    priceSum: wideSum(toBigint(row.priceSum)),
    priceMax,
    topPrice: priceMax < 2n ** 48n ? Number(priceMax) : 0,
    fees: wideSum(toBigint(row.fees)),
  }
}

/** Big-endian without leading zero bytes; zero is no byte at all. */
function minimalBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array(0)
  const hex = value.toString(16)
  return fromHex(hex.length % 2 === 0 ? hex : `0${hex}`)
}

// Sums of wei without a BigInt per addition.
//
// Most amounts fit a double exactly: they gather in `low`, which moves into `high` when full.

/** A running sum of non-negative integers. */
type WideSum = { low: number; high: bigint }

const limit = Number.MAX_SAFE_INTEGER

/** A sum that starts at `value`. */
function wideSum(value = 0n): WideSum {
  return { low: 0, high: value }
}

/** Adds `amount`, an integer from 0 to 2^53. */
export function addNumber(sum: WideSum, amount: number): void {
  if (sum.low > limit - amount) {
    sum.high += BigInt(sum.low)
    sum.low = 0
  }
  sum.low += amount
}

/** Adds `a × b`, both integers from 0 to 2^53. */
export function addProduct(sum: WideSum, a: number, b: number): void {
  const product = a * b
  if (product <= limit) addNumber(sum, product)
  else sum.high += BigInt(a) * BigInt(b)
}

/** The sum so far. */
function totalOf(sum: WideSum | bigint): bigint {
  return typeof sum === 'bigint' ? sum : sum.high + BigInt(sum.low)
}
