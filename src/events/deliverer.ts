/**
 * Delivers to all webhooks of a deployment.
 *
 * One process does so at a time: the one that holds the lease of the store of webhooks. When it ends
 * or hangs, another takes over; every commit proves that nobody has meanwhile.
 */

import { Fault, faultIn, faultOf } from '../core/fault.ts'
import { Bell } from '../core/waiting.ts'
import type { Clock } from '../core/world.ts'
import type { Database } from '../store/engine/database.ts'
import { awaitLease, type Lease, leaseTtlMs, renewLease, underLease } from '../store/lease.ts'
import { type WebhookPlace, webhookPlaceOf } from '../store/query/events/webhook-places.ts'
import {
  activeWebhooks,
  changeWebhook,
  isUnchanged,
  secretOfOwner,
  type Webhook,
  webhooksVersion,
} from '../store/query/events/webhooks.ts'
import type { Log } from '../telemetry/log.ts'
import { type CommitDelivery, deliver, type Delivery, type Stopped } from './delivery.ts'
import type { OutboxWatch } from './outbox-watch.ts'

/** All that a deliverer works with. */
type DelivererOptions = {
  readonly delivery: Delivery
  /** The store of webhooks, open for writing. */
  readonly database: Database
  /** Names this process and no other. */
  readonly owner: string
  readonly outboxes: OutboxWatch
  /** Returns whether an API key with this id still exists; true for the empty id. */
  readonly isLive: (owner: string) => boolean
  readonly clock: Clock
  readonly log: Log
}

/** Webhooks delivered to side by side, in all and of one owner: a slow receiver holds one place. */
const mostAtOnce = 64
const mostOfOwner = 8

/** Webhooks read at once. */
const webhooksAtOnce = 1_000

/** The lease is renewed, and what is due looked for, this often. */
const tickMs = leaseTtlMs / 8

/** Pause of a webhook whose messages cannot be described now, as its chain's node is away. */
const troubledMs = 5_000

/** Delivers until `signal` is aborted. Throws what is no fault. */
export async function runDeliverer(options: DelivererOptions, signal: AbortSignal): Promise<void> {
  // A store that is away for long is logged once.
  let logged: string | undefined
  while (!signal.aborted) {
    try {
      const { database, owner, clock } = options
      const lease = await awaitLease(database, owner, { clock, signal })
      logged = undefined
      await new Deliverer(options, lease).run(signal)
    } catch (error) {
      if (signal.aborted) return
      const fault = faultIn(error)
      if (logged !== fault.message)
        options.log.warn('delivery of events interrupted', { code: fault.code })
      logged = fault.message
      await options.clock.sleep(troubledMs, signal).catch(() => undefined)
    }
  }
}

class Deliverer {
  readonly #options: DelivererOptions
  readonly #lease: Lease
  readonly #webhooks = new Map<number, Webhook>()
  /** Numbers of webhooks that may have something to be sent. */
  readonly #waiting = new Set<number>()
  readonly #underWay = new Map<number, Promise<void>>()
  readonly #owners = new Map<string, number>()
  /** Webhooks that are sent nothing before this time. */
  readonly #due = new Map<number, number>()
  #version = -1
  #failure: unknown
  /** Rings when a place for another webhook is free. */
  readonly #freed = new Bell()

  constructor(options: DelivererOptions, lease: Lease) {
    this.#options = options
    this.#lease = lease
  }

