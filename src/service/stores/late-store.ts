/**
 * A store that a serving process writes, where its server may be away or read only at the start.
 *
 * A process that only serves answers from replicas alone if it must: what has to be written then
 * fails with `store-failed`, and works as soon as the primary is there.
 */

import { faultOf } from '../../core/fault.ts'
import type { Database } from '../../store/engine/database.ts'
import type { Log } from '../../telemetry/log.ts'

/** Opens a store by `open`, now or, when that fails with `store-failed`, at a later use. */
export async function openOrLater(
  name: string,
  open: () => Promise<Database>,
  log: Log,
): Promise<Database> {
  let opened: Database | undefined
  let opening: Promise<Database> | undefined
  const there = async (): Promise<Database> => {
    if (opened !== undefined) return opened
    opening ??= open().finally(() => (opening = undefined))
    opened = await opening
    return opened
  }
  try {
    return await there()
  } catch (error) {
    const fault = faultOf(error)
    if (fault?.code !== 'store-failed') throw error
    log.warn('store cannot be written now', { store: name, reason: fault.message })
  }
  return {
    engine: 'postgres',
    name,
    all: async (statement, parameters) => (await there()).all(statement, parameters),
    get: async (statement, parameters) => (await there()).get(statement, parameters),
    lookup: async (lookup, keys) => (await there()).lookup(lookup, keys),
    transaction: async (work, how) => (await there()).transaction(work, how),
    snapshot: async (work) => (await there()).snapshot(work),
    claim: async (epoch) => (await there()).claim(epoch),
    unclaim: async (epoch) => (await there()).unclaim(epoch),
    pace: async (pace) => (await there()).pace(pace),
    sizeBytes: async () => (await there()).sizeBytes(),
    close: async () => {
      await opening?.catch(() => undefined)
      await opened?.close()
    },
  }
}
