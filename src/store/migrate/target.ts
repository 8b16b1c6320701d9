/**
 * Where a migration leads. Copies lie beside the place of the stores, under names that nothing else
 * uses, until all of them are whole; only then they get the names under which they are found.
 */

import { assert, Fault, faultOf } from '../../core/fault.ts'
import { type Database, statement } from '../engine/database.ts'
import type { Table } from '../engine/table.ts'
import { openCopy, openStore, type StoreLocation } from '../open.ts'
import { copyEnding, migratedStore, migrationStore, migrationTables } from '../schema/migration.ts'
import { folderPlace } from './folder-place.ts'
import type { Place } from './place.ts'

/** A migration that goes on in its target. */
export type Target = {
  readonly location: StoreLocation
  /** All copies are whole; an earlier attempt ended while they got their names. */
  readonly isMoving: boolean
  /**
   * A copy to write, empty unless an earlier attempt began it from the same `state` of its source.
   */
  readonly openCopy: (store: StoreToCopy, state: string | undefined) => Promise<Database>
  /** Notes that a copy equals its source. */
  readonly whole: (name: string) => Promise<void>
  /** Notes that all that is wanted is whole, and drops other copies: from here on it is only finished. */
  readonly seal: () => Promise<void>
  /** Gives the copies their names, after {@link Target.seal}. The target is closed then. */
  readonly finish: () => Promise<void>
  /** Takes away all copies and notes. The target is closed then. */
  readonly abandon: () => Promise<void>
  readonly close: () => Promise<void>
}

type StoreToCopy = { readonly name: string; readonly tables: readonly Table[] }

const notesQuestion = statement('select name, source, phase from migrated_store')

/** Stored state of a copy. */
type Note = { readonly source: string; readonly phase: string }

/**
 * Opens a target. Throws `bad-config` when it has one of `names` already, as stores that may not be
 * overwritten, and `store-version` when a newer product began to migrate into it.
 */
export async function openTarget(
  location: StoreLocation,
  names: readonly string[],
): Promise<Target> {
  const place = await placeOf(location)
  try {
    const found = await place.names()
    const isBegun = found.includes(migrationStore)
    const notes = await openCopy(location, migrationStore, migrationTables)
    const known = await readNotes(notes)
    const isMoving = [...known.values()].some(({ phase }) => phase === 'moving')
    const taken = found.find((name) => names.includes(name))
    if (taken !== undefined && !isMoving) {
      await notes.close()
      if (!isBegun) await place.drop(migrationStore)
      throw new Fault(
        'bad-config',
        `the target has a store of this name, and nothing is overwritten; name an empty one: ${taken}`,
      )
    }
    return new OpenTarget(location, { place, notes, known, isMoving })
  } catch (error) {
    await place.close()
    throw error
  }
}

type TargetParts = {
  readonly place: Place
  readonly notes: Database
  readonly known: Map<string, Note>
  readonly isMoving: boolean
}

class OpenTarget implements Target {
  readonly location: StoreLocation
  readonly isMoving: boolean
  readonly #place: Place
  readonly #notes: Database
  readonly #known: Map<string, Note>

  constructor(location: StoreLocation, parts: TargetParts) {
    this.location = location
    this.isMoving = parts.isMoving
    this.#place = parts.place
    this.#notes = parts.notes
    this.#known = parts.known
  }

  openCopy: Target['openCopy'] = async ({ name, tables }, state) => {
    const copy = `${name}${copyEnding}`
    const isSame = state !== undefined && this.#known.get(name)?.source === state
    if (!isSame) {
      await this.#place.drop(copy)
      await this.#note(name, { source: state ?? '', phase: 'copying' })
    }
    return openCopy(this.location, copy, tables)
  }

  whole: Target['whole'] = async (name) => {
    const note = this.#known.get(name)
    assert(note !== undefined, 'a copy is noted before it is whole')
    await this.#note(name, { ...note, phase: 'whole' })
  }

  seal: Target['seal'] = async () => {
    for (const [name, note] of this.#known) {
      if (note.phase === 'copying') {
        // Of a store that an earlier attempt began, and that is no longer wanted.
        await this.#place.drop(`${name}${copyEnding}`)
        await this.#notes.transaction((writer) => writer.remove(migratedStore, { name: [name] }))
        this.#known.delete(name)
      } else await this.#note(name, { ...note, phase: 'moving' })
    }
  }

  finish: Target['finish'] = async () => {
    await this.#notes.close()
    await this.#place.finish([...this.#known.keys()])
    await this.#place.close()
  }

  abandon: Target['abandon'] = async () => {
    await this.#notes.close()
    const isOurs = (name: string): boolean => name === migrationStore || name.endsWith(copyEnding)
    for (const name of (await this.#place.names()).filter(isOurs)) await this.#place.drop(name)
    await this.#place.close()
  }

  close: Target['close'] = async () => {
    await this.#notes.close()
    await this.#place.close()
  }

  async #note(name: string, { source, phase }: Note): Promise<void> {
    await this.#notes.transaction((writer) =>
      writer.upsert(migratedStore, { name: [name], source: [source], phase: [phase] }),
    )
    this.#known.set(name, { source, phase })
  }
}

/**
 * Throws `lease-lost` while stores are being migrated into a place: a Firn that began there would
 * index what is being copied.
 */
export async function checkNotMigrating(location: StoreLocation): Promise<void> {
  try {
    await (await openStore(location, migrationStore, migrationTables, 'read')).close()
  } catch (error) {
    // The store or the place does not exist; opening a store there will say so.
    if (faultOf(error)?.code === 'store-failed') return
    throw error
  }
  throw new Fault(
    'lease-lost',
    'a migration into these stores is not finished: run the same firn migrate again, or with --abandon',
  )
}

/** The place of `location`. Its driver is loaded only when it is needed. */
export async function placeOf(location: StoreLocation): Promise<Place> {
  if (location.store === 'embedded') return folderPlace(location.dataDir)
  const { postgresPlace } = await import('./postgres-place.ts')
  return postgresPlace(location.store)
}

async function readNotes(notes: Database): Promise<Map<string, Note>> {
  const rows = await notes.all(notesQuestion)
  return new Map(
    rows.map(([name, source, phase]) => [
      String(name),
      { source: String(source), phase: String(phase) },
    ]),
  )
}
