/**
 * Brings the store of a chain forward before its node answers: its format, its sums, and its history, which
 * an older version left in tables. Nothing of this needs a node.
 *
 * Once the node answers, the chain is opened for its blocks (`chain-host.ts`). This ends then, after the
 * segment under way, and what is left is converted between blocks. So blocks wait for one segment at
 * most, and a chain whose node is away is converted to its end.
 */

import { to0x } from '../../core/bytes.ts'
import { faultOf } from '../../core/fault.ts'
import type { Clock, World } from '../../core/world.ts'
import { copiedHistory } from '../../store/copied-history.ts'
import { type Database, type Reader, statement, type Writer } from '../../store/engine/database.ts'
import { holdLease, type Lease, takeLease } from '../../store/lease.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { chainTables } from '../../store/schema/stores.ts'
import { makeSums } from '../../store/sums/make-sums.ts'
import { hasSums } from '../../store/sums/summed-database.ts'
import type { Log } from '../../telemetry/log.ts'
import { quietStream } from '../stream/quiet-stream.ts'
import { freezeStreamName, type StageStatus, type Stream } from '../stream/stage.ts'
import { checkNotRefused } from './copied/check-copied.ts'
import { dueSegments } from './freeze/due-segments.ts'
import { Freezer } from './freeze/freeze-stream.ts'

/** Pause before a store that is not there, or not in reach, is looked for again. */
const lookEveryMs = 10_000

/** Parts of a conversion at start. */
export type ConvertParts = {
  readonly key: string
  readonly store: StoreLocation
  readonly owner: string
  readonly world: Pick<World, 'clock'>
  readonly log: Log
}

/** A conversion at start. */
export type ConversionAtStart = {
  readonly stream: Stream
  /** Resolves when the store is closed, which is after the segment under way. */
  readonly end: () => Promise<void>
}

/** Converts the store `key`, where there is one, until it is done or told to end. */
export function convertAtStart(parts: ConvertParts): ConversionAtStart {
  const ending = new AbortController()
  const ended = Promise.withResolvers<void>()
  const conversion = new Conversion(parts)
  const quiet = quietStream(freezeStreamName, async (stopped) => {
    try {
      await conversion.run(AbortSignal.any([stopped, ending.signal]))
    } finally {
      ended.resolve()
    }
  })
  return {
    stream: { ...quiet, status: () => ({ ...quiet.status(), ...conversion.news() }) },
    end: async () => {
      ending.abort()
      await ended.promise
    },
  }
}

class Conversion {
  readonly #parts: ConvertParts
  #freezer: Freezer | undefined
  #refusal: string | undefined

  constructor(parts: ConvertParts) {
    this.#parts = parts
  }

  news(): Partial<StageStatus> {
    if (this.#refusal !== undefined) return { state: 'stopped', reason: this.#refusal }
    if (this.#parts.store.freeze === undefined) return { state: 'off' }
    return this.#freezer?.news() ?? {}
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, key, world } = this.#parts
    while (!signal.aborted) {
      try {
        if (await this.#converted(signal)) return
      } catch (error) {
        const fault = faultOf(error)
        if (fault === undefined) throw error
        if (!fault.retryable) {
          log.error('store cannot be used', { chain: key, reason: fault.message })
          this.#refusal = fault.message
          return
        }
        log.warn('store was not converted', { chain: key, reason: fault.message })
      }
      await world.clock.sleep(lookEveryMs, signal).catch(() => undefined)
    }
  }

  /** Converts what there is; false where there is no store yet, or not all was done. */
  async #converted(signal: AbortSignal): Promise<boolean> {
    const { store, key } = this.#parts
    const needed = await isNeeded(store, key)
    if (needed !== true) return needed === false
    let database = await openStore(store, key, chainTables, 'write')
    try {
      checkNotRefused(await copiedHistory(database))
      if (store.freeze === undefined) return true
      if (!(await hasSums(database))) {
        await this.#makeSums(database)
        await database.close()
        // Sums are kept from the next opening on.
        database = await openStore(store, key, chainTables, 'write')
      }
      return await this.#frozen(database, store.freeze, signal)
    } finally {
      await database.close()
    }
  }

  /** The rows as they are count as those that were written: nothing else is known of them. */
  async #makeSums(database: Database): Promise<void> {
    const { log, key, world, owner } = this.#parts
    const lease = await takeLease(database, owner, world.clock)
    if (lease === undefined) return
    log.info('sums of rows are made', { chain: key })
    await makeSums({ transaction: underLease(database, lease, world.clock) }, chainTables, () => {})
  }

  /** Freezes what is due; false where the disk or the server did not allow it. */
  async #frozen(
    database: Database,
    freeze: NonNullable<StoreLocation['freeze']>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { log, key, world, owner } = this.#parts
    const { clock } = world
    const genesisHash = await storedGenesis(database)
    if (genesisHash === undefined) return true
    const lease = await takeLease(database, owner, clock)
    // Another process writes this store, and converts it.
    if (lease === undefined) return true
    const commit = underLease(database, lease, clock)
    this.#freezer = new Freezer({
      database,
      spec: { key },
      freeze,
      genesisHash,
      clock,
      log,
      commit: async (work) => commit(work),
    })
    await this.#freezer.freezeDue(signal)
    // Altered rows are mended by hand, and tried at the next start.
    const isHeldUp = this.#freezer.news().reason !== undefined
    return isHeldUp || (await dueSegments(database, freeze)).length === 0
  }
}

/**
 * Returns whether a store has anything to convert; `undefined` where there is none yet, or its server is
 * away. It is only read: a writer that closes it would first fold its whole log into the file.
 */
async function isNeeded(store: StoreLocation, key: string): Promise<boolean | undefined> {
  let reader: Database
  try {
    reader = await openStore(store, key, chainTables, 'read')
  } catch (error) {
    const code = faultOf(error)?.code
    if (code === 'store-version') return true
    if (code === 'store-failed') return undefined
    throw error
  }
  try {
    if (store.freeze === undefined) return false
    return !(await hasSums(reader)) || (await dueSegments(reader, store.freeze)).length > 0
  } finally {
    await reader.close()
  }
}

function underLease(
  database: Database,
  lease: Lease,
  clock: Clock,
): <T>(work: (writer: Writer) => T | Promise<T>) => Promise<T> {
  return async (work) =>
    database.transaction(async (writer) => {
      await holdLease(writer, lease, clock)
      return work(writer)
    })
}

const genesisQuestion = statement("select value from meta where name = 'genesisHash'")
const firstHash = statement('select hash from block where height = 0')

/** Hash of the first block of the chain, `0x` hex; `undefined` where the store does not say. */
async function storedGenesis(reader: Reader): Promise<string | undefined> {
  const told = (await reader.get(genesisQuestion))?.[0]
  if (typeof told === 'string') return told
  const hash = (await reader.get(firstHash))?.[0]
  return hash instanceof Uint8Array ? to0x(hash) : undefined
}
