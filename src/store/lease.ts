/**
 * One writer per store.
 *
 * A writer holds a lease: a row with its epoch. Every commit renews the row under its own epoch
 * and fails with `lease-lost` when another writer has taken over, however late the old one wakes
 * up. Who may take over:
 *
 * - at once, when no living process is marked as the writer of the row's epoch (`Database.claim`:
 *   a lock that ends with its process; a holder that lost the lease keeps the mark of its own epoch
 *   only);
 * - otherwise once the row has stood still for {@link leaseTtlMs} of the waiter's own monotonic
 *   clock: the holder is stopped, cut off or hung. Wall clocks are never compared.
 */

import { Fault, faultOf } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import {
  type Database,
  type Reader,
  type MaybePromise,
  statement,
  type TransactionOptions,
  type Writer,
} from './engine/database.ts'

/**
 * A holder that does not renew for this long loses the lease to one that waits, where no setting says
 * more. Holders renew at least three times as often.
 */
export const leaseTtlMs = 3_000

/** Pause between two looks of a process that waits for a lease. */
const lookEveryMs = leaseTtlMs / 12

/**
 * A store whose lease stood still this long is free for a process that has its share already: longer
 * than two signs of life of a holder, and than others need to take what is theirs.
 */
const leftMs = 2_000

/**
 * A lease, as its writer holds it. `stamp` is that of its last commit that was answered: a row with an older one
 * is that of a server that lost commits.
 */
export type Lease = { readonly epoch: number; readonly owner: string; stamp: number }

/** The row: `stamp` is the holder's wall clock at its last sign of life. */
export type LeaseRow = { readonly epoch: number; readonly owner: string; readonly stamp: number }

const leaseQuestion = statement('select epoch, owner, until_ms from lease where id = 1', {
  together: true,
})
const takeFirst = statement(
  'insert into lease (id, epoch, owner, until_ms) values (1, 1, ?, ?) on conflict do nothing',
)
const takeOver = statement(
  'update lease set epoch = epoch + 1, owner = ?, until_ms = ? ' +
    'where id = 1 and epoch = ? and until_ms = ?',
  { over: 'tables' },
)
const renew = statement(
  'update lease set until_ms = ? where id = 1 and epoch = ? and owner = ? and until_ms >= ?',
)

/** The process that writes now, or wrote last; `undefined` in a new store. */
export async function leaseRow(reader: Reader): Promise<LeaseRow | undefined> {
  const row = await reader.get(leaseQuestion)
  if (row === undefined) return undefined
  return { epoch: row[0], owner: row[1], stamp: row[2] }
}

/**
 * Takes the lease of a store whose last writer is gone. `owner` names this process and no other.
 *
 * Returns `undefined` while another process is alive and marked as the writer.
 */
export async function takeLease(
  database: Database,
  owner: string,
  clock: Clock,
): Promise<Lease | undefined> {
  const row = await leaseRow(database)
  if (!(await database.claim(row?.epoch ?? 0))) return undefined
  return seize(database, owner, { clock, row })
}

/**
 * Waits for the lease, as long as `signal` allows: until the holder ends, or stands still for `leaseMs`,
 * {@link leaseTtlMs} where it is not given, and shows no life elsewhere: one that is kept from its core is slow, and
 * keeps its lease. `lifeOf` reads what grows as long as the process of that name lives. While `isOwed` says false a store without a holder is left to other processes
 * for two seconds. Throws the signal's reason.
 */
