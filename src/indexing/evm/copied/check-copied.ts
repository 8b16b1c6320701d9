/**
 * Makes segments of a history that came from a snapshot again from this process's own node, beside the chain's
 * writer.
 *
 * Nothing of a copy is believed: checksums and names say that it arrived as it was sent, not that it is true. A
 * segment that a node's blocks make again is true, with its lists, balances and holders; a sample of segments
 * finds what was altered with a known chance. What is in no segment is read and made again at once. How far
 * it came is committed, so a killed process goes on; a difference is committed too, and ends the chain's indexing
 * here until its store is replaced.
 */

import { createHash } from 'node:crypto'
import { join } from 'node:path'

import { toHex } from '../../../core/bytes.ts'
import { assert, Fault, faultOf } from '../../../core/fault.ts'
import { growingPause } from '../../../core/waiting.ts'
import type { Clock, World } from '../../../core/world.ts'
import type { EvmSource } from '../../../source/evm-source.ts'
import {
  type CopiedCheck,
  copiedHistory,
  type CopiedHistory,
  cutCopied,
  forgetCopied,
  writeCopied,
} from '../../../store/copied-history.ts'
import type { Database, Writer } from '../../../store/engine/database.ts'
import { differingTable } from '../../../store/history/compare-segments.ts'
import { frozenUntil, type ManifestSegment, readManifest } from '../../../store/history/manifest.ts'
import { type Lease, underLease } from '../../../store/lease.ts'
import { storedHeights } from '../../../store/query/evm/heights.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { StageStatus, Stream } from '../../stream/stage.ts'
import type { BlockChecks } from '../read/block-checks.ts'
import { differs, fromNode, isDifference, withRemade } from '../repair/remake-segment.ts'
import { readAgain } from '../repair/repair-chain.ts'
import { copiedStage, copiedStageName } from './copied-stage.ts'

/** Pauses after faults that may pass. */
const pauses = { firstMs: 1_000, longestMs: 60_000 }
/** Longest pause after some blocks: half of the thread's time is left to others. */
const longestTurnMs = 250
const seedBytes = 16
const nothingCompared = { blocks: 0, traces: 0 }

