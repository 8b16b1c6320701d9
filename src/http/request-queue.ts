/**
 * Decides which request is answered next, and which is refused at once, to come back later.
 *
 * Answers are made on one thread, mostly without a pause, so a request waits for those before it
 * and nothing can be begun twice at a time. The queue lets one handler begin per turn of the event
 * loop: sockets are read between two of them, so that it knows who waits and who has gone.
 *
 * - Requests wait in lanes, which take turns by {@link shares}: whoever comes to a lane that is not
 *   flooded waits for one handler or two.
 * - In a lane the address that was given the least time is next (start-time fair queueing), each
 *   address first come, first served.
 * - A lane takes in as much work as can be done in `maxQueuedMs`, measured, less the delay the
 *   event loop has already. When it is full, the oldest request of the address with the most
 *   waiting is refused: its caller has waited longest and will leave first.
 * - Who goes away while waiting is forgotten; nothing is done for them.
 *
 * Source of the order: Start-Time Fair Queuing, 1996.
 */

/**
 * The class of a request: its cost, and who needs it.
 *
 * - `vital`: health, liveness, and files that lie in memory
 * - `item`: one thing, by its key
 * - `list`: everything else
 * - `patient`: waits for others most of its time
 * - `body`: a body is being received; the answer takes a turn of its own
 */
export type Lane = 'vital' | 'item' | 'list' | 'patient' | 'body'

/** All lanes; of two whose turn it is, the first one goes first. */
export const lanes = ['body', 'vital', 'item', 'list', 'patient'] as const

/** Limits of a lane. */
export type QueueLimits = {
  /** Handlers begun and not over, of a lane and of one address in it. */
  readonly maxUnderWay: number
  readonly maxUnderWayPerAddress: number
  /** Requests waiting in a lane, and those of one address in it. */
  readonly maxWaiting: number
  readonly maxWaitingPerAddress: number
  /** Work taken in before requests are refused, milliseconds. */
  readonly maxQueuedMs: number
}

/** Why a request was not answered. `gone`: the caller went away before its turn. */
export type QueueOutcome = 'full' | 'late' | 'gone'

type RequestQueueOptions = {
  readonly limits: QueueLimits
  /** Milliseconds, never going back. */
  readonly now: () => number
  /** Delay of the event loop of late, milliseconds. */
  readonly loopDelayMs: () => number
  /** Called for every request that got no turn. */
  readonly turnedAway?: (lane: Lane, outcome: QueueOutcome) => void
}

/** A request at the queue. */
export type Visit = {
  readonly lane: Lane
  /** The caller that shares: an address. */
  readonly caller: string
  /** Called when it is its turn; the handler begins. */
  readonly start: () => void
  /** Called instead of `start`, to say so. */
  readonly refuse: () => void
}

/** A request that was taken in. */
export type Ticket = {
  /** When it came, by the queue's clock. */
  readonly since: number
  /** Its answer was made, or the caller went away. May be called again. */
  readonly leave: () => void
}

/** a queue. */
export type RequestQueue = {
  readonly enter: (visit: Visit) => Ticket
  /** A connection was accepted: more may be waiting to be. */
  readonly connected: () => void
  /** Requests waiting and under way in a lane. */
  readonly count: (lane: Lane) => { readonly waiting: number; readonly underWay: number }
}

/** Turns of a lane for one of the others, when all are full. */
const shares: Readonly<Record<Lane, number>> = { body: 8, vital: 8, item: 4, list: 2, patient: 1 }

/**
 * Milliseconds for which handlers begin before sockets are read again: with one handler a turn of the loop, each
 * request costs a turn.
 */
const beginMs = 1

/** Requests a lane always takes in: with fewer it would stand idle between two turns. */
const leastWaiting = 8

/** A caller who waited this long has most likely given up. */
const giveUpMs = 5_000

/**
 * Turns of the loop left to new connections before the next handler begins: the loop accepts one
 * in a turn, so with one turn a handler a hundred callers would be let in after a hundred handlers.
 */
const acceptTurns = 64

/** Share of the newest answer in the mean time of answers. */
const newestShare = 1 / 8

/**
 * One answer counts as at most so many times the mean: one that is slow by chance would make the
 * queue refuse those after it. An operation that became slow is known after some ten answers.
 */
const mostOfMean = 4

/** Least cost that an answer is charged in advance, so that turns alternate. */
const leastCostMs = 0.1

/** One answer counts as at most this much time of its caller: waiting for a node is no work. */
const maxCostMs = 1_000

