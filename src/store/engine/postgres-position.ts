/** Position of a PostgreSQL server in its log, the same on a primary and on its replicas. */

import { faultOf } from '../../core/fault.ts'
import { type Reader, statement } from './database.ts'

/** A place in the log of a server. */
export type Position = {
  /** Number that a server shares with its replicas, as text. */
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

// A right that is missing, and what a server that only speaks like PostgreSQL does not have.
// Source: PostgreSQL, appendix A.
const untold = /^(?:42501|42883|0A000)$/

/** Asks the server of `reader`; `undefined` where it tells nobody. */
export async function positionOf(reader: Pick<Reader, 'get'>): Promise<Position | undefined> {
  try {
    const [server = '0', place = '0'] = (await reader.get(question)) ?? []
    return { server: String(server), place: BigInt(String(place)) }
  } catch (error) {
    if (untold.test(String(faultOf(error)?.detail['sqlstate']))) return undefined
    throw error
  }
}