/** The chain's side of the check. */
export type CopiedChain = {
  readonly database: Database
  readonly source: EvmSource
  readonly checks: BlockChecks
  readonly world: Pick<World, 'clock' | 'random'>
  readonly log: Log
  /** Share of the segments that is compared, percent, 0 to 100. */
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
  readonly #chain: CopiedChain
  /** As it is committed; absent once all of it was compared. */
  #copied: CopiedHistory | undefined
  #status: StageStatus
  readonly stream: Stream

  /** `copied` is what the store says of itself. */
  constructor(chain: CopiedChain, copied: CopiedHistory) {
    this.#chain = chain
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
    const { log, world } = this.#chain
    for (let failures = 0; !signal.aborted;)
      try {
        if (!(await this.#step(signal))) return
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        const refusal = refusalOf(error)
        if (refusal !== undefined && (await this.#refuse(refusal, error))) return
        const reason = faultOf(error)?.message ?? String(error)
        log.warn('copied segments were not compared yet', { reason })
        this.#status = { ...this.#status, reason }
        await world.clock.sleep(growingPause(failures++, pauses), signal).catch(unlessEnded(signal))
        // Another process may have committed more meanwhile.
        await this.#read()
      }
  }

  /** Compares a segment; returns false once nothing is left to do. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const copied = await this.#current()
    if (copied === undefined || copied.refused !== undefined) return false
    checkBeginning(copied, this.#chain.startHeight)
    const check = copied.check ?? (await this.#begin(copied))
    if (this.#wantsOther(check)) {
      await this.#begin(copied)
      return true
    }
    if (check.isDone) return false
    const [segment] = segmentsToCompare(await this.#segments(copied), check)
    if (segment === undefined) await this.#end(copied, check)
    else await this.#compare({ copied, check, segment }, signal)
    return segment !== undefined
  }

  /** The history as it is now: an end that proved wrong may have been removed. */
  async #current(): Promise<CopiedHistory | undefined> {
    const copied = this.#copied
    if (copied === undefined) return undefined
    const { blocks } = await storedHeights(this.#chain.database)
    const left = cutCopied(copied, blocks + 1)
    if (left !== copied) await this.#write(left)
    return left
  }

  /** Segments that hold copied blocks, in the order in which they were made. */
  async #segments({ until }: CopiedHistory): Promise<readonly ManifestSegment[]> {
    const { segments } = await readManifest(this.#chain.database)
    return segments.filter(({ from }) => from < until)
  }

  /** Returns whether another share is to be compared; a check that is done stands unless that is more. */
  #wantsOther({ percent, isDone }: CopiedCheck): boolean {
    const wanted = this.#chain.percent
    return isDone ? wanted > percent : wanted !== percent
  }

  /** Begins a check; what was confirmed before stays confirmed. */
  async #begin(copied: CopiedHistory): Promise<CopiedCheck> {
    const { percent, world } = this.#chain
    const check: CopiedCheck = {
      percent,
      seed: toHex(world.random.bytes(seedBytes)),
      next: nothingCompared,
      compared: 0,
      isDone: percent === 0,
    }
    const confirmed = Math.max(copied.confirmed, copied.check?.compared ?? 0)
    await this.#write({ ...copied, confirmed, check })
    return check
  }

  /** Compares one segment; its rows of blocks above the copy were read here. */
  async #compare(
    of: {
      readonly copied: CopiedHistory
      readonly check: CopiedCheck
      readonly segment: ManifestSegment
    },
    signal: AbortSignal,
  ): Promise<void> {
    const { copied, check, segment } = of
    const { stage, from } = segment
    const until = Math.min(segment.until, copied.until)
    const without = (await this.#isRemade(segment, signal))
      ? copied.without
      : 'internal transactions: the node serves no traces'
    const blocks = stage === 'blocks' ? until - Math.max(from, check.next.blocks) : 0
    const next = { ...check.next, [stage]: until }
    const compared = check.compared + blocks
    await this.#write({ ...copied, check: { ...check, next, compared }, without })
  }

  /**
   * Makes a segment again from the blocks of one endpoint after the other: a difference is believed
   * once no endpoint's blocks make that segment. Returns false where none serves its traces. Throws
   * `source-mismatch` where the segment differs.
   */
  async #isRemade(segment: ManifestSegment, signal: AbortSignal): Promise<boolean> {
    const { source, database } = this.#chain
    const names = source.endpoints().map(({ name }) => name)
    const differing: string[] = []
    let difference = ''
    for (const name of names.length === 0 ? [''] : names)
      try {
        const others = names.filter((each) => each !== name)
        await this.#compareOnce(segment, others, signal)
        for (const each of differing) source.doubt(each, 'gave other blocks than another endpoint')
        return true
      } catch (error) {
        const code = faultOf(error)?.code
        if (segment.stage === 'traces' && (code === 'node-refused' || code === 'not-served'))
          return false
        if (!isDifference(error)) throw error
        difference = error.message
        differing.push(name)
      }
    const { segments } = await readManifest(database)
    // Merged or taken back into tables meanwhile: what it became is compared next.
    if (!segments.some(({ name }) => name === segment.name))
      throw new Fault('not-ready', 'a segment was merged while it was compared')
    const { name, stage, from, until } = segment
    throw otherChain(`segment ${name} of ${stage} ${from} to ${until - 1}: ${difference}`)
  }

  async #compareOnce(
    segment: ManifestSegment,
    otherThan: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { database, source, checks, dataDir, world } = this.#chain
    const traced = segment.stage === 'traces' ? segment : { from: 0, until: 0 }
    const read = fromNode({ source, checks, traced, otherThan, signal })
    const slowly: typeof read = async (range) => {
      const began = world.clock.monotonic()
      const blocks = await read(range)
      const pauseMs = Math.min(longestTurnMs, world.clock.monotonic() - began)
      await world.clock.sleep(pauseMs, signal)
      return blocks
    }
    const folder = join(dataDir, `copied-check-${database.name}`)
    const history = database.history
    assert(history !== undefined, 'a store with segments has a history')
    await withRemade({ database, folder, read: slowly, signal }, segment, async (made) => {
      if (made.name === segment.name) return
      const paths = { copied: await history.obtain(segment), made: made.path }
      const table = differingTable(paths, history.schemaOf(segment.stage).tables)
      if (table !== undefined)
        throw differs(`rows of ${table} are not those that the node's blocks make`)
    })
  }

  /** Ends a check whose segments were all compared. */
  async #end(copied: CopiedHistory, check: CopiedCheck): Promise<void> {
    const { from, until, without } = copied
    const isOver = check.compared === until - from && without === undefined
    await this.#write(isOver ? undefined : { ...copied, check: { ...check, isDone: true } })
    const { compared } = check
    this.#chain.log.info('the copied history is that of the chain', { from, until, compared })
  }

  /** Commits that the copy is not the chain's history; returns false where that has to wait. */
  async #refuse(refused: string, error: unknown): Promise<boolean> {
    const copied = this.#copied
    assert(copied !== undefined, 'only a copied history is compared')
    const detail = faultOf(error)?.detail
    this.#chain.log.error('the copied history is refused', { reason: refused, ...detail })
    try {
      await this.#write({ ...copied, refused })
      return true
    } catch (failure) {
      if (faultOf(failure)?.retryable !== true) throw failure
      return false
    }
  }

  async #write(copied: CopiedHistory | undefined): Promise<void> {
    await this.#chain.commit((writer) => noted(writer, copied))
    this.#set(copied)
  }

  async #read(): Promise<void> {
    try {
      this.#set(await copiedHistory(this.#chain.database))
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

/**
 * Those of `segments` that a check has still to compare. Each is drawn with the same chance, and at
 * least one of each stage is compared. The choice follows from the seed, which the maker of the
 * copy did not know.
 */
export function segmentsToCompare<S extends Pick<ManifestSegment, 'stage' | 'from' | 'until'>>(
  segments: readonly S[],
  { percent, seed, next }: Pick<CopiedCheck, 'percent' | 'seed' | 'next'>,
): readonly S[] {
  const lot = ({ stage, from }: S): number =>
    createHash('sha256').update(`${seed} ${stage} ${from}`).digest().readUIntBE(0, 6) / 2 ** 48
  const least = new Map<string, number>()
  for (const each of segments)
    least.set(each.stage, Math.min(least.get(each.stage) ?? 1, lot(each)))
  return segments.filter(
    (each) =>
      each.until > (next[each.stage] ?? 0) &&
      (lot(each) < percent / 100 || lot(each) === least.get(each.stage)),
  )
}

function noted(writer: Writer, copied: CopiedHistory | undefined): Promise<void> {
  return copied === undefined ? forgetCopied(writer) : writeCopied(writer, copied)
}

/**
 * Removes from a copied history everything but its segments and numbers of addresses, before its
 * first comparison: the rest is not named by a hash. Returns what is left. Throws `lease-lost`,
 * `store-*`. Cost: all transfers and kept logs in segments are read once.
 */
export async function onlySegments(
  database: Database,
  copied: CopiedHistory,
  of: { readonly lease: Lease; readonly clock: Clock },
): Promise<CopiedHistory | undefined> {
  if (copied.check !== undefined && copied.check.percent > 0) return copied
  const from = frozenUntil(await readManifest(database), 'blocks')
  const left = cutCopied(copied, from)
  await underLease(database, of, async (writer) => {
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

/** Throws where the copy lacks the oldest blocks: no comparison would show that. */
function checkBeginning({ from }: CopiedHistory, startHeight: number): void {
  if (from === startHeight) return
  throw otherChain(`it begins at height ${from}, the chain at ${startHeight}`)
}

function otherChain(what: string): Fault {
  return differs(`the copied history is not that of the chain: ${what}`)
}

/** Reason to refuse a history: rows that differ, or some that cannot be read. */
function refusalOf(error: unknown): string | undefined {
  const fault = faultOf(error)
  if (fault === undefined) return `the copied history cannot be read: ${String(error)}`
  return isDifference(fault) ? fault.message : undefined
}

function unlessEnded(signal: AbortSignal): (reason: unknown) => void {
  return (reason) => {
    if (!signal.aborted) throw reason
  }
}
