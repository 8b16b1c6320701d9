/**
 * Compares a history that came from a snapshot with this process's own node, beside the chain's writer.
 *
 * Nothing of a copy is believed: checksums and names say that it arrived as it was sent, not that it is
 * true. A sample of blocks finds what was altered with a known chance; where all were compared, segments must
 * follow from their own blocks. What is no segment is made again at once. How far it came is committed, so a killed process goes on; a difference is committed too, and ends the chain's
 * indexing here until its store is replaced.
 */

import { toHex } from '../../../core/bytes.ts'
import { assert, Fault, faultOf } from '../../../core/fault.ts'
import { growingPause } from '../../../core/waiting.ts'
import type { Clock, World } from '../../../core/world.ts'
import type { EvmSource, HeightRange } from '../../../source/evm-source.ts'
import {
  type CopiedCheck,
  copiedHistory,
  type CopiedHistory,
  cutCopied,
  forgetCopied,
  writeCopied,
} from '../../../store/copied-history.ts'
import type { Database, Writer } from '../../../store/engine/database.ts'
import { frozenUntil, readManifest } from '../../../store/history/manifest.ts'
import { holdLease, type Lease } from '../../../store/lease.ts'
import { storedHeights } from '../../../store/query/evm/heights.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { StageStatus, Stream } from '../../stream/stage.ts'
import type { BlockChecks } from '../read/block-checks.ts'
import { readAgain } from '../repair/repair-chain.ts'
import { compareUnits } from './compare-blocks.ts'
import { copiedStage, copiedStageName } from './copied-stage.ts'
import { differs } from './difference.ts'
import { compareWithOwnBlocks } from './own-blocks.ts'
import { nextUnits, type Unit } from './units-to-compare.ts'

/** Reads of a node under way at once. */
const unitsAtOnce = 8
/** Pauses after faults that may pass. */
const pauses = { firstMs: 1_000, longestMs: 60_000 }
/** Longest pause after some blocks: half of the thread's time is for others. */
const longestTurnMs = 250
const seedBytes = 16

/** Parts of the check. */
export type CopiedCheckParts = {
  readonly database: Database
  readonly source: EvmSource
  readonly checks: BlockChecks
  readonly world: Pick<World, 'clock' | 'random'>
  readonly log: Log
  /** Share of the blocks that is compared, percent, 0 to 100. */
  readonly percent: number
  /** First height of the chain as it is indexed here. */
  readonly startHeight: number
  /** Folder in which a temporary store may lie. */
  readonly dataDir: string
  /** Does work in one transaction, under the lease. */
  readonly commit: <T>(work: (writer: Writer) => Promise<T>) => Promise<T>
}

/** The check of one chain's copied history. */
export class CopiedHistoryCheck {
  readonly #parts: CopiedCheckParts
  /** As it is committed; absent once all of it was compared. */
  #copied: CopiedHistory | undefined
  #status: StageStatus
  readonly stream: Stream

  /** `copied` is what the store says of itself. */
  constructor(parts: CopiedCheckParts, copied: CopiedHistory) {
    this.#parts = parts
    this.#copied = copied
    this.#status = copiedStage(copied)
    this.stream = {
      name: copiedStageName,
      status: () => this.#status,
      run: (signal) => this.#run(signal),
    }
  }

