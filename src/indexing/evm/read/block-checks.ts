/**
 * True when blocks are what their headers say, and their headers what their hashes say.
 *
 * Receipts: the root in the header, always. Beside them:
 *
 * - `header`: its RLP hashes to the hash of the block. Then nothing in it was altered.
 * - `transactions`: the root in the header, and each transaction's hash.
 * - `bloom`: the filter over the logs, where the header is not proven; in one that is, it cannot be
 *   wrong.
 *
 * Not every chain keeps to what we know: headers get fields with upgrades, transactions get types,
 * and chains made up for tests have made-up hashes. An honest node must not be accused of that, so
 * each check has to hold once before a failure of it counts: for headers once per form, which is
 * the set of fields it has, because an upgrade shows as another set. What held and then does not is
 * the endpoint's fault. What never held is not known: endpoints that may know better are tried
 * first, and when none does, the block is taken without this check, which is counted and logged
 * once. In a header that is proven, though, the transactions root is what the chain says, and
 * transactions that contradict it are a fault from the first block on. Genesis decides nothing:
 * files make it, and the one of anvil has fields that its hash does not.
 *
 * Results last as long as the process. A fault is `node-answer`, as for receipts: the
 * endpoint is blamed and another one used.
 */

import { checkReceipts, compareBloom } from '../../../codec/evm/proof/check-receipts.ts'
import { compareHeader, HeaderForms, unknownFields } from '../../../codec/evm/proof/header-hash.ts'
import { compareTransactions } from '../../../codec/evm/proof/transactions-root.ts'
import type { RawUnit } from '../../../codec/evm/raw.ts'
import { Fault } from '../../../core/fault.ts'
import type { EndpointStatus, EvmSource } from '../../../source/evm-source.ts'
import { type Log, silentLog } from '../../../telemetry/log.ts'

/** Checks that may be impossible; the label of a counter. */
export type CheckName = 'header' | 'transactions' | 'bloom'

/** Blocks that were taken without a check, by its name. */
export type Unchecked = Readonly<Record<CheckName, number>>

/**
 * Result of checking a block: its hash proves it, it was taken without a proof, or it contradicts
 * itself.
 */
export type Verdict = 'proven' | 'taken' | 'refuted'

/** A block, and the endpoint that gave it. */
type OriginBlock = { readonly unit: RawUnit; readonly height: number; readonly origin: string }

/** Result of one check, or for headers of one form. */
type Knowledge = {
  readonly name: CheckName
  /** `open`: not known yet, endpoints are compared; `unknown`: none knew better. */
  state: 'open' | 'holds' | 'unknown'
  logged: boolean
  /** Endpoints whose blocks failed while `open`. */
  readonly failed: Set<string>
  /** Number of refusals of a block while it was requested, by its height. */
  readonly refusals: Map<number, number>
}

/** Blocks at the start that are looked at beyond the samples, until one header is proven. */
const firstBlocks = 16

/**
 * Refusals of one block while `open`. The pool turns to another endpoint after each; one that lags
 * or fails must not hold a chain for long.
 */
const maxRefusals = 4

/** Heights that failed and are not proven yet; with more, every block is checked. */
const maxDoubted = 4_096

/** Forms of headers that are kept in mind; a chain has one for each of a few upgrades. */
const maxForms = 64

/** Checks of every block that is read from `source`. */
export function checksOfEvery(
  source: Pick<EvmSource, 'endpoints'>,
  log: Log = silentLog,
): BlockChecks {
  return new BlockChecks({ log, endpoints: () => source.endpoints(), checkEvery: 1 })
}

/** Checks blocks of one chain. */
export class BlockChecks {
  readonly #endpoints: () => readonly EndpointStatus[]
  readonly #log: Log
  readonly #checkEvery: number
  readonly #headerForms = new HeaderForms()
  readonly #forms = new Map<string, Knowledge>()
  readonly #transactions = unknownYet('transactions')
  readonly #bloom = unknownYet('bloom')
  readonly #unchecked: Record<CheckName, number> = { header: 0, transactions: 0, bloom: 0 }
  /** Heights whose block failed: checked again, wherever the head is by then. */
  readonly #doubted = new Set<number>()
  #headers = 0
  #proven = 0
  #unverified: string | undefined
  #firstUnproven = Number.POSITIVE_INFINITY

