/**
 * ERC-20 balances that are served: each was compared with the node for its holder not long ago, or the
 * answer says that it is what logs give.
 *
 * What was compared is kept with its block, and counts as long as the logs say the same. What is too old
 * is compared again behind the answer; what was never compared is waited for, for a moment. A difference
 * makes the token inexact here at once, and for everybody once the indexer heard of it: its balances are
 * what the node gives then, never what logs give.
 */

import { balanceOfData } from '../../../codec/evm/abi/abi.ts'
import { createGenerations } from '../../../core/bounded-maps.ts'
import { fromHex, isZero, toBigint, toHex } from '../../../core/bytes.ts'
import { faultOf } from '../../../core/fault.ts'
import { itemAt } from '../../../core/item-at.ts'
import { inTime } from '../../../core/waiting.ts'
import type { Clock } from '../../../core/world.ts'
import type { Database } from '../../../store/engine/database.ts'
import type { TokenRow } from '../../../store/query/evm/addresses.ts'
import { tokenDoubt } from '../../../store/schema/nft.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'

/** A token, a holder, and what logs give; addresses are 20 bytes. */
export type LoggedBalance = {
  readonly token: TokenRow
  readonly contract: Uint8Array
  readonly holder: Uint8Array
  /** Magnitude, big-endian; `undefined` where logs say nothing of the holder. */
  readonly value: Uint8Array | undefined
  /** 1 where logs give less than nothing. */
  readonly negative: number
}

/** When balances are wanted. */
export type BalanceMoment = {
  /** Height up to which logs are counted. */
  readonly height: number
  /** True where it is the newest block. */
  readonly isNewest: boolean
  /** True where the caller waits until everything is compared. */
  readonly insists: boolean
  readonly signal: AbortSignal
}

/** Balances in the order requested; `compared` says whether the node gave every one. */
export type NodeBalances = { readonly balances: readonly bigint[]; readonly compared: Compared }

/** The oldest block at which balances were compared; `undefined` where one was not. */
export type Compared = number | undefined

/**
 * Balances of one chain. Throws `not-served` for those that only a node can give, and none does.
 */
export type ComparedBalances = (
  wanted: readonly LoggedBalance[],
  moment: BalanceMoment,
) => Promise<NodeBalances>

/** Takes doubts to the indexer. */
export type TokenDoubts = {
  readonly add: (doubt: {
    readonly chainKey: string
    readonly contract: Uint8Array
    readonly holder: Uint8Array
  }) => Promise<void>
}

/** Notes doubts in the store of requests. */
export function storedDoubts(store: Database, clock: Clock): TokenDoubts {
  return {
    add: ({ chainKey, contract, holder }) =>
      store.transaction(async (writer) => {
        const doubt = { chain: [chainKey], contract: [contract], holder: [holder] }
        await writer.upsert(tokenDoubt, { ...doubt, requested_at: [clock.now()] })
      }),
  }
}

type ComparedBalancesOptions = {
  readonly clock: Clock
  /** Longest time for which a comparison counts; 0: nothing is compared. */
  readonly maxAgeMs: number
  /** Absent where no indexer hears of them. */
  readonly doubts: TokenDoubts | undefined
  readonly log: Log
}

/** A balance that a node gave after a block. */
type NodeBalance = { readonly balance: bigint; readonly block: number }
/** The same with what logs gave then, and until when it counts: what was held in the past stays. */
type Kept = NodeBalance & { readonly logged: bigint; readonly until: number }

/** A token is not believed until then; the indexer is notified again from `notifyAt` on. */
type Doubt = { readonly until: number; readonly notifyAt: number }

// About 250 bytes each: two generations are 10 MB a chain.
const generationSize = 20_000
/** Tokens in doubt. The indexer looks within seconds, and its word counts then. */
const doubtsKept = 1_024
const doubtMs = 60_000
const notifyAgainMs = 10_000
/** How long an answer waits for what was never compared. */
const patienceMs = 1_000
/** Comparisons under way at once; more stay from logs. */
const mostUnderWay = 4_096
/** After a node lacked a state, others are not compared for this long. */
const silenceMs = 5_000

/** Stands for a block whose height is not known. */
const newestOfNode = Number.POSITIVE_INFINITY

