/**
 * Notices connections that fell silent, as behind a router that dropped them and told nobody.
 *
 * A statement may take minutes, so a silence alone says nothing. Once a second the server is asked over
 * the connection of a thread's marks. Where that is not answered while a new connection is, all
 * connections of before are given up, and what they left is ended on the server: a transaction there
 * would keep the row of its lease.
 */

import type { ConnectionPool } from './connection-pool.ts'
import { abandon, type Connection } from './postgres-connection.ts'
import type { Marks } from './postgres-marks.ts'

const everyMs = 1_000
/** An answer that takes longer is looked into; a server that is only busy is slow over new ones too. */
const answerMs = 1_500
const reason = 'the server answers new connections, and this one no more'

/** Connections of a thread to one server. */
export type PulseParts = {
  readonly pools: readonly ConnectionPool[]
  readonly marks: Marks
  /** Opens another one. */
  readonly connect: () => Promise<Connection>
}

/** Looks from now on; gives what ends it. */
export function startPulse(parts: PulseParts): () => void {
  let isOver = false
  let wake = (): void => undefined
  void (async () => {
    while (!isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve
        AbortSignal.timeout(everyMs).addEventListener('abort', () => resolve())
      })
      if (!isOver) await beat(parts).catch(() => undefined)
    }
  })()
  return () => {
    isOver = true
    wake()
  }
}

async function beat({ pools, marks, connect }: PulseParts): Promise<void> {
  if (pools.every(({ open }) => open.size === 0)) return
  const askedMs = performance.now()
  const asked = await marks.connection()
  if (await isAnswered(asked)) return
  // Throws where the server is away, which connections find out themselves.
  const fresh = await connect()
  const silent = [asked, ...pools.flatMap(({ open }) => [...open])].filter(
    ({ openedMs }) => openedMs < askedMs,
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

/** A process that was held up takes the answer that came meanwhile before it calls it late. */
function isAnswered({ client }: Connection): Promise<boolean> {
  return new Promise((resolve) => {
    AbortSignal.timeout(answerMs).addEventListener('abort', () =>
      setImmediate(() => setImmediate(() => resolve(false))),
    )
    const told = (): void => resolve(true)
    client.query('select 1').then(told, told)
  })
}
