/** Contracts and deployers by day, from one kind of evidence. */

import { u8At } from '../core/item-at.ts'
import type { Writer } from '../store/engine/database.ts'
import { rollupDeploys } from '../store/schema/metrics.ts'
import { clearBits, everBits, type AddressFlags } from './address-flags.ts'
import type { EverSeen } from './ever-seen.ts'
import { encodeMembers } from './member-list.ts'

/** A day of creations. */
export type DeployDay = {
  readonly start: number
  contracts: number
  newDeployers: number
  readonly members: number[]
}

/** Counts creations of source 0 (receipts) or 1 (traces), in the order of blocks. */
export class DeployCount {
  readonly #source: 0 | 1
  readonly #flags: AddressFlags
  readonly #ever: EverSeen
  readonly #everBit: number
  readonly #todayBit: number
  #day: DeployDay | undefined
  #closed: DeployDay[] = []

  constructor(source: 0 | 1, flags: AddressFlags, ever: EverSeen, day: DeployDay | undefined) {
    this.#source = source
    this.#flags = flags
    this.#ever = ever
    this.#day = day
    this.#everBit = source === 0 ? everBits.deployerByReceipts : everBits.deployerByTraces
    this.#todayBit =
      source === 0 ? everBits.deployedTodayByReceipts : everBits.deployedTodayByTraces
  }

  /** One contract created by `deployer` on the day that starts at `start`. */
  add(start: number, deployer: number): void {
    if (this.#day === undefined || this.#day.start !== start) {
      if (this.#day !== undefined) this.#closed.push(this.#day)
      clearBits(this.#flags.ever, this.#todayBit)
      this.#day = { start, contracts: 0, newDeployers: 0, members: [] }
    }
    const day = this.#day
    day.contracts++
    const bits = u8At(this.#flags.ever, deployer)
    if ((bits & this.#todayBit) !== 0) return
    day.members.push(deployer)
    if ((bits & this.#everBit) === 0) {
      day.newDeployers++
      this.#ever.add(this.#source === 0 ? 1 : 2, deployer)
    }
    this.#flags.ever[deployer] = bits | this.#todayBit | this.#everBit
  }

  /** Writes the days that changed. */
  async save(writer: Writer): Promise<void> {
    const days = this.#day === undefined ? this.#closed : [...this.#closed, this.#day]
    this.#closed = []
    await writer.upsert(rollupDeploys, {
      source: days.map(() => this.#source),
      start: days.map((day) => day.start),
      contracts: days.map((day) => day.contracts),
      deployers: days.map((day) => day.members.length),
      new_deployers: days.map((day) => day.newDeployers),
      members: days.map((day) => encodeMembers(day.members.toSorted((a, b) => a - b))),
    })
  }
}
