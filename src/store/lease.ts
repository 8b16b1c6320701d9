/**
 * One writer per store.
 *
 * A writer holds a lease: a row with its epoch. Every commit renews the row under its own epoch
 * and fails with `lease-lost` when another writer has taken over, however late the old one wakes
 * up. Who may take over:
 *
 * - at once, when no living process is marked as the writer (`Database.claim`: a lock that ends
 *   with its process);
 * - otherwise once the row has stood still for {@link leaseTtlMs} of the waiter's own monotonic
 *   clock: the holder is stopped, cut off or hung. Wall clocks are never compared.
 */

import { Fault } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import { type Database, type Reader, type Soon, statement, type Writer } from './engine/database.ts'

/** Standing still this long loses the lease. A holder renews at least three times as often. */
export const leaseTtlMs = 4_000

/** What a writer holds. */
export type Lease = { readonly epoch: number; readonly owner: string }

/** The row: `stamp` is the holder's wall clock at its last sign of life. */
export type LeaseRow = { readonly epoch: number; readonly owner: string; readonly stamp: number }

const leaseQuestion = statement('select epoch, owner, until_ms from lease where id = 1')
const takeFirst = statement(
  'insert into lease (id, epoch, owner, until_ms) values (1, 1, ?, ?) on conflict do nothing',
)
const takeOver = statement(
  'update lease set epoch = epoch + 1, owner = ?, until_ms = ? where id = 1 and epoch = ?',
)
const renew = statement('update lease set until_ms = ? where id = 1 and epoch = ? and owner = ?')

/** Who writes now, or wrote last; `undefined` in a new store. */
export async function leaseRow(reader: Reader): Promise<LeaseRow | undefined> {
  const row = await reader.get(leaseQuestion)
  if (row === undefined) return undefined
  return { epoch: Number(row[0]), owner: String(row[1]), stamp: Number(row[2]) }
}

/**
 * Takes the lease of a store whose last writer is gone. `owner` names this process and no other.
 *
 * Gives `undefined` while another process is alive and marked as the writer.
 */
export async function takeLease(
  database: Database,
  owner: string,
  clock: Clock,
): Promise<Lease | undefined> {
  if (!(await database.claim())) return undefined
  return seize(database, owner, clock)
}

/**
 * Waits for the lease, as long as `signal` allows: until the holder ends, or stands still for
 * {@link leaseTtlMs}. Throws the signal's reason.
 */
export async function awaitLease(
  database: Database,
  owner: string,
  wait: { readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<Lease> {
  const { clock, signal } = wait
  let seen = await leaseRow(database)
  let since = clock.monotonic()
  for (;;) {
    signal?.throwIfAborted()
    const lease = await takeLease(database, owner, clock)
    if (lease !== undefined) return lease
    const now = await leaseRow(database)
    if (now?.epoch !== seen?.epoch || now?.stamp !== seen?.stamp) {
      seen = now
      since = clock.monotonic()
    } else if (clock.monotonic() - since >= leaseTtlMs) return seize(database, owner, clock)
    await clock.sleep(leaseTtlMs / 8, signal)
  }
}

/** Renews the lease inside a commit. Throws `lease-lost`, which undoes the commit. */
export async function holdLease(writer: Writer, lease: Lease, clock: Clock): Promise<void> {
  const held = await writer.run(renew, [clock.now(), lease.epoch, lease.owner])
  if (held !== 1)
    throw new Fault('lease-lost', `another process writes this store since epoch: ${lease.epoch}`, {
      detail: { epoch: lease.epoch },
    })
}

/** Renews the lease while there is nothing to commit. Throws `lease-lost`. */
export function renewLease(database: Database, lease: Lease, clock: Clock): Soon<void> {
  return database.transaction((writer) => holdLease(writer, lease, clock))
}

async function seize(database: Database, owner: string, clock: Clock): Promise<Lease> {
  return database.transaction(async (writer) => {
    const held = await leaseRow(writer)
    if (held === undefined) {
      if ((await writer.run(takeFirst, [owner, clock.now()])) === 1) return { epoch: 1, owner }
    } else if ((await writer.run(takeOver, [owner, clock.now(), held.epoch])) === 1)
      return { epoch: held.epoch + 1, owner }
    throw new Fault('lease-lost', 'another process took the lease of the store first')
  })
}