type Job = {
  readonly visit: Visit
  readonly since: number
  state: 'waiting' | 'under way' | 'over'
  startedAt: number
  /** Time its caller was charged for in advance. */
  charged: number
}

type Caller = {
  readonly name: string
  readonly waiting: Job[]
  underWay: number
  /** Time given so far, on the lane's clock. */
  given: number
}

type LaneState = {
  readonly name: Lane
  readonly limits: Omit<QueueLimits, 'maxQueuedMs'>
  /** Only who waits or is under way. */
  readonly callers: Map<string, Caller>
  waiting: number
  underWay: number
  /** Mean time between two answers while there is work; 0 before the first. */
  costMs: number
  lastOver: number
  /** The lane's clock: time given to whom began last. */
  given: number
  /** Turns it had, each counted as one through its share. */
  turns: number
}

/** a queue before its first request. */
export function createRequestQueue(options: RequestQueueOptions): RequestQueue {
  const queue = new Queue(options)
  return {
    enter: (visit) => queue.enter(visit),
    connected: () => queue.connected(),
    count: (lane) => queue.count(lane),
  }
}

class Queue {
  readonly #options: RequestQueueOptions
  readonly #lanes: readonly LaneState[]
  /** A handler began in this turn of the loop, the first of them then. */
  #begun = false
  #begunAt = 0
  #scheduled = false
  /** The clock of the lanes: `turns` of the one that began last. */
  #turns = 0
  #hasNewConnection = false
  #turnsLeft = acceptTurns

  constructor(options: RequestQueueOptions) {
    this.#options = options
    this.#lanes = lanes.map((name) => newLane(name, limitsOf(name, options.limits)))
  }

  count(lane: Lane): { waiting: number; underWay: number } {
    const { waiting, underWay } = this.#lane(lane)
    return { waiting, underWay }
  }

  enter(visit: Visit): Ticket {
    const lane = this.#lane(visit.lane)
    const caller = callerIn(lane, visit.caller)
    const since = this.#options.now()
    const job: Job = { visit, since, state: 'waiting', startedAt: 0, charged: 0 }
    if (lane.waiting === 0) lane.turns = Math.max(lane.turns, this.#turns)
    caller.waiting.push(job)
    lane.waiting++
    // Where none waits the request begins at once: its caller may have closed its side already.
    if (this.#mayBegin(since) && this.#waiting() === 1) this.#turn()
    else this.#makeRoom(lane, caller)
    this.#schedule()
    return { since, leave: () => this.#leave(lane, caller, job) }
  }

  connected(): void {
    this.#hasNewConnection = true
  }

  #lane(name: Lane): LaneState {
    return this.#lanes[lanes.indexOf(name)] ?? missingLane(name)
  }

  #waiting(): number {
    let sum = 0
    for (const { waiting } of this.#lanes) sum += waiting
    return sum
  }

  /** Refuses what is too much, never the only request of a caller while others have more. */
  #makeRoom(lane: LaneState, newest: Caller): void {
    if (newest.waiting.length > lane.limits.maxWaitingPerAddress) this.#refuseOldest(lane, newest)
    if (lane.waiting <= this.#room(lane)) return
    let most = newest
    for (const caller of lane.callers.values())
      if (caller.waiting.length > most.waiting.length) most = caller
    this.#refuseOldest(lane, most)
  }

  /** Number of requests that may wait: as many as can be answered in time. */
  #room(lane: LaneState): number {
    const { maxWaiting } = lane.limits
    if (lane.name !== 'list' && lane.name !== 'item') return maxWaiting
    const timeMs = this.#options.limits.maxQueuedMs - this.#options.loopDelayMs()
    const inTime = lane.costMs === 0 ? maxWaiting : Math.floor(timeMs / lane.costMs)
    return Math.min(maxWaiting, Math.max(leastWaiting, inTime))
  }

  #refuseOldest(lane: LaneState, caller: Caller): void {
    const job = caller.waiting.shift()
    if (job !== undefined) this.#refuse(lane, job, 'full')
    forgetIdle(lane, caller)
  }

