/** Notices damage of a store at the reading that meets it. */

import { faultOf } from '../../core/fault.ts'
import type { MaybePromise } from '../../store/engine/database.ts'
import type { OpenAround } from '../../store/open.ts'

/** Called with the name of a damaged store and the words of the engine, once for each failure. */
export type DamageNoted = (store: string, reason: string) => void

// SQLITE_CORRUPT and SQLITE_NOTADB.
const sqliteDamage: ReadonlySet<number> = new Set([11, 26])
// data_corrupted and index_corrupted.
const postgresDamage: ReadonlySet<string> = new Set(['XX001', 'XX002'])

/** Opens stores whose readings report damage; `inner` is what stands between already. */
export function watchDamage(report: DamageNoted, inner: OpenAround | undefined): OpenAround {
  return async (open, store) => {
    const look = lookFor(store.name, report)
    const database = await look(() => inner?.(open, store) ?? open())
    return {
      ...database,
      all: (statement, parameters) => look(() => database.all(statement, parameters)),
      get: (statement, parameters) => look(() => database.get(statement, parameters)),
      lookup: (lookup, keys) => look(() => database.lookup(lookup, keys)),
    }
  }
}

/** Runs a reading and looks at how it fails. */
type Look = <T>(read: () => MaybePromise<T>) => MaybePromise<T>

function lookFor(name: string, report: DamageNoted): Look {
  const failed = (error: unknown): never => {
    const { sqlite, sqlstate } = faultOf(error)?.detail ?? {}
    const isDamage =
      (typeof sqlite === 'number' && sqliteDamage.has(sqlite & 0xff)) ||
      postgresDamage.has(String(sqlstate))
    if (isDamage) report(name, error instanceof Error ? error.message : String(error))
    throw error
  }
  return (read) => {
    try {
      const result = read()
      return result instanceof Promise ? result.catch(failed) : result
    } catch (error) {
      return failed(error)
    }
  }
}
