/**
 * Fills the outbox of a chain: in the transaction that stores blocks, the places in them that
 * webhooks want are added, or nothing at all.
 *
 * Webhooks begin with the first blocks that are stored after they were registered, and never below
 * the height the chain had then: filling an empty store, rebuilding and repairing report nothing.
 */

import type { Clock } from '../../core/world.ts'
import type { Reader, Writer } from '../../store/engine/database.ts'
import {
  addPlaces,
  collected,
  forgetBefore,
  forgetWebhook,
  moveOutbox,
  noteCollected,
  outboxState,
} from '../../store/query/events/outbox.ts'
import type { PlaceRange } from '../../store/query/events/places-of-addresses.ts'
import { findPlaces } from '../../store/query/events/places.ts'
import { firstPlace, type Watch, type WebhookLedger } from '../../store/query/events/watch.ts'
import type { Watches } from './open-webhooks.ts'

/** Webhooks, and the time for which their places are kept. */
export type OutboxOptions = {
  readonly watches: Watches
  readonly clock: Clock
  /** Time for which places are kept. */
  readonly keepMs: number
}

type OutboxWriterOptions = OutboxOptions & {
  /** First place of the first block whose time is after `moment`, Unix seconds. */
  readonly placeAfter: (reader: Reader, ledger: WebhookLedger, moment: number) => Promise<number>
}

/** Blocks just written, by their places, and whom they touched. */
export type Written = {
  readonly ledger: WebhookLedger
  readonly range: PlaceRange
  /** Returns whether the blocks concern a watched address; one look-up for each. */
  readonly touches: (watch: Watch) => Promise<boolean>
}

/** Places of one webhook added at once: what a commit holds in memory. */
const placesAtOnce = 4_096

/** Older rows are removed this often. */
const forgetEveryMs = 600_000

/** Fills the outbox of one chain. */
export class OutboxWriter {
  readonly #options: OutboxWriterOptions
  readonly #beganMs: number
  /** When old rows of each ledger were removed. */
  readonly #forgottenMs = new Map<WebhookLedger, number>()

  constructor(options: OutboxWriterOptions) {
    this.#options = options
    this.#beganMs = options.clock.monotonic()
  }

  /** Adds what webhooks want of the blocks just written, in the transaction of `writer`. */
  async add(writer: Writer, written: Written): Promise<void> {
    const { ledger, range } = written
    const all = await this.#options.watches.now()
    const watches = all.filter((watch) => watch.ledger === ledger)
    const state = await outboxState(writer, ledger)
    if (watches.length === 0 && state === undefined) return
    const since = await collected(writer)
    const changes = await this.#addAll(writer, watches, { written, since, from: state?.until })
    // Webhooks that are collected for from these blocks on, and where they begin.
    const begins = watches.filter(
      ({ number, watched }) => !since.has(number) && firstPlace(watched) < range.until,
    )
    const fresh = new Map(
      begins.map(({ number, watched }) => [number, Math.max(range.from, firstPlace(watched))]),
    )
    await noteCollected(writer, fresh)
    // Removes the watches of deleted webhooks.
    const wanted = new Set(all.map(({ number }) => number))
    const gone = [...since.keys()].filter((number) => !wanted.has(number))
    for (const number of gone) await forgetWebhook(writer, number)
    const isForgotten = gone.length > 0
    await this.#forgetOld(writer, ledger, watches)
    await moveOutbox(writer, ledger, {
      until: range.until,
      changes: (state?.changes ?? 0) + (changes || isForgotten || fresh.size > 0 ? 1 : 0),
    })
  }

  /** Adds places of every webhook. Returns whether there was any. */
  async #addAll(
    writer: Writer,
    watches: readonly Watch[],
    at: {
      readonly written: Written
      readonly since: ReadonlyMap<number, number>
      readonly from: number | undefined
    },
  ): Promise<boolean> {
    const { range, touches } = at.written
    let found = false
    for (const watch of watches) {
      if (firstPlace(watch.watched) >= range.until) continue
      // Blocks that were taken away and read again begin below where the outbox ended.
      const known = at.since.has(watch.number) && at.from !== undefined
      const from = known ? Math.min(at.from, range.from) : range.from
      if (from === range.from && !(await touches(watch))) continue
      for (let next = from; next < range.until;) {
        const part = await findPlaces(writer, watch, {
          range: { from: next, until: range.until },
          limit: placesAtOnce,
          isHistory: false,
        })
        await addPlaces(writer, watch.number, part.places)
        found ||= part.places.length > 0
        next = part.next
      }
    }
    return found
  }

  async #forgetOld(
    writer: Writer,
    ledger: WebhookLedger,
    watches: readonly Watch[],
  ): Promise<void> {
    const { clock, keepMs, placeAfter } = this.#options
    const last = this.#forgottenMs.get(ledger) ?? this.#beganMs
    if (watches.length === 0 || clock.monotonic() - last < forgetEveryMs) return
    this.#forgottenMs.set(ledger, clock.monotonic())
    const oldest = await placeAfter(writer, ledger, Math.floor((clock.now() - keepMs) / 1_000))
    const since = await collected(writer)
    const moved = new Map<number, number>()
    for (const { number } of watches) {
      if ((since.get(number) ?? oldest) >= oldest) continue
      await forgetBefore(writer, number, oldest)
      moved.set(number, oldest)
    }
    await noteCollected(writer, moved)
  }
}