  #refuse(lane: LaneState, job: Job, outcome: QueueOutcome): void {
    lane.waiting--
    job.state = 'over'
    this.#options.turnedAway?.(lane.name, outcome)
    job.visit.refuse()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      if (this.#hasNewConnection && this.#turnsLeft > 0) {
        this.#hasNewConnection = false
        this.#turnsLeft--
        this.#schedule()
        return
      }
      this.#turnsLeft = acceptTurns
      this.#begun = false
      while (this.#turn() && this.#waiting() > 0 && this.#mayBegin(this.#options.now()));
      // Where nothing could begin, handlers under way are waited for: who leaves schedules.
      if (this.#begun) this.#schedule()
    })
  }

  #mayBegin(now: number): boolean {
    return !this.#begun || now - this.#begunAt < beginMs
  }

  /** Begins one handler, if one may begin. Returns whether a request was taken. */
  #turn(): boolean {
    let next: { lane: LaneState; caller: Caller } | undefined = undefined
    for (const lane of this.#lanes) {
      if (lane.waiting === 0 || lane.underWay >= lane.limits.maxUnderWay) continue
      const caller = nextCaller(lane)
      if (caller === undefined) continue
      if (next === undefined || lane.turns < next.lane.turns) next = { lane, caller }
    }
    if (next !== undefined) this.#begin(next.lane, next.caller)
    return next !== undefined
  }

  #begin(lane: LaneState, caller: Caller): void {
    const job = caller.waiting.shift()
    if (job === undefined) return
    const now = this.#options.now()
    if (!this.#begun) this.#begunAt = now
    this.#begun = true
    if (now - job.since > giveUpMs) {
      this.#refuse(lane, job, 'late')
      forgetIdle(lane, caller)
      return
    }
    this.#turns = lane.turns
    lane.turns += 1 / shares[lane.name]
    lane.waiting--
    lane.underWay++
    caller.underWay++
    lane.given = Math.max(lane.given, caller.given)
    // Before the first answer its cost is not known.
    job.charged = Math.max(leastCostMs, lane.costMs)
    caller.given = lane.given + job.charged
    job.state = 'under way'
    job.startedAt = now
    job.visit.start()
  }

  #leave(lane: LaneState, caller: Caller, job: Job): void {
    // By then its caller may have been forgotten and have come again under the same name.
    if (job.state === 'over') return
    if (job.state === 'waiting') {
      const at = caller.waiting.indexOf(job)
      if (at !== -1) caller.waiting.splice(at, 1)
      lane.waiting--
      this.#options.turnedAway?.(lane.name, 'gone')
    } else {
      const now = this.#options.now()
      caller.given += Math.min(maxCostMs, now - job.startedAt) - job.charged
      // Who waited has come since the answer before, with all that was done between them.
      const from = Math.max(lane.lastOver, job.startedAt > job.since ? job.since : job.startedAt)
      lane.costMs = meanCost(lane.costMs, now - from)
      lane.lastOver = now
      lane.underWay--
      caller.underWay--
      if (this.#waiting() > 0) this.#schedule()
    }
    job.state = 'over'
    forgetIdle(lane, caller)
  }
}

/** Mean time of answers after one that took `newestMs`; `meanMs` is 0 before the first. */
function meanCost(meanMs: number, newestMs: number): number {
  if (meanMs === 0) return newestMs
  const countedMs = Math.min(newestMs, mostOfMean * Math.max(meanMs, leastCostMs))
  return meanMs + (countedMs - meanMs) * newestShare
}

function newLane(name: Lane, limits: LaneState['limits']): LaneState {
  const counts = { waiting: 0, underWay: 0, costMs: 0, lastOver: 0, given: 0, turns: 0 }
  return { name, limits, callers: new Map(), ...counts }
}

/** Bodies and answers of others take memory and no time: as many are under way as may wait. */
function limitsOf(name: Lane, limits: QueueLimits): LaneState['limits'] {
  if (name !== 'body' && name !== 'patient') return limits
  const { maxWaiting, maxWaitingPerAddress } = limits
  return { ...limits, maxUnderWay: maxWaiting, maxUnderWayPerAddress: maxWaitingPerAddress }
}

function callerIn(lane: LaneState, name: string): Caller {
  const known = lane.callers.get(name)
  if (known !== undefined) return known
  const caller: Caller = { name, waiting: [], underWay: 0, given: lane.given }
  lane.callers.set(name, caller)
  return caller
}

/** An address without requests here is forgotten, so that memory is bounded by the requests. */
function forgetIdle(lane: LaneState, { name, waiting, underWay }: Caller): void {
  if (waiting.length === 0 && underWay === 0) lane.callers.delete(name)
}

/** The address that was given the least time, among those that wait and may begin. */
function nextCaller(lane: LaneState): Caller | undefined {
  let next: Caller | undefined = undefined
  for (const caller of lane.callers.values()) {
    if (caller.waiting.length === 0) continue
    if (caller.underWay >= lane.limits.maxUnderWayPerAddress) continue
    if (next === undefined || caller.given < next.given) next = caller
  }
  return next
}

function missingLane(name: Lane): never {
  throw new Error(`no such lane: ${name}`)
}