/** Balances by chain. */
export function createComparedBalances(
  options: ComparedBalancesOptions,
): (chain: ServedChain) => ComparedBalances {
  const made = new WeakMap<ServedChain['store'], Comparing>()
  return (chain) => {
    const comparing = made.get(chain.store) ?? new Comparing(chain, options)
    made.set(chain.store, comparing)
    return (wanted, moment) => comparing.balances(wanted, moment)
  }
}

/** Header of an answer with balances after `height`. */
export function balancesHeader(compared: Compared, height: number): Record<string, string> {
  if (compared === undefined) return { 'x-balances': `from logs until block ${height}` }
  const at = compared === newestOfNode ? "the node's newest block" : `block ${compared}`
  return { 'x-balances': `compared at ${at}` }
}

/** The older of two. */
export function olderOf(a: Compared, b: Compared): Compared {
  return a === undefined || b === undefined ? undefined : Math.min(a, b)
}

class Comparing {
  readonly #chain: ServedChain
  readonly #options: ComparedBalancesOptions
  readonly #known = createGenerations<string, Kept>(generationSize)
  readonly #doubted = createGenerations<number, Doubt>(doubtsKept)
  readonly #underWay = new Map<string, Promise<void>>()
  readonly #silentUntil = { newest: Number.NEGATIVE_INFINITY, past: Number.NEGATIVE_INFINITY }

  constructor(chain: ServedChain, options: ComparedBalancesOptions) {
    this.#chain = chain
    this.#options = options
  }