export async function awaitLease(
  database: Database,
  owner: string,
  wait: {
    readonly clock: Clock
    readonly signal?: AbortSignal
    readonly leaseMs?: number | undefined
    readonly isOwed?: () => boolean
    readonly lifeOf?: LifeOf
  },
): Promise<Lease> {
  const { clock, signal } = wait
  const holder = new HolderWatch(await leaseRow(database), wait)
  for (;;) {
    signal?.throwIfAborted()
    const isTaken = wait.isOwed?.() === false && holder.stillMs() < leftMs
    const lease = isTaken ? undefined : await takeLease(database, owner, clock)
    if (lease !== undefined) return lease
    const row = await leaseRow(database)
    const seized = (await holder.isGone(row)) && (await seize(database, owner, { clock, row }))
    if (seized) return seized
    // Looks again at the very moment at which the row has stood still long enough.
    const leftOfTtlMs = holder.leaseMs - holder.stillMs()
    const isLast = leftOfTtlMs > 0 && leftOfTtlMs < lookEveryMs
    // All that wait look at the same moment, which is one statement where they share a server.
    const untilNextMs = lookEveryMs - (clock.monotonic() % lookEveryMs)
    await clock.sleep(isLast ? leftOfTtlMs : untilNextMs, signal)
  }
}

/** Reads what changes as long as the process of that name lives. */
export type LifeOf = (owner: string) => MaybePromise<number | undefined>

/** Watches the holder of a lease by its row and by the life of its process. */
class HolderWatch {
  readonly leaseMs: number
  readonly #clock: Clock
  readonly #lifeOf: LifeOf | undefined
  #row: LeaseRow | undefined
  #sinceMs: number
  /** Life as it was at a look of this stand-still. */
  #life: { readonly atMs: number; readonly beat: number | undefined } | undefined

  constructor(
    row: LeaseRow | undefined,
    {
      clock,
      leaseMs = leaseTtlMs,
      lifeOf,
    }: {
      readonly clock: Clock
      readonly leaseMs?: number | undefined
      readonly lifeOf?: LifeOf
    },
  ) {
    this.leaseMs = leaseMs
    this.#clock = clock
    this.#lifeOf = lifeOf
    this.#row = row
    this.#sinceMs = clock.monotonic()
  }

  /** Time for which the row has stood still, or its process showed no life. */
  stillMs(): number {
    return this.#clock.monotonic() - this.#sinceMs
  }

