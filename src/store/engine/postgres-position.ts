/** Position of a PostgreSQL server in its log, the same on a primary and on its replicas. */

import { type Reader, statement } from './database.ts'

/** A place in the log of a server. */
export type Position = {
  /** Number that a server shares with its replicas, as text; `0` where it may not be asked. */
  readonly server: string
  /** Bytes of log. What was committed before this place is seen. */
  readonly place: bigint
}

// A primary's is the end of what was written, at or behind every commit that can be seen.
const question = statement('', {
  postgres:
    'select (select system_identifier from pg_control_system())::text, ' +
    '((case when pg_is_in_recovery() then pg_last_wal_replay_lsn() ' +
    "else pg_current_wal_insert_lsn() end) - '0/0'::pg_lsn)::text",
})

/** Asks the server of `reader`. */
export async function positionOf(reader: Pick<Reader, 'get'>): Promise<Position> {
  const [server = '0', place = '0'] = (await reader.get(question)) ?? []
  return { server: String(server), place: BigInt(String(place)) }
}
