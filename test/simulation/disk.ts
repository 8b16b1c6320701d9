/**
 * Stores of simulated processes: real SQLite files that several processes share, and what may
 * happen to them.
 *
 * All processes of a simulation live in one thread, where a lock of SQLite would wait for itself:
 * writers take turns here instead, whole transactions at a time, as SQLite has them do.
 */

import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { Fault } from '../../src/core/fault.ts'
import type { Database, Reader, Writer } from '../../src/store/engine/database.ts'
import type { OpenAround } from '../../src/store/open.ts'
import type { Draws } from '../support/processes/draws.ts'
import { Killed, type Life } from './life.ts'

/** A harm that a store suffers while it lasts. */
export type StoreHarm = {
  readonly kind: 'full' | 'fails' | 'answer lost' | 'reads fail' | 'kill in a write' | 'power'
  readonly draws: Draws
  readonly took: () => void
}

/** The disk of a simulation. */
export class Disk {
  readonly harms = new Set<StoreHarm>()
  readonly folder: string
  /** Called when the power goes: every process ends at once. */
  powerLost: (() => Promise<void>) | undefined
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #open = new Map<Life, Set<Database>>()
  readonly #leaving = new Map<Life, Promise<void>>()

  constructor(folder: string) {
    this.folder = folder
  }

  /** Opening of the stores of one process. */
  around(life: Life): OpenAround {
    return async (open, { name, mode }) => {
      const opened = async (): Promise<Database> => {
        if (life.isDead) throw new Killed()
        const database = await open()
        // Before anything else may happen: what is open must be closed when the process ends.
        const all = this.#open.get(life) ?? new Set<Database>()
        this.#open.set(life, all.add(database))
        return database
      }
      const turn = mode === 'write' ? (): Promise<Database> => this.#turn(name, opened) : opened
      return this.#harmed(await life.meets(turn), life, mode === 'write')
    }
  }

  /** Closes what a process had open, as the system does when it ends. */
  leave(life: Life): Promise<void> {
    const closing = async (): Promise<void> => {
      const all = [...(this.#open.get(life) ?? [])]
      for (const database of all) await database.close()
    }
    const left = this.#leaving.get(life) ?? closing()
    this.#leaving.set(life, left)
    return left
  }

  /** Does `work` when no other writer of the store is at work. */
  #turn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(name) ?? Promise.resolve()).then(work)
    this.#turns.set(
      name,
      turn.catch(() => undefined),
    )
    return turn
  }

  #harm(kind: StoreHarm['kind']): StoreHarm | undefined {
    for (const harm of this.harms) if (harm.kind === kind) return harm
    return undefined
  }

  #harmed(inner: Database, life: Life, isWriter: boolean): Database {
    const read = <T>(work: () => T): T => {
      if (life.isDead) throw new Killed()
      const fails = this.#harm('reads fail')
      if (fails?.draws.chance(0.3) === true) {
        fails.took()
        throw new Fault('store-failed', 'as if a page could not be read')
      }
      return work()
    }
    // Who only reads waits for nobody.
    const close = (): Promise<void> =>
      life.meets(() => (isWriter ? this.#turn(inner.name, inner.close) : inner.close()))
    return {
      engine: inner.engine,
      name: inner.name,
      all: async (...parameters) => life.meets(async () => read(() => inner.all(...parameters))),
      get: async (...parameters) => life.meets(async () => read(() => inner.get(...parameters))),
      lookup: async (...parameters) =>
        life.meets(async () => read(() => inner.lookup(...parameters))),
      snapshot: (work) => life.meets(() => inner.snapshot(work)),
      claim: (epoch) => life.meets(async () => inner.claim(epoch)),
      unclaim: (epoch) => life.meets(async () => inner.unclaim(epoch)),
      pace: (pace) => life.meets(() => this.#turn(inner.name, () => inner.pace(pace))),
      sizeBytes: () => inner.sizeBytes(),
      close,
      [Symbol.asyncDispose]: close,
      transaction: (work) => life.meets(() => this.#transact(inner, life, work)),
    }
  }

  #transact<T>(inner: Database, life: Life, work: (writer: Writer) => T | Promise<T>): Promise<T> {
    return this.#turn(inner.name, async () => {
      if (life.isDead) throw new Killed()
      const spend = this.#countdown(life)
      const cut = this.#harm('power')
      const before = cut === undefined ? 0 : this.#logBytes(inner.name)
      const result = await inner.transaction(async (writer) => {
        const made = await work(spentBy(writer, spend))
        spend()
        return made
      })
      if (cut !== undefined && (await this.#losePower(inner.name, before, cut))) throw new Killed()
      const lost = this.#harm('answer lost')
      if (lost?.draws.chance(0.3) !== true) return result
      lost.took()
      throw new Fault('store-failed', 'as if the answer of a commit had been lost')
    })
  }

  /** Called with every operation of a transaction: throws where it is to end. */
  #countdown(life: Life): () => void {
    const full = this.#harm('full')
    const fails = this.#harm('fails')
    const kill = this.#harm('kill in a write')
    let left = Number.POSITIVE_INFINITY
    const harm = full ?? (fails?.draws.chance(0.5) === true ? fails : undefined) ?? kill
    if (harm !== undefined) left = harm.draws.between(0, 24)
    return () => {
      if (life.isDead) throw new Killed()
      if (harm === undefined || left-- > 0) return
      harm.took()
      if (harm === full) throw new Fault('store-full', 'as if the disk were full')
      if (harm !== kill) throw new Fault('store-failed', 'as if the disk failed')
      this.harms.delete(kill)
      life.kill()
      throw new Killed()
    }
  }

  #file(name: string): string {
    return join(this.folder, `${name}.sqlite`)
  }

  #logBytes(name: string): number {
    return statSync(`${this.#file(name)}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }

  /**
   * Contents of a disk when the power goes before a commit is synced: the log as it was, and any
   * part of what the commit added. Nobody learned of the commit itself.
   */
  async #losePower(name: string, before: number, harm: StoreHarm): Promise<boolean> {
    const file = this.#file(name)
    const after = this.#logBytes(name)
    if (after <= before || this.powerLost === undefined) return false
    this.harms.delete(harm)
    harm.took()
    const [store, log] = [readFileSync(file), readFileSync(`${file}-wal`)]
    await this.powerLost()
    writeFileSync(file, store)
    writeFileSync(`${file}-wal`, log)
    truncateSync(`${file}-wal`, harm.draws.between(before, after))
    rmSync(`${file}-shm`, { force: true })
    return true
  }
}

/** The same writer, whose every operation is counted first. */
function spentBy(writer: Writer, spend: () => void): Writer {
  const then =
    <Parameters extends unknown[], Result>(work: (...parameters: Parameters) => Result) =>
    async (...parameters: Parameters): Promise<Awaited<Result>> => {
      spend()
      return await work(...parameters)
    }
  const reader: Reader = {
    all: then(writer.all),
    get: then(writer.get),
    lookup: then(writer.lookup),
  }
  return {
    ...reader,
    run: then(writer.run),
    insert: then(writer.insert),
    insertNew: then(writer.insertNew),
    upsert: then(writer.upsert),
    update: then(writer.update),
    remove: then(writer.remove),
    clear: then(writer.clear),
  }
}