  /**
   * Looks at the row as it is now; true where the holder is to be replaced. Life is looked at twice, half the
   * time apart: who waits may be slow, too, and see nothing between.
   */
  async isGone(row: LeaseRow | undefined): Promise<boolean> {
    if (!isStill(this.#row, row)) {
      this.#row = row
      this.#sinceMs = this.#clock.monotonic()
      this.#life = undefined
      return false
    }
    const isOver = this.stillMs() >= this.leaseMs
    if (this.#lifeOf === undefined || row === undefined) return isOver
    if (this.stillMs() < this.leaseMs / 2) return false
    const before = this.#life
    const beat = await this.#lifeOf(row.owner)
    const atMs = this.#clock.monotonic()
    if (before?.beat === beat && before !== undefined)
      return isOver && atMs - before.atMs >= this.leaseMs / 2
    if (before !== undefined) this.#sinceMs = atMs
    this.#life = { atMs, beat }
    return false
  }
}

/** Returns whether the holder gave no sign of life between two looks. */
function isStill(before: LeaseRow | undefined, now: LeaseRow | undefined): boolean {
  return now?.epoch === before?.epoch && now?.stamp === before?.stamp
}

/**
 * Does `work` in one transaction that renews the lease first. Throws `lease-lost`, where another process writes
 * the store or its server has lost commits of this one, and what `work` throws; nothing is stored then.
 */
export async function underLease<T>(
  database: Database,
  { lease, clock }: { readonly lease: Lease; readonly clock: Clock },
  work: (writer: Writer) => MaybePromise<T>,
  how?: TransactionOptions,
): Promise<T> {
  const { epoch, owner } = lease
  // Later than the one before, whatever becomes of the machine's clock.
  const stamp = Math.max(clock.now(), lease.stamp + 1)
  const done = await database.transaction(async (writer) => {
    if ((await writer.run(renew, [stamp, epoch, owner, lease.stamp])) !== 1)
      throw new Fault(
        'lease-lost',
        `another process writes this store, or commits of this one are lost, since epoch: ${epoch}`,
        { detail: { epoch } },
      )
    return work(writer)
  }, how)
  lease.stamp = stamp
  return done
}

/**
 * Renews the lease while there is nothing to commit; a machine that fails takes its holder with it. Throws
 * `lease-lost`.
 */
export function renewLease(database: Database, lease: Lease, clock: Clock): Promise<void> {
  const how = { isUrgent: true, isFleeting: true }
  return underLease(database, { lease, clock }, () => undefined, how)
}

/**
 * Takes over from the holder in `row`; `undefined` when another process did, or when the holder
 * gave a sign of life: it may only have had a long commit under way.
 */
async function seize(
  database: Database,
  owner: string,
  from: { readonly clock: Clock; readonly row: LeaseRow | undefined },
): Promise<Lease | undefined> {
  const { clock, row } = from
  const epoch = row?.epoch ?? 0
  const mine = epoch + 1
  // Marked before it holds the lease, so that a process that sees the new row sees that its holder
  // lives.
  const isMarked = await database.claim(mine)
  const stamp = clock.now()
  const held =
    isMarked &&
    (await database.transaction(
      async (writer) => {
        const values = [owner, stamp]
        if (row === undefined) return (await writer.run(takeFirst, values)) === 1
        return (await writer.run(takeOver, [...values, epoch, row.stamp])) === 1
      },
      { isUrgent: true, against: row?.owner },
    ))
  await database.unclaim(epoch)
  if (isMarked && !held) await database.unclaim(mine)
  return held ? { epoch: mine, owner, stamp } : undefined
}

/**
 * The lease of a process that writes a store for as long as it runs: when another process took it,
 * this one waits for it again.
 */
export class StandingLease {
  readonly #take: () => Promise<Lease>
  #held: Lease | undefined
  #taking: Promise<Lease> | undefined
  #isEnded = false

  /** `take` waits until the lease is this process's; `first` is the one it took to begin with. */
  constructor(first: Lease, take: () => Promise<Lease>) {
    this.#held = first
    this.#take = take
  }

  /**
   * Does `work` under the lease. Throws `lease-lost` at once while it is another's; when `work`
   * throws it, it is another's from then on.
   */
  async during<T>(work: (lease: Lease) => Promise<T>): Promise<T> {
    const lease = this.#held
    if (lease === undefined)
      throw new Fault('lease-lost', 'another process writes this store; this one stands by')
    try {
      return await work(lease)
    } catch (error) {
      if (faultOf(error)?.code === 'lease-lost' && this.#held === lease) this.#held = undefined
      throw error
    }
  }

  /** True when the lease belongs to this process, as far as it knows. */
  get isHeld(): boolean {
    return this.#held !== undefined
  }

  /**
   * Leaves the store to other processes; this one may take it again once they did not. Nothing may be
   * under way that writes it.
   */
  async giveUp(database: Database): Promise<void> {
    const lease = this.#held
    this.#held = undefined
    if (lease !== undefined) await database.unclaim(lease.epoch)
  }

  /**
   * Does `work`, after whose bugs nothing more is written: where it throws what is no fault, this process leaves the
   * store to others for good.
   */
  async endedByBug<T>(database: Database, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (faultOf(error) !== undefined) throw error
      this.#isEnded = true
      // A server that is away has forgotten the mark by itself.
      await this.giveUp(database).catch(() => undefined)
      throw error
    }
  }

  /** Waits until the lease is this process's, at once when it is. Throws `lease-lost` after a bug. */
  async regain(): Promise<void> {
    if (this.#held !== undefined) return
    if (this.#isEnded)
      throw new Fault('lease-lost', 'this process does not write this store any more')
    this.#taking ??= this.#take().finally(() => (this.#taking = undefined))
    this.#held = await this.#taking
  }
}