  async run(outer: AbortSignal): Promise<void> {
    const ending = new AbortController()
    const signal = AbortSignal.any([outer, ending.signal])
    const { clock, database } = this.#options
    const outboxes = this.#options.outboxes.listen(() => this.#stores())
    try {
      for (let renewedMs = Number.NEGATIVE_INFINITY; !signal.aborted;) {
        if (this.#failure !== undefined) throw this.#failure
        if (clock.monotonic() - renewedMs >= tickMs) {
          await renewLease(database, this.#lease, clock)
          renewedMs = clock.monotonic()
        }
        await this.#reload()
        if (outboxes.take()) this.#takeAll()
        this.#takeDue()
        this.#startAll(signal)
        const tick = new AbortController()
        const either = AbortSignal.any([signal, tick.signal])
        await Promise.race([
          outboxes.next(either),
          clock.sleep(this.#pauseMs(), either).catch(() => undefined),
          this.#freed.heard(either),
        ])
        tick.abort()
      }
    } finally {
      ending.abort()
      await Promise.all(this.#underWay.values())
    }
  }

  /** Keys of the stores whose webhooks are delivered. */
  #stores(): ReadonlySet<string> {
    return new Set([...this.#webhooks.values()].map(({ store }) => store))
  }

  /** Reads the webhooks again after any changed. */
  async #reload(): Promise<void> {
    const { database } = this.#options
    const version = await webhooksVersion(database)
    if (version === this.#version) return
    this.#version = version
    const known = new Map(this.#webhooks)
    this.#webhooks.clear()
    for (let after = 0; ;) {
      const page = await activeWebhooks(database, after, webhooksAtOnce)
      for (const webhook of page) {
        if (webhook.body.url === '') continue
        this.#webhooks.set(webhook.number, webhook)
        if (known.get(webhook.number)?.changed === webhook.changed) continue
        this.#due.delete(webhook.number)
        this.#waiting.add(webhook.number)
      }
      const last = page.at(-1)
      if (last === undefined || page.length < webhooksAtOnce) return
      after = last.number
    }
  }

  /** Until something is due, a tick at most. */
  #pauseMs(): number {
    const now = this.#options.clock.now()
    let pauseMs = tickMs
    for (const dueMs of this.#due.values()) pauseMs = Math.min(pauseMs, dueMs - now)
    return Math.max(0, pauseMs)
  }

  #takeAll(): void {
    for (const number of this.#webhooks.keys()) this.#waiting.add(number)
  }

  #takeDue(): void {
    const now = this.#options.clock.now()
    for (const [number, dueMs] of this.#due)
      if (dueMs <= now) {
        this.#due.delete(number)
        this.#waiting.add(number)
      }
  }

  #startAll(signal: AbortSignal): void {
    for (const number of this.#waiting) {
      if (this.#underWay.size >= mostAtOnce) return
      const webhook = this.#webhooks.get(number)
      // Nothing is sent for a key that was revoked.
      const isWanted = webhook !== undefined && this.#options.isLive(webhook.owner)
      if (!isWanted || this.#due.has(number)) {
        this.#waiting.delete(number)
        continue
      }
      const { owner } = webhook
      const count = this.#owners.get(owner) ?? 0
      if (this.#underWay.has(number) || count >= mostOfOwner) continue
      this.#waiting.delete(number)
      this.#owners.set(owner, count + 1)
      this.#underWay.set(number, this.#serve(webhook, signal))
    }
  }

  async #serve(webhook: Webhook, signal: AbortSignal): Promise<void> {
    const { number, owner } = webhook
    try {
      this.#settle(webhook, await this.#deliver(webhook, signal))
    } catch (error) {
      this.#trouble(number, error, signal)
    } finally {
      this.#underWay.delete(number)
      this.#owners.set(owner, (this.#owners.get(owner) ?? 1) - 1)
      this.#freed.ring()
    }
  }

  async #deliver(webhook: Webhook, signal: AbortSignal): Promise<Stopped> {
    const { database, clock, delivery } = this.#options
    const place = await webhookPlaceOf(database, webhook.number)
    const secret = await secretOfOwner(database, webhook.owner)
    if (place === undefined || secret === undefined) return { why: 'up-to-date' }
    const commit: CommitDelivery = (work) =>
      underLease(database, { lease: this.#lease, clock }, async (writer) => {
        // A replay requested meanwhile, or another address: what was read is no longer right.
        if (!(await isUnchanged(writer, webhook)))
          throw new Fault('not-ready', 'the webhook has changed meanwhile')
        await work(writer)
      })
    const stopped = await deliver({ ...delivery, commit }, { webhook, place, secret }, signal)
    if (stopped.why === 'deactivated')
      await commit(
        async (writer) => void (await changeWebhook(writer, { ...webhook, active: false })),
      )
    return stopped
  }

  #settle({ number, id }: Webhook, stopped: Stopped): void {
    if (stopped.why === 'waiting') this.#due.set(number, stopped.dueMs)
    else if (stopped.why === 'turn-over') this.#waiting.add(number)
    else if (stopped.why === 'deactivated')
      this.#options.log.warn('webhook deactivated: nothing was taken any more', { webhook: id })
  }

  /** One webhook that cannot be served now waits; a lost lease ends everything. */
  #trouble(number: number, error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return
    const fault = faultOf(error)
    if (fault === undefined || fault.code === 'lease-lost') {
      this.#failure = error
      this.#freed.ring()
      return
    }
    this.#options.log.debug('messages cannot be read now', { number, code: fault.code })
    this.#due.set(number, this.#options.clock.now() + troubledMs)
  }
}

/** Where a webhook stands before anything was sent to it: at place `pos`. */
export function firstWebhookPlace(number: number, pos: number): WebhookPlace {
  return {
    number,
    pos,
    index: 0,
    attempts: 0,
    dueMs: 0,
    replayUntil: 0,
    dead: 0,
    problem: undefined,
  }
}
