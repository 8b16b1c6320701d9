/**
 * Answers of contracts about tokens, as one stream beside the blocks of a chain: their names, and whether
 * balances are what their logs say.
 *
 * A look at a token is due when something happened to it, the sooner the less its transfers explain it,
 * when the API met a difference, and a day after the last one.
 */

import { createGenerations } from '../../../core/bounded-maps.ts'
import { growingPause } from '../../../core/waiting.ts'
import type { Clock, Random } from '../../../core/world.ts'
import { getCheckpoint, blockStage } from '../../../store/checkpoint.ts'
import { type Database, statement } from '../../../store/engine/database.ts'
import { storedProofs } from '../../../store/query/evm/heights.ts'
import type { WatchedChain } from '../../stream/open-chain.ts'
import { type Round, roundStream } from '../../stream/round-stream.ts'
import type { Stream } from '../../stream/stage.ts'
import { type Look, lookAtTokens, type WantedToken } from './look-at-tokens.ts'
import {
  addWrapped,
  Doubts,
  endOf,
  forgetUpgraded,
  activityOfTokens,
  type NumberedDoubt,
  type UnexplainedLogs,
} from './token-activity.ts'
import { readNewTokens } from './token-metadata.ts'

/** Tokens looked at in one round: some hundred calls. */
const tokensPerRound = 10

/** Every token is looked at within a day, seconds. */
const longestAge = 86_400

/**
 * Pauses between looks at a token that something happens to again and again, doubled while they find
 * nothing.
 */
const pauses = {
  moved: { firstMs: 5_000, longestMs: 3_600_000 },
  touched: { firstMs: 2_000, longestMs: 3_600_000 },
} as const

/** Tokens that wait for a look, and those of which pauses are kept, 100 bytes each and up to twice as many. */
const mostKept = 65_536

/** Pauses before tokens are called again that no source had; doubled each time. */
const silentPauses = { firstMs: 2_000, longestMs: 600_000 } as const

const oldest = statement(
  `select id from token where compared_at <= ? order by compared_at limit ${tokensPerRound}`,
)

type TokenStreamOptions = {
  readonly random: Random
  /** The store in which the API notes doubts; `undefined` while there are none. */
  readonly requests: () => Promise<Database | undefined>
  /** Tokens whose Deposit and Withdrawal are mints and burns, 20 bytes each. */
  readonly wrapped: readonly Uint8Array[]
  readonly unexplained: UnexplainedLogs
}

/** The stream. Looks wait for the head: only there every node has the state. */
export function tokenStream(
  chain: WatchedChain,
  { random, requests, wrapped, unexplained }: TokenStreamOptions,
): Stream {
  const { database, source, clock } = chain
  const due = new DueTokens()
  const doubted = new Doubts(chain, requests)
  let upgradedUntil = -1
  /** The height that was the head when it was last read. */
  let headSeen = -1
  let activityUntil = -1
  const silence = new Silence(clock)

  /** Calls new tokens, unless no source answered lately. Returns how many were stored. */
  async function readNew(height: number, signal: AbortSignal): Promise<number> {
    if (!silence.isOver) return 0
    const { called, stored } = await readNewTokens(chain, height, signal)
    if (called > 0) silence.heard(stored > 0)
    return stored
  }

  /** Looks at tokens that are due. Returns how many were answered. */
  async function look(height: number, signal: AbortSignal): Promise<number> {
    const now = clock.monotonic()
    const report = await activityOfTokens(database, unexplained, {
      after: activityUntil,
      until: height,
    })
    activityUntil = height
    due.note(report.moved, 'moved', now)
    due.note(report.touched, 'touched', now)
    if (!silence.isOver) return 0
    const doubts = await doubted.next()
    const nowSeconds = Math.floor(clock.now() / 1_000)
    const old = await database.all(oldest, [nowSeconds - longestAge])
    const ids = old.map((row) => row[0])
    const wanted = due.take(doubts, ids, now)
    if (wanted.length === 0) return 0
    const looks = await lookAtTokens(chain, wanted, { height, nowSeconds, random }, signal)
    due.looked(looks, clock.monotonic())
    const answered = looks.filter(({ isAnswered }) => isAnswered).length
    silence.heard(answered > 0)
    return answered
  }

  async function round(signal: AbortSignal): Promise<Round> {
    const changes = chain.changes()
    const height = (await getCheckpoint(database, blockStage))?.height ?? -1
    if (height < 0) return { height, isBusy: false, isLive: false }
    if (upgradedUntil < 0) [upgradedUntil, activityUntil] = [endOf(height), height]
    upgradedUntil = await forgetUpgraded(chain, upgradedUntil, endOf(height))
    await addWrapped(chain, wrapped)
    const called = await readNew(height, signal)
    // A newer head does not take away the state of the block that was it.
    if (height !== headSeen && height >= (await source.headHeight(signal))) headSeen = height
    const looked = height === headSeen ? await look(height, signal) : 0
    const isLive = called === 0 && looked === 0
    const isWoken = async (): Promise<boolean> =>
      chain.changes() !== changes ||
      !unexplained.isEmpty ||
      due.isDue(clock.monotonic()) ||
      (await doubted.areMore())
    return { height, isBusy: !isLive, isLive, reason: await doubtOf(database), isWoken }
  }

  return roundStream('tokens', chain, round)
}