  /** Throws `source-mismatch` once a difference was found: nothing is written after it. */
  checkUsable(): void {
    checkNotRefused(this.#copied)
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { log, world } = this.#parts
    for (let failures = 0; !signal.aborted;) {
      const began = world.clock.monotonic()
      let pauseMs: number
      try {
        if (!(await this.#step(signal))) return
        failures = 0
        pauseMs = Math.min(longestTurnMs, world.clock.monotonic() - began)
      } catch (error) {
        if (signal.aborted) return
        const refusal = refusalOf(error)
        if (refusal !== undefined && (await this.#refuse(refusal, error))) return
        const reason = faultOf(error)?.message ?? String(error)
        log.warn('copied blocks were not compared yet', { reason })
        this.#status = { ...this.#status, reason }
        pauseMs = growingPause(failures++, pauses)
        // Another process may have committed more meanwhile.
        await this.#read()
      }
      await world.clock.sleep(pauseMs, signal).catch((reason: unknown) => {
        if (!signal.aborted) throw reason
      })
    }
  }

  /** Compares some blocks; returns false once nothing is left to do. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const copied = await this.#current()
    if (copied === undefined || copied.refused !== undefined) return false
    checkBeginning(copied, this.#parts.startHeight)
    const check = copied.check ?? (await this.#begin(copied))
    if (this.#wantsOther(check)) {
      await this.#begin(copied)
      return true
    }
    if (check.isDone) return false
    const traced = await this.#traced(copied)
    const blocks = Math.max(1, this.#parts.source.unitBlocks())
    const units = nextUnits(copied, check, { blocks, units: unitsAtOnce, traced })
    if (units.length === 0) {
      await this.#end(copied, check, signal)
      return false
    }
    await this.#compare({ copied, check, units }, signal)
    return true
  }

  /** The history as it is now: an end that proved wrong may have been taken away. */
  async #current(): Promise<CopiedHistory | undefined> {
    const copied = this.#copied
    if (copied === undefined) return undefined
    const { blocks } = await storedHeights(this.#parts.database)
    const left = cutCopied(copied, blocks + 1)
    if (left !== copied) await this.#write(left)
    return left
  }

  /** Returns whether another share is to be compared; a check that is done stands unless that is more. */
  #wantsOther({ percent, isDone }: CopiedCheck): boolean {
    const wanted = this.#parts.percent
    return isDone ? wanted > percent : wanted !== percent
  }

  /** Begins a check; what was confirmed before stays so. */
  async #begin(copied: CopiedHistory): Promise<CopiedCheck> {
    const { percent, world } = this.#parts
    const check: CopiedCheck = {
      percent,
      seed: toHex(world.random.bytes(seedBytes)),
      next: copied.from,
      compared: 0,
      isDone: percent === 0,
    }
    const confirmed = Math.max(copied.confirmed, copied.check?.compared ?? 0)
    await this.#write({ ...copied, confirmed, check })
    return check
  }

  async #traced({ from, tracedUntil }: CopiedHistory): Promise<HeightRange> {
    const { traces, tracesSince } = await storedHeights(this.#parts.database)
    return {
      from: Math.max(from, tracesSince ?? from),
      until: Math.min(tracedUntil, traces + 1),
    }
  }

  async #compare(
    of: {
      readonly copied: CopiedHistory
      readonly check: CopiedCheck
      readonly units: readonly Unit[]
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { copied, units } = of
    let { check } = of
    let without = copied.without
    const asked = units.map((unit) => ({ ...unit, isFirst: unit.from === copied.from }))
    for (const compared of await compareUnits(this.#parts, asked, signal)) {
      const { from: first, until } = compared
      check = { ...check, next: until, compared: check.compared + until - first }
      without ??= compared.withoutTraces && `internal transactions: ${compared.withoutTraces}`
    }
    await this.#write({ ...copied, check, without })
  }

  /** Ends a check whose blocks were all compared; of a whole history segments must say what their blocks do. */
  async #end(copied: CopiedHistory, check: CopiedCheck, signal: AbortSignal): Promise<void> {
    const { log, world } = this.#parts
    const { from, until, without } = copied
    const pause = (): Promise<void> => world.clock.sleep(1, signal)
    const isWhole = check.compared === until - from
    if (isWhole) await compareWithOwnBlocks({ ...this.#parts, pause, signal }, until)
    const isOver = isWhole && without === undefined
    const done = { ...copied, check: { ...check, next: until, isDone: true } }
    await this.#write(isOver ? undefined : done)
    log.info('the copied history is that of the chain', { from, until, compared: check.compared })
  }

  /** Commits that the copy is not that of the chain; returns false where that has to wait. */
  async #refuse(refused: string, error: unknown): Promise<boolean> {
    const { log } = this.#parts
    const copied = this.#copied
    assert(copied !== undefined, 'only a copied history is compared')
    log.error('the copied history is refused', { reason: refused, ...faultOf(error)?.detail })
    try {
      await this.#write({ ...copied, refused })
      return true
    } catch (failure) {
      if (faultOf(failure)?.retryable !== true) throw failure
      return false
    }
  }

  async #write(copied: CopiedHistory | undefined): Promise<void> {
    await this.#parts.commit((writer) => noted(writer, copied))
    this.#set(copied)
  }

  async #read(): Promise<void> {
    try {
      this.#set(await copiedHistory(this.#parts.database))
    } catch (error) {
      // The next step throws it again.
      if (faultOf(error) === undefined) throw error
    }
  }

  #set(copied: CopiedHistory | undefined): void {
    const { reason: _passed, ...last } = this.#status
    this.#copied = copied
    this.#status =
      copied === undefined
        ? { ...last, state: 'live', indexedHeight: last.headHeight }
        : copiedStage(copied)
  }
}

function noted(writer: Writer, copied: CopiedHistory | undefined): Promise<void> {
  return copied === undefined ? forgetCopied(writer) : writeCopied(writer, copied)
}

/**
 * Takes from a copied history that is to be compared all but its segments and numbers of addresses, before
 * it is compared first: no name vouches for the rest. Returns what is left. Throws `lease-lost`, `store-*`.
 *
 * Cost: all transfers and kept logs in segments are read once.
 */
export async function onlySegments(
  database: Database,
  copied: CopiedHistory,
  of: { readonly lease: Lease; readonly clock: Clock },
): Promise<CopiedHistory | undefined> {
  if (copied.check !== undefined && copied.check.percent > 0) return copied
  const from = frozenUntil(await readManifest(database), 'blocks')
  const left = cutCopied(copied, from)
  await database.transaction(async (writer) => {
    await holdLease(writer, of.lease, of.clock)
    await readAgain(writer, { database, from, epoch: of.lease.epoch })
    await noted(writer, left)
  })
  return left
}

/** Throws `source-mismatch` for a history that was found to differ from that of the chain. */
export function checkNotRefused(copied: CopiedHistory | undefined): void {
  if (copied?.refused === undefined) return
  throw new Fault('source-mismatch', copied.refused)
}

/** Throws where the copy lacks the oldest blocks: nothing that is compared would show it. */
function checkBeginning({ from }: CopiedHistory, startHeight: number): void {
  if (from === startHeight) return
  throw differs(`it begins at height ${from}, the chain at ${startHeight}`, { table: 'block' })
}

/** Reason to refuse a history: a row that differs, or one that cannot be read. */
function refusalOf(error: unknown): string | undefined {
  const fault = faultOf(error)
  if (fault === undefined) return `the copied history cannot be read: ${String(error)}`
  const isDifference = fault.code === 'source-mismatch' && fault.detail['table'] !== undefined
  return isDifference ? fault.message : undefined
}
