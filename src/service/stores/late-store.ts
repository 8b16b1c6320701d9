/**
 * A store that callers write, where its server may be away or read only at the start, or its folder is
 * read only.
 *
 * A process that only serves answers from replicas alone if it must, and from a folder that another one
 * writes: what has to be written then fails with `store-failed`, and works as soon as it can.
 */

import type { Config } from '../../config/settings.ts'
import { faultOf } from '../../core/fault.ts'
import type { Database } from '../../store/engine/database.ts'
import { openSmallStore, type StoreLocation } from '../../store/open.ts'
import type { Table } from '../../store/schema/table.ts'
import type { Log } from '../../telemetry/log.ts'

/** Which store, for what process. */
export type LateStore = {
  readonly name: string
  readonly tables: readonly Table[]
  readonly store: StoreLocation
  readonly role: Config['role']
  readonly log: Log
}

/** Opens a store that callers write, now or, where this process only serves, at a later use. */
export async function openCallersStore(of: LateStore): Promise<Database> {
  const open = (): Promise<Database> => openSmallStore(of.store, of.name, of.tables)
  return of.role === 'serve' ? openOrLater(open, of) : open()
}

async function openOrLater(
  open: () => Promise<Database>,
  { name, store, log }: LateStore,
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
  const close = async (): Promise<void> => {
    await opening?.catch(() => undefined)
    await opened?.close()
  }
  return {
    engine: store.store === 'embedded' ? 'sqlite' : 'postgres',
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
    close,
    [Symbol.asyncDispose]: close,
  }
}