/** Says from which block on forms of transfers are in doubt; `undefined` where none is. */
async function doubtOf(database: Database): Promise<string | undefined> {
  const heights = Object.values((await storedProofs(database)).doubts ?? {})
  return heights.length === 0
    ? undefined
    : `${heights.length} forms of transfers are in doubt, from block ${Math.min(...heights)} on: their rows are made anew once the contract says what they mean`
}

/** A source that answered nothing is called again ever more rarely. */
class Silence {
  readonly #clock: Clock
  #until = Number.NEGATIVE_INFINITY
  #failures = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isOver(): boolean {
    return this.#clock.monotonic() >= this.#until
  }

  heard(something: boolean): void {
    if (!something)
      this.#until = this.#clock.monotonic() + growingPause(this.#failures, silentPauses)
    this.#failures = something ? 0 : this.#failures + 1
  }
}

type Reason = keyof typeof pauses

/** Tokens by when they may be looked at, milliseconds of the monotonic clock. */
class DueTokens {
  readonly #waiting = new Map<number, { readonly reason: Reason; readonly at: number }>()
  /** Looks in a row that found nothing, and when the next may be, by token and reason. */
  readonly #paused = createGenerations<string, { readonly looks: number; readonly until: number }>(
    mostKept,
  )

  note(ids: Iterable<number>, reason: Reason, now: number): void {
    for (const id of ids) {
      const at = Math.max(now, this.#paused.get(`${id} ${reason}`)?.until ?? now)
      const before = this.#waiting.get(id)
      if (before !== undefined && before.at <= at) continue
      // The rest has its turn within a day.
      if (before === undefined && this.#waiting.size >= mostKept) return
      this.#waiting.set(id, { reason, at })
    }
  }

  isDue(now: number): boolean {
    return [...this.#waiting.values()].some(({ at }) => at <= now)
  }

  /** The next to look at: those in doubt, those that something happened to, and the oldest. */
  take(doubts: readonly NumberedDoubt[], oldest: readonly number[], now: number): WantedToken[] {
    const taken = new Map<number, WantedToken>()
    for (const { id, holder } of doubts)
      taken.set(id, { id, holders: holder === undefined ? [] : [holder], isDoubted: true })
    for (const [id, { reason, at }] of this.#waiting) {
      if (taken.size >= tokensPerRound) break
      if (at > now) continue
      this.#waiting.delete(id)
      if (!taken.has(id)) taken.set(id, { id, holders: [], isDoubted: reason === 'touched' })
      const key = `${id} ${reason}`
      const looks = this.#paused.get(key)?.looks ?? 0
      this.#paused.set(key, { looks: looks + 1, until: now + growingPause(looks, pauses[reason]) })
    }
    for (const id of oldest)
      if (taken.size < tokensPerRound && !taken.has(id))
        taken.set(id, { id, holders: [], isDoubted: false })
    return [...taken.values()]
  }

  /** Whatever changed is looked at again soon: names to be read, differences that may be over. */
  looked(looks: readonly Look[], now: number): void {
    for (const { id, isChanged } of looks) {
      if (!isChanged) continue
      for (const reason of ['moved', 'touched'] as const)
        this.#paused.set(`${id} ${reason}`, { looks: 0, until: now + pauses[reason].firstMs })
      this.note([id], 'touched', now)
    }
  }
}