  async balances(wanted: readonly LoggedBalance[], moment: BalanceMoment): Promise<NodeBalances> {
    const now = this.#options.clock.monotonic()
    const only: LoggedBalance[] = []
    const rest: LoggedBalance[] = []
    for (const one of wanted) {
      if (this.#kept(one, moment, now) !== undefined) continue
      if (!this.#logsSuffice(one)) only.push(one)
      else if (isHeld(one) || moment.insists) rest.push(one)
    }
    const behind = this.#compare(rest, moment)
    const read = await this.#onlyNode(only, moment)
    if (moment.insists) await behind
    else if (rest.some((one) => this.#known.get(keyOf(one, moment)) === undefined))
      await inTime(
        behind.catch(() => {}),
        { clock: this.#options.clock, ms: patienceMs },
      )
    let compared: Compared = moment.height
    const balances = wanted.map((one) => {
      const kept = this.#kept(one, moment, now) ?? read.get(one)
      if (kept === undefined && !isHeld(one)) return 0n
      compared = olderOf(compared, kept?.block)
      return kept?.balance ?? loggedOf(one)
    })
    return { balances, compared }
  }

  /** A comparison that counted at `now`, when the caller came, or was made since. */
  #kept(one: LoggedBalance, moment: BalanceMoment, now: number): NodeBalance | undefined {
    const kept = this.#known.get(keyOf(one, moment))
    if (!moment.isNewest) return kept
    if (kept?.logged !== loggedOf(one) || kept.until < now) return undefined
    // Another process found a difference meanwhile.
    return kept.block < (one.token.inexact_height ?? 0) ? undefined : kept
  }

  /** Returns whether logs may give a balance of the token: no difference is known. */
  #logsSuffice({ token, negative }: LoggedBalance): boolean {
    if (negative === 1 || token.inexact_height !== undefined) return false
    const doubt = this.#doubted.get(token.id)
    return doubt === undefined || doubt.until < this.#options.clock.monotonic()
  }

  /** Balances that logs cannot give. Where the node lacks this block, those of its newest one. */
  async #onlyNode(
    only: readonly LoggedBalance[],
    moment: BalanceMoment,
  ): Promise<ReadonlyMap<LoggedBalance, NodeBalance>> {
    const read = new Map<LoggedBalance, NodeBalance>()
    if (only.length === 0) return read
    for (const one of only) this.#doubt(one, this.#doubted.get(one.token.id)?.until ?? 0)
    const note = (balances: readonly bigint[], block: number): void => {
      for (const [at, one] of only.entries())
        read.set(one, { balance: itemAt(balances, at), block })
    }
    try {
      const balances = await this.#read(only, moment.height, moment.signal)
      this.#keep(only, balances, moment)
      note(balances, moment.height)
    } catch (error) {
      if (!moment.isNewest || faultOf(error)?.code !== 'not-served') throw error
      note(await this.#read(only, undefined, moment.signal), newestOfNode)
    }
    return read
  }

  /** Compares what is not being compared yet. Rejects with faults of the node. */
  #compare(rest: readonly LoggedBalance[], moment: BalanceMoment): Promise<unknown> {
    const { clock, maxAgeMs, log } = this.#options
    const of = moment.isNewest ? 'newest' : 'past'
    const isOff = maxAgeMs === 0 || clock.monotonic() < this.#silentUntil[of]
    if (rest.length === 0 || (isOff && !moment.insists)) return Promise.resolve()
    const places = rest.map((one) => keyOf(one, moment))
    const waited = places.flatMap((place) => this.#underWay.get(place) ?? [])
    const fresh = rest.filter((_, at) => !this.#underWay.has(itemAt(places, at)))
    if (fresh.length > 0 && (this.#underWay.size < mostUnderWay || moment.insists)) {
      // It outlives its caller: the source has limits of its own.
      const { signal } = new AbortController()
      const begun = this.#read(fresh, moment.height, signal).then((balances) =>
        this.#keep(fresh, balances, moment),
      )
      const ended = begun.finally(() => {
        for (const place of places)
          if (this.#underWay.get(place) === ended) this.#underWay.delete(place)
      })
      for (const place of places) if (!this.#underWay.has(place)) this.#underWay.set(place, ended)
      ended.catch((error: unknown) => {
        this.#silentUntil[of] = clock.monotonic() + silenceMs
        if (faultOf(error) === undefined) log.error('balances are not compared', { error })
      })
      waited.push(ended)
    }
    const all = Promise.all(waited)
    all.catch(() => {})
    return all
  }

  /** Remembers what the node gave, and doubts logs that gave another. */
  #keep(
    wanted: readonly LoggedBalance[],
    balances: readonly bigint[],
    moment: BalanceMoment,
  ): void {
    const until = this.#options.clock.monotonic() + this.#options.maxAgeMs
    for (const [at, one] of wanted.entries()) {
      const balance = itemAt(balances, at)
      const logged = loggedOf(one)
      this.#known.set(keyOf(one, moment), { balance, logged, block: moment.height, until })
      // Some contracts count burnt tokens as the zero address's; logs give them to no one.
      if (balance !== logged && !isZero(one.holder))
        this.#doubt(one, this.#options.clock.monotonic() + doubtMs)
    }
  }

  /** Notifies the indexer of a doubt, now and then, until it has looked. */
  #doubt(one: LoggedBalance, until: number): void {
    const { token, contract, holder } = one
    const { clock, doubts, log } = this.#options
    const now = clock.monotonic()
    if (token.inexact_height !== undefined || until <= now) return
    const notifyAt = this.#doubted.get(token.id)?.notifyAt ?? now
    this.#doubted.set(token.id, {
      until,
      notifyAt: notifyAt <= now ? now + notifyAgainMs : notifyAt,
    })
    if (notifyAt > now) return
    const { key: chainKey } = this.#chain.facts
    doubts?.add({ chainKey, contract, holder }).catch((error: unknown) => {
      log.warn('a doubt is not stored', { error })
    })
  }

  /** Balances by `balanceOf`; a contract that reverts or answers nonsense counts as 0. */
  async #read(
    wanted: readonly LoggedBalance[],
    height: number | undefined,
    signal: AbortSignal,
  ): Promise<bigint[]> {
    const calls = wanted.map(({ contract, holder }) => ({
      to: contract,
      data: fromHex(balanceOfData(toHex(holder))),
    }))
    const answers = await this.#chain.state.calls(calls, height, signal)
    return wanted.map((_, at) => {
      const answer = answers[at]
      return answer === undefined || answer.length < 32 ? 0n : toBigint(answer.subarray(0, 32))
    })
  }
}

function keyOf({ token, holder }: LoggedBalance, { isNewest, height }: BalanceMoment): string {
  return `${token.id} ${toHex(holder)} ${isNewest ? '' : height}`
}

function isHeld({ value }: LoggedBalance): boolean {
  return value === undefined || value.length > 0
}

function loggedOf({ value, negative }: LoggedBalance): bigint {
  const size = value === undefined ? 0n : toBigint(value)
  return negative === 1 ? -size : size
}
