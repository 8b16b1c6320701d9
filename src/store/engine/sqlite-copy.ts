/** A copy of an SQLite file as it is in one moment, while others write it. */

import { Fault, faultOf } from '../../core/fault.ts'
import { SqliteConnection } from './sqlite-connection.ts'

const busyTimeoutMs = 5_000
const cachePages = 512

/** Writes what the file `path` holds into the new file `into`. Throws `store-failed`, `store-full`. */
export function copySqlite(path: string, into: string, name: string): void {
  const connection = new SqliteConnection({ path, name, readOnly: true, cachePages, busyTimeoutMs })
  try {
    connection.exec(`vacuum into '${into.replaceAll("'", "''")}'`)
  } catch (error) {
    const fault = faultOf(error)
    if (fault === undefined) throw error
    // Either disk may be the one that fails.
    const message = `${fault.message}; it was being copied to ${into}`
    throw new Fault(fault.code, message, { cause: error, detail: fault.detail })
  } finally {
    connection.close()
  }
}
