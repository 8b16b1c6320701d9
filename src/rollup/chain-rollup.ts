/**
 * Counts one chain: what is summed per hour, day, week and month, and who was active in each.
 *
 * Definitions: document C, part A, and `docs/guide/metrics.md` for what it leaves open.
 */

import { noAddress } from '../codec/evm/columns/column-kinds.ts'
import { frameKinds, standardOf } from '../codec/evm/columns/columns.ts'
import { toBigint } from '../core/bytes.ts'
import { f64At, itemAt, u32At, u8At } from '../core/item-at.ts'
import type { Reader, Writer } from '../store/engine/database.ts'
import {
  addressFlags,
  type AddressFlags,
  clearBits,
  everBits,
  openBits,
  reserve,
} from './address-flags.ts'
import { DeployCount } from './deploy-count.ts'
import { EverSeen } from './ever-seen.ts'
import { periodStart, type Unit, unitNames } from './period.ts'
import {
  emptyPeriod,
  loadRollup,
  type OpenDay,
  type OpenPeriod,
  type RollupState,
  saveRollup,
  addNumber,
  addProduct,
} from './rollup-rows.ts'
import type { AddressIds, CountedBlocks, CountedTraces, Rollup } from './rollup.ts'
import { stepSpeed } from './speed.ts'

const hourMasks = openBits.hour | openBits.hourSender
const clearOf: Readonly<Record<Unit, number>> = {
  hour: hourMasks,
  day: openBits.day | openBits.daySender,
  week: openBits.week | openBits.weekSender,
  month: openBits.month | openBits.monthSender,
}
const activeBits = [openBits.hour, openBits.day, openBits.week, openBits.month] as const
const senderBits = [
  openBits.hourSender,
  openBits.daySender,
  openBits.weekSender,
  openBits.monthSender,
] as const

/** Loads the counts of a chain as of its last commit. */
export async function openRollup(reader: Reader): Promise<Rollup> {
  const flags = addressFlags()
  const ever = new EverSeen()
  const state = await loadRollup(reader, flags, ever)
  const counter = new ChainCounter(state, flags, ever)
  return {
    blocks: async (writer, batch, ids) => {
      counter.count(batch, ids)
      await counter.save(writer)
    },
    traces: async (writer, batch, ids, timestamps) => {
      counter.countTraces(batch, ids, timestamps)
      await counter.saveTraces(writer)
    },
  }
}

/** Lives as long as the chain's writer; all that must survive is in the store. */
class ChainCounter {
  readonly #state: RollupState
  readonly #flags: AddressFlags
  readonly #ever: EverSeen
  readonly #byReceipts: DeployCount
  readonly #byTraces: DeployCount

  constructor(state: RollupState, flags: AddressFlags, ever: EverSeen) {
    this.#state = state
    this.#flags = flags
    this.#ever = ever
    this.#byReceipts = new DeployCount(0, flags, ever, state.deploys[0])
    this.#byTraces = new DeployCount(1, flags, ever, state.deploys[1])
  }