  /** `checkEvery`: far behind the head one block in this many is checked; 1: every one. */
  constructor(parts: {
    readonly log: Log
    readonly endpoints: () => readonly EndpointStatus[]
    readonly checkEvery: number
  }) {
    this.#log = parts.log
    this.#checkEvery = parts.checkEvery
    this.#endpoints = parts.endpoints
  }

  /**
   * Returns whether to check the block at `height`: each one, or where the operator wants samples
   * those, the newest ones, where an earlier answer failed, and at first, to find out what headers
   * of this chain are.
   */
  wants(height: number, atHead: boolean): boolean {
    if (atHead || height % this.#checkEvery === 0 || this.#doubted.has(height)) return true
    if (this.#doubted.size >= maxDoubted) return true
    return this.#proven === 0 && this.#headers < firstBlocks
  }

  /** Why blocks of this chain are taken that are not proven; undefined when none was. */
  unverified(): string | undefined {
    return this.#unverified
  }

  /** The last height up to `height` before the first block that was taken unproven. */
  provenUntil(height: number): number {
    return Math.min(height, this.#firstUnproven - 1)
  }

  /** Blocks taken without a check so far. */
  unchecked(): Unchecked {
    return { ...this.#unchecked }
  }

  /**
   * The blocks from height `from` on before the first that fails; those that `wants` names are
   * checked, and `judged` is called for each. Throws the fault of the first one, `node-answer`.
   */
  checkAll(
    units: readonly RawUnit[],
    of: {
      readonly from: number
      readonly origin: string
      readonly wants: (height: number) => boolean
      readonly judged?: (height: number, verdict: Verdict) => void
    },
  ): readonly RawUnit[] {
    for (const [at, unit] of units.entries()) {
      const height = of.from + at
      if (!of.wants(height)) {
        this.#firstUnproven = Math.min(this.#firstUnproven, height)
        of.judged?.(height, 'taken')
        continue
      }
      try {
        // Not an optional call: that would skip its argument, and the check with it.
        const isProven = this.check(unit, height, of.origin)
        of.judged?.(height, isProven ? 'proven' : 'taken')
      } catch (error) {
        of.judged?.(height, 'refuted')
        // The blocks before it took long to read: the caller keeps them, requests the rest again
        // and meets the fault then.
        if (at > 0 && error instanceof Fault) return units.slice(0, at)
        throw error
      }
    }
    return units
  }

  /** Checks one block. Returns whether its hash proves all of it. Throws `node-answer`. */
  check(unit: RawUnit, height: number, origin: string): boolean {
    const given: OriginBlock = { unit, height, origin }
    if (this.#doubted.size < maxDoubted) this.#doubted.add(height)
    checkReceipts(unit, height)
    const proven = height > 0 && this.#checkHeader(given)
    const whole = this.#checkTransactions(given, proven)
    if (!proven) {
      const outcome = compareBloom(given.unit)
      if (outcome === 'hold') this.#held(this.#bloom, given)
      if (outcome === 'broken') this.#failed(this.#bloom, given, { reason: 'another bloom' })
    }
    this.#doubted.delete(height)
    return proven && whole
  }

  /** Blocks from height `from` on are read again: what was recorded of them is void. */
  forget(from: number): void {
    if (from > this.#firstUnproven) return
    this.#firstUnproven = Number.POSITIVE_INFINITY
    this.#unverified = undefined
  }

  /** Where blocks were first taken unproven, as an earlier run recorded. */
  restore(firstUnproven: number, unverified: string | undefined): void {
    this.#firstUnproven = Math.min(this.#firstUnproven, firstUnproven)
    this.#unverified ??= unverified
  }

  /** First height that was taken unproven; undefined while there is none. */
  get firstUnproven(): number | undefined {
    return Number.isFinite(this.#firstUnproven) ? this.#firstUnproven : undefined
  }

  #checkHeader(given: OriginBlock): boolean {
    const { block } = given.unit
    const form = this.#formOf(this.#headerForms.of(block))
    this.#headers++
    if (compareHeader(block) === 'hold') {
      this.#proven++
      this.#held(form, given)
      return true
    }
    this.#failed(form, given, { unknownFields: unknownFields(block).join(' ') })
    return false
  }

  /** Returns whether the transactions are those of the header. */
  #checkTransactions(given: OriginBlock, proven: boolean): boolean {
    const outcome = compareTransactions(given.unit.block)
    if (outcome === 'none') return true
    if (outcome === 'hold') this.#held(this.#transactions, given)
    else if (outcome !== 'broken')
      this.#pass(this.#transactions, given, { reason: outcome.unknown })
    else if (proven) throw broken(this.#transactions, given)
    else this.#failed(this.#transactions, given, { reason: 'another root' })
    return outcome === 'hold'
  }

  #formOf(name: string): Knowledge {
    const known = this.#forms.get(name)
    if (known !== undefined) return known
    if (this.#forms.size >= maxForms)
      throw new Fault(
        'node-answer',
        `headers have more forms than Firn knows a chain to have: ${maxForms}`,
      )
    const fresh = unknownYet('header')
    this.#forms.set(name, fresh)
    return fresh
  }

  #held(what: Knowledge, { height }: OriginBlock): void {
    if (what.state === 'unknown') this.#log.info('blocks are checked', { check: what.name, height })
    what.state = 'holds'
    what.refusals.clear()
  }

  /** Throws, turns to another endpoint, or takes the block unchecked. */
  #failed(what: Knowledge, given: OriginBlock, why: Readonly<Record<string, string>>): void {
    if (what.state === 'holds' || this.#triesOthers(what, given)) throw broken(what, given)
    what.state = 'unknown'
    what.refusals.clear()
    this.#pass(what, given, why)
  }

  /**
   * Returns whether another endpoint, none of whose blocks has failed yet, is to be used for this
   * one.
   */
  #triesOthers(what: Knowledge, { height, origin }: OriginBlock): boolean {
    if (what.state === 'unknown') return false
    what.failed.add(origin)
    const refusals = (what.refusals.get(height) ?? 0) + 1
    what.refusals.set(height, refusals)
    return (
      refusals <= maxRefusals &&
      this.#endpoints().some(({ name, state }) => state === 'up' && !what.failed.has(name))
    )
  }

  #pass(what: Knowledge, { height }: OriginBlock, why: Readonly<Record<string, string>>): void {
    this.#unchecked[what.name]++
    this.#firstUnproven = Math.min(this.#firstUnproven, height)
    this.#unverified = `${unverifiedOf[what.name]}, since height ${this.#firstUnproven}`
    if (what.logged) return
    what.logged = true
    this.#log.warn('blocks are not checked', { check: what.name, height, ...why })
  }
}

function unknownYet(name: CheckName): Knowledge {
  return { name, state: 'open', logged: false, failed: new Set(), refusals: new Map() }
}

const faultOfCheck = {
  header: 'header does not have the hash of its block',
  transactions: 'transactions are not those of the header',
  bloom: 'logs are not those of the bloom in the header',
} as const satisfies Record<CheckName, string>

const unverifiedOf = {
  header: 'headers are not made in a way that is known',
  transactions: 'some transactions are of a form that is not known',
  bloom: 'headers are not made in a way that is known',
} as const satisfies Record<CheckName, string>

function broken({ name }: Knowledge, { height }: OriginBlock): Fault {
  return new Fault('node-answer', `${faultOfCheck[name]} at height ${height}`, {
    detail: { height },
  })
}
