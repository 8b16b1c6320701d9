/** Connections that fell silent, and holders that were stopped within a transaction. */

import { type Statement, statement } from '../engine/database.ts'
import { type ConnectionPool, abandon, applicationName, type Connection } from './connection.ts'
import { queryRows, type Link } from './link.ts'
import type { Marks } from './marks.ts'

// Notices connections that fell silent, as behind a router that dropped them without a word.
//
// A statement may take minutes, so a silence alone says nothing. Once a second the server is
// queried over the connection of a thread's marks. Where that is not answered while a new
// connection is, all connections of before are given up, and what they left is ended on the server:
// a transaction there would keep the row of its lease.

const everyMs = 1_000
/** An answer that takes longer is looked into; a server that is only busy is slow over new ones too. */
const answerMs = 1_500
const reason = 'the server answers new connections, and this one no more'

/** Connections of a thread to one server. */
type PulseOptions = {
  readonly pools: readonly ConnectionPool[]
  readonly marks: Marks
  /** Opens another one. */
  readonly connect: () => Promise<Connection>
}

/** Looks from now on; gives what ends it. */
export function startPulse(options: PulseOptions): () => void {
  let isOver = false
  let wake = (): void => undefined
  void (async () => {
    while (!isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
        AbortSignal.timeout(everyMs).addEventListener('abort', () => resolve())
      })
      if (!isOver) await beat(options).catch(() => undefined)
    }
  })()
  return () => {
    isOver = true
    wake()
  }
}

async function beat({ pools, marks, connect }: PulseOptions): Promise<void> {
  if (pools.every(({ open }) => open.size === 0)) return
  const sentMs = performance.now()
  const connection = await marks.connection()
  let isAnswered = false
  const answer = askedOver(connection).then(() => (isAnswered = true))
  await Promise.race([answer, lateness()])
  if (isAnswered) return
  // Throws where the server is away, which connections find out themselves.
  const fresh = await connect()
  // A server that is only busy has answered what it was asked before.
  if (isAnswered) {
    await fresh.client.end()
    return
  }
  const silent = [connection, ...pools.flatMap(({ open }) => [...open])].filter(
    ({ openedMs }) => openedMs < sentMs,
  )
  for (const each of silent) abandon(each, reason)
  try {
    // Behind a pooler the number may be that of another's session by now.
    const sessions = silent.flatMap(({ isPooled, session }) => (isPooled ? [] : [session]))
    await fresh.client.query(endSql, [sessions])
  } finally {
    await fresh.client.end()
  }
}

const endSql =
  'select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1::int[]) ' +
  "and application_name = current_setting('application_name')"

/** Ends with the answer, whatever it is. */
async function askedOver({ client }: Connection): Promise<void> {
  await client.query('select 1').catch(() => undefined)
}

/** A process that was held up takes the answer that came meanwhile before it calls it late. */
function lateness(): Promise<void> {
  return new Promise((resolve) => {
    AbortSignal.timeout(answerMs).addEventListener('abort', () =>
      setImmediate(() => setImmediate(() => resolve())),
    )
  })
}

// Ends the transaction of a holder that was stopped within it.
//
// Such a transaction keeps the row of the lease, so that its successor waits. The transaction is
// found from the very statement that waits for it, never by a number that was kept: behind a pooler
// the session may be somebody else's by now. It must be a session of the old holder whose client has
// said nothing for a second. A living holder is left alone: its statements follow one another.

/**
 * The server does the waiting, on another connection than the one that waits for the lock. A holder
 * that is to be replaced was silent for longer than {@link silent} demands, so the first wait is
 * only for the statement to meet the lock.
 */
const firstPause = statement('', { postgres: 'select pg_sleep(0.05)' })
const pause = statement('', { postgres: 'select pg_sleep(0.25)' })

const silent =
  "a.application_name = ? and (a.state = 'idle in transaction' or a.wait_event_type = 'Client') " +
  "and a.state_change < clock_timestamp() - interval '1 second'"

type Questions = { readonly session: Statement; readonly end: Statement }

const plain: Questions = {
  session: statement('', { postgres: 'select pg_backend_pid()' }),
  end: statement('', {
    postgres:
      'select pg_terminate_backend(a.pid) from pg_stat_activity a ' +
      `where a.pid = any(pg_blocking_pids(?::int)) and ${silent}`,
  }),
}

// The lock lies on the worker that has the tables; the view leads back to the sessions that clients
// have on the coordinator. Source: Citus, `citus_lock_waits` and global process ids.
const citus: Questions = {
  session: statement('', { postgres: 'select citus_backend_gpid()' }),
  end: statement('', {
    postgres:
      'select pg_terminate_backend(a.global_pid) from citus_lock_waits w join citus_stat_activity a ' +
      'on a.global_pid = w.blocking_gpid and not a.is_worker_query ' +
      `where w.waiting_gpid = ?::bigint and ${silent}`,
  }),
}

/**
 * Does `work` over `connection`. While it waits for a lock of a silent transaction of the process
 * `owner`, that is ended; where the right to do so is missing, the server's limit on idle
 * transactions does it later.
 */
export async function endSilentHolder<T>(
  of: {
    readonly link: Link
    readonly connection: Connection
    /** Where to query meanwhile. */
    readonly beside: Link
    readonly owner: string
  },
  work: () => Promise<T>,
): Promise<T> {
  const { link, connection, beside, owner } = of
  const questions = connection.hasCitus ? citus : plain
  const [session = 0] = (await queryRows(link, questions.session))[0] ?? []
  let isDone = false
  const look = async (): Promise<void> => {
    for (let wait = firstPause; !isDone; wait = pause) {
      await queryRows(beside, wait)
      if (!isDone) await queryRows(beside, questions.end, [session, applicationName(owner)])
    }
  }
  look().catch(() => undefined)
  try {
    return await work()
  } finally {
    isDone = true
  }
}