  count(batch: CountedBlocks, ids: AddressIds): void {
    reserve(this.#flags, highestOf(ids))
    const { blocks, transfers } = batch
    let tx = 0
    let transfer = 0
    for (let block = 0; block < blocks.count; block++) {
      const seconds = f64At(blocks.timestamp, block)
      // Many genesis blocks carry time 0: they hold no transactions and belong to no day.
      if (seconds === 0 && batch.from + block === 0) continue
      this.#enter(seconds)
      this.#header(batch, block)
      const last = tx + u32At(blocks.txCount, block)
      for (; tx < last; tx++) this.#transaction(batch, tx, ids, seconds)
      for (; transfer < transfers.count && u32At(transfers.tx, transfer) < last; transfer++) {
        if (standardOf(u8At(transfers.kind, transfer)) === 0) continue
        this.#touch(f64At(ids, u32At(transfers.from, transfer)), true)
        this.#touch(f64At(ids, u32At(transfers.to, transfer)), false)
      }
    }
  }

  countTraces(batch: CountedTraces, ids: AddressIds, timestamps: ArrayLike<number>): void {
    reserve(this.#flags, highestOf(ids))
    const { frames } = batch
    for (let row = 0; row < frames.count; row++) {
      const kind = frames.kind[row]
      const creates =
        kind === frameKinds.create || kind === frameKinds.create2 || kind === frameKinds.create3
      if (!creates || frames.reverted[row] === 1) continue
      const seconds = itemAt(timestamps, u32At(frames.block, row))
      this.#byTraces.add(periodStart('day', seconds), f64At(ids, u32At(frames.from, row)))
    }
  }

  async save(writer: Writer): Promise<void> {
    await saveRollup(writer, this.#state, hourMembers(this.#flags.open, this.#state.hourMembers))
    await this.#byReceipts.save(writer)
    await this.#ever.save(writer)
  }

  async saveTraces(writer: Writer): Promise<void> {
    await this.#byTraces.save(writer)
    await this.#ever.save(writer)
  }

  /** Opens the periods that hold `seconds`. Time never goes back on these chains. */
  #enter(seconds: number): void {
    const state = this.#state
    if (seconds < state.nextHour) return
    const hour = periodStart('hour', seconds)
    state.nextHour = hour + 3_600
    for (const [at, unit] of unitNames.entries()) {
      const start = periodStart(unit, seconds)
      const open = state.open[at]
      if (open !== undefined && open.start === start) continue
      if (unit === 'hour') this.#leaveHour()
      else clearBits(this.#flags.open, clearOf[unit])
      if (open !== undefined) state.closed.push(open)
      state.open[at] = emptyPeriod(unit, start)
      if (unit === 'day') {
        if (state.day !== undefined) state.closedDays.push(state.day)
        state.day = newDay(start)
      }
    }
  }

  #leaveHour(): void {
    const state = this.#state
    const hour = state.open[0]
    if (hour !== undefined) {
      state.closedHours.push({
        start: hour.start,
        members: hourMembers(this.#flags.open, state.hourMembers),
      })
    }
    const open = this.#flags.open
    for (const id of state.hourMembers) open[id] = u8At(open, id) & ~hourMasks
    state.hourMembers = []
  }

  #header(batch: CountedBlocks, block: number): void {
    const state = this.#state
    const { blocks } = batch
    const seconds = f64At(blocks.timestamp, block)
    const timestampMs = f64At(blocks.timestampMs, block)
    const tx = u32At(blocks.txCount, block)
    const gas = f64At(blocks.gasUsed, block)
    const height = batch.from + block
    const elapsed = stepSpeed(state.speed, { height, timestamp: seconds, timestampMs, tx, gas })
    const day = state.day
    if (day === undefined) return
    if (state.firstMs < 0) state.firstMs = timestampMs >= 0 ? timestampMs : seconds * 1_000
    day.lastMs = timestampMs >= 0 ? timestampMs : seconds * 1_000
    if (elapsed === 0) return
    if (state.speed.tx / elapsed > ratio(day.topTx, day.topTxMs)) {
      day.topTx = state.speed.tx
      day.topTxMs = elapsed
    }
    if (state.speed.gas / elapsed > ratio(day.topGas, day.topGasMs)) {
      day.topGas = state.speed.gas
      day.topGasMs = elapsed
    }
  }

  #transaction(batch: CountedBlocks, tx: number, ids: AddressIds, seconds: number): void {
    const { txs } = batch
    const gas = f64At(txs.gasUsed, tx)
    for (const open of this.#state.open) {
      open.txCount++
      open.gasUsed += gas
    }
    this.#price(batch, tx, gas)
    const from = f64At(ids, u32At(txs.from, tx))
    this.#touch(from, true)
    const to = u32At(txs.to, tx)
    if (to !== noAddress) this.#touch(f64At(ids, to), false)
    else if (txs.status[tx] === 1) this.#byReceipts.add(periodStart('day', seconds), from)
  }

  #price(batch: CountedBlocks, tx: number, gas: number): void {
    const day = this.#state.day
    if (day === undefined) return
    const { gasPrice } = batch.txs
    const offset = u32At(gasPrice.offset, tx)
    const length = u32At(gasPrice.length, tx)
    if (length > 6) {
      // Beyond 2^48 wei a gas: as good as never, but exact all the same.
      const price = toBigint(batch.arena.subarray(offset, offset + length))
      day.priceSum.high += price
      day.fees.high += price * BigInt(gas)
      if (price > day.priceMax) day.priceMax = price
      return
    }
    let price = 0
    for (let at = offset; at < offset + length; at++) price = price * 256 + u8At(batch.arena, at)
    addNumber(day.priceSum, price)
    addProduct(day.fees, price, gas)
    if (price > day.topPrice) {
      day.topPrice = price
      if (BigInt(price) > day.priceMax) day.priceMax = BigInt(price)
    }
  }

