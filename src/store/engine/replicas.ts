/**
 * Readers of one deployment: replicas, which may lag, and the server of the setting `store`, which may
 * be a replica itself.
 *
 * A request reads from one of them from its beginning to its end, so that it never sees the store go
 * back. A page that follows another goes to a reader that is at least as far as the one before was,
 * whichever host answered that: a reader that lags would skip rows without a sign. How far a reader is,
 * is its place in the log of the server, the same for all of its stores.
 */

import { AsyncLocalStorage } from 'node:async_hooks'

import { Fault, faultOf } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { type Database, type Reader, statement } from './database.ts'

/** One server that answers. */
export type Member = {
  /** For messages: never an address, which may hold a password. */
  readonly name: string
  /** Its position in the log, where it gives it. Throws `store-failed` where it cannot be read. */
  readonly position: () => Promise<Position | undefined>
  readonly close: () => Promise<void>
}

/** The reader of a request. */
type Reading = {
  member: number | undefined
  /** True once it has read: it stays with its reader then. */
  hasRead: boolean
}

/** A reader that failed is tried again this often. */
const probeMs = 1_000

/** The readers of a deployment, the server of `store` last. */
export class Replicas {
  readonly #members: readonly Member[]
  readonly #down = new Set<number>()
  readonly #readings = new AsyncLocalStorage<Reading>()
  #turn = 0
  #isClosed = false

  constructor(members: readonly Member[]) {
    this.#members = members
  }

  get size(): number {
    return this.#members.length
  }

  /** Does `work`, all of whose reads go to one reader. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#readings.run({ member: undefined, hasRead: false }, work)
  }

  /**
   * Chooses for the work under way a reader that is as far as `place`, or one of another server
   * than `isOf` says, whose log has other places. Throws `not-ready` when there is none.
   */
  async reach(place: bigint, isOf: (server: string) => boolean): Promise<void> {
    const reading = this.#readings.getStore()
    for (const member of this.#inOrder()) {
      try {
        const at = await itemAt(this.#members, member).position()
        if (at !== undefined && isOf(at.server) && at.place < place) continue
        if (reading !== undefined) reading.member = member
        return
      } catch (error) {
        if (faultOf(error) === undefined) throw error
        this.#fell(member)
      }
    }
    throw new Fault(
      'not-ready',
      'no server that answers is as far as the server of the page before',
      { detail: { reset: 1 } },
    )
  }

  /** Position of the reader of the work under way; `undefined` where it read or gives nothing. */
  async position(): Promise<Position | undefined> {
    const reading = this.#readings.getStore()
    if (reading?.member === undefined || !reading.hasRead) return undefined
    return itemAt(this.#members, reading.member).position()
  }

  /**
   * Reads by `read`, which is given the number of a reader. One that fails is left alone until it
   * answers; where nothing was read yet another takes its place.
   */
  async read<T>(read: (member: number) => Promise<T>): Promise<T> {
    const reading = this.#readings.getStore() ?? { member: undefined, hasRead: false }
    let failure: unknown
    if (reading.member !== undefined) {
      try {
        return await this.#readFrom(reading.member, reading, read)
      } catch (error) {
        if (reading.hasRead || !isAway(error)) throw error
        failure = error
      }
    }
    for (const member of this.#inOrder()) {
      if (member === reading.member) continue
      try {
        const answer = await this.#readFrom(member, reading, read)
        reading.member = member
        return answer
      } catch (error) {
        if (!isAway(error)) throw error
        failure = error
      }
    }
    throw failure
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const member of this.#members) await member.close()
  }

  async #readFrom<T>(
    member: number,
    reading: Reading,
    read: (member: number) => Promise<T>,
  ): Promise<T> {
    try {
      const answer = await read(member)
      reading.hasRead = true
      return answer
    } catch (error) {
      if (isAway(error)) this.#fell(member)
      throw error
    }
  }

  /** Replicas that answer, in turn, then the primary, then replicas that failed lately. */
  #inOrder(): number[] {
    const replicas = this.#members.slice(0, -1).map((_, at) => at)
    const from = replicas.length === 0 ? 0 : this.#turn++ % replicas.length
    const turned = [...replicas.slice(from), ...replicas.slice(0, from), replicas.length]
    return [
      ...turned.filter((at) => !this.#down.has(at)),
      ...turned.filter((at) => this.#down.has(at)),
    ]
  }

  #fell(member: number): void {
    if (this.#down.has(member)) return
    this.#down.add(member)
    const probe = (): void => {
      AbortSignal.timeout(probeMs).addEventListener('abort', () => {
        if (this.#isClosed) return
        itemAt(this.#members, member)
          .position()
          .then(() => this.#down.delete(member), probe)
      })
    }
    probe()
  }
}

/**
 * Returns whether a server is away or does not have the store yet, so that another is worth a try.
 */
function isAway(error: unknown): boolean {
  return faultOf(error)?.code === 'store-failed'
}

/**
 * A store that is read from any of `replicas`; `open` opens it there. Opens it at one of them at
 * least. Throws `store-failed` where none has it.
 */
export async function openReplicated(
  replicas: Replicas,
  open: (member: number) => Promise<Database>,
): Promise<Database> {
  const opened = new Map<number, Promise<Database>>()
  const at = async (member: number): Promise<Database> => {
    const known = opened.get(member) ?? open(member)
    opened.set(member, known)
    // A replica that failed is opened again: its server may be back, or have received the store.
    known.catch(() => opened.delete(member))
    return known
  }
  const read = <T>(work: (reader: Database) => T | Promise<T>): Promise<T> =>
    replicas.read(async (member) => work(await at(member)))
  const first = await read((reader) => reader)
  const close = async (): Promise<void> => {
    for (const each of opened.values()) await (await each).close()
  }
  return {
    all: (statement, parameters) => read((from) => from.all(statement, parameters)),
    get: (statement, parameters) => read((from) => from.get(statement, parameters)),
    lookup: (lookup, keys) => read((from) => from.lookup(lookup, keys)),
    historyProblems: async () => {
      const all: string[] = []
      // Each has files of its own open; of one that fails the others are read.
      for (const each of opened.values())
        all.push(...((await (await each.catch(() => undefined))?.historyProblems?.()) ?? []))
      return [...new Set(all)]
    },
    engine: first.engine,
    name: first.name,
    transaction: first.transaction,
    snapshot: (work) => read((from) => from.snapshot(work)),
    claim: first.claim,
    unclaim: first.unclaim,
    pace: first.pace,
    sizeBytes: () => read((from) => from.sizeBytes()),
    close,
    [Symbol.asyncDispose]: close,
  }
}

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
const refusals = /^(?:42501|42883|0A000)$/

/** Reads the position of the server of `reader`; `undefined` where it refuses. */
export async function positionOf(reader: Pick<Reader, 'get'>): Promise<Position | undefined> {
  try {
    const [server = '0', place = '0'] = (await reader.get(question)) ?? []
    return { server: String(server), place: BigInt(String(place)) }
  } catch (error) {
    if (refusals.test(String(faultOf(error)?.detail['sqlstate']))) return undefined
    throw error
  }
}