  #touch(id: number, sends: boolean): void {
    const bytes = this.#flags.open
    const bits = u8At(bytes, id)
    const wanted = sends ? hourMasks : openBits.hour
    // An address in the set of the hour is in the set of every longer period, too.
    if ((bits & wanted) === wanted) return
    this.#firstTouch(id, sends, bits)
  }

  #firstTouch(id: number, sends: boolean, bits: number): void {
    const state = this.#state
    let now = bits
    for (let at = 0; at < 4; at++) {
      const open: OpenPeriod | undefined = state.open[at]
      const active = itemAt(activeBits, at)
      const sender = itemAt(senderBits, at)
      if (open === undefined) continue
      if ((bits & active) === 0) {
        open.activeAddresses++
        now |= active
      }
      if (sends && (bits & sender) === 0) {
        open.activeSenders++
        now |= sender
      }
    }
    if ((bits & openBits.hour) === 0) state.hourMembers.push(id)
    this.#flags.open[id] = now
    const ever = u8At(this.#flags.ever, id)
    if ((ever & everBits.active) !== 0) return
    this.#flags.ever[id] = ever | everBits.active
    this.#ever.add(0, id)
    if (state.day !== undefined) state.day.newAddresses++
  }
}

function newDay(start: number): OpenDay {
  return {
    start,
    lastMs: start * 1_000,
    priceSum: { low: 0, high: 0n },
    priceMax: 0n,
    topPrice: 0,
    fees: { low: 0, high: 0n },
    topTx: 0,
    topTxMs: 0,
    topGas: 0,
    topGasMs: 0,
    newAddresses: 0,
  }
}

function ratio(amount: number, ms: number): number {
  return ms === 0 ? -1 : amount / ms
}

function highestOf(ids: AddressIds): number {
  let highest = 0
  for (let at = 0; at < ids.length; at++) if (f64At(ids, at) > highest) highest = f64At(ids, at)
  return highest
}

// Reading 16 flags takes no longer than sorting one id among tens of thousands.
const denseHour = 16

/**
 * Members of the open hour, ascending, in the form of `member-list.ts`.
 *
 * `ids` are the distinct ids whose flags in `open` have the hour's bit, in any order. Where they
 * are many of all ids they are read off the flags, which takes a seventh of the time to sort them.
 */
export function hourMembers(open: Uint8Array, ids: readonly number[]): Float64Array {
  const members =
    open.length <= ids.length * denseHour ? idsInHour(open, ids.length) : sortedIds(ids)
  for (let at = 0; at < members.length; at++) {
    const id = f64At(members, at)
    members[at] = id * 2 + ((u8At(open, id) & openBits.hourSender) === 0 ? 0 : 1)
  }
  return members
}

function sortedIds(ids: readonly number[]): Float64Array {
  return Float64Array.from(ids).sort()
}

function idsInHour(open: Uint8Array, count: number): Float64Array {
  const ids = new Float64Array(count)
  let found = 0
  for (let id = 0; found < count && id < open.length; id++)
    if ((u8At(open, id) & openBits.hour) !== 0) ids[found++] = id
  return ids
}
