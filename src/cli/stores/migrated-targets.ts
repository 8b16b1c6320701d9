/** Where a migration leads: to one place, or to the several servers of a configuration. */

import { assert } from '../../core/fault.ts'
import { serverOf } from '../../service/stores/store-location.ts'
import { openTarget, placeOf, type Target } from '../../store/migrate/target.ts'
import type { StoreLocation } from '../../store/open.ts'
import { migrationStore } from '../../store/schema/migration.ts'

/** The places of a migration together; each has notes of its own. */
export type Targets = {
  /** All copies are whole; an earlier attempt ended while they got their names. */
  readonly isMoving: boolean
  /** The place of a store. */
  readonly of: (name: string) => Target
  /** Gives all copies their final names once all of them are whole, and closes the targets. */
  readonly finish: () => Promise<void>
  /** Takes away all copies and notes. The targets are closed then. */
  readonly abandon: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Returns whether a store of this name lies at the same place in both. */
export function isSamePlace(name: string, one: StoreLocation, other: StoreLocation): boolean {
  const server = serverOf(one, name)
  if (server !== serverOf(other, name)) return false
  return server !== 'embedded' || one.dataDir === other.dataDir
}

/**
 * Opens the places of the stores `names`. Throws as {@link openTarget}, and leaves no notes then where
 * there were none.
 */
export async function openTargets(
  location: StoreLocation,
  names: readonly string[],
): Promise<Targets> {
  const byServer = Map.groupBy(names, (name) => serverOf(location, name))
  const servers = [...byServer.keys()]
  const begun = new Set<string>()
  for (const server of servers) if (await isBegun(placedAt(location, server))) begun.add(server)
  const opened = new Map<string, Target>()
  try {
    // Targets that know whether an earlier attempt finished all copies come first.
    for (const server of [...begun, ...servers.filter((one) => !begun.has(one))]) {
      // Where the others are being finished a place without notes is finished already.
      if (!begun.has(server) && someMoves(opened)) continue
      const own = byServer.get(server) ?? []
      opened.set(server, await openTarget(placedAt(location, server), own))
    }
  } catch (error) {
    for (const [server, target] of opened)
      await (begun.has(server) ? target.close() : target.abandon())
    throw error
  }
  return openedTargets(location, opened)
}

function openedTargets(location: StoreLocation, opened: ReadonlyMap<string, Target>): Targets {
  const all = [...opened.values()]
  return {
    isMoving: someMoves(opened),
    of: (name) => {
      const target = opened.get(serverOf(location, name))
      assert(target !== undefined, 'the places of all stores are open')
      return target
    },
    finish: async () => {
      // All of them say so before the first is finished: what is missing afterwards can be told.
      for (const target of all) await target.seal()
      for (const target of all) await target.finish()
    },
    abandon: async () => {
      for (const target of all) await target.abandon()
    },
    close: async () => {
      for (const target of all) await target.close()
    },
  }
}

function someMoves(opened: ReadonlyMap<string, Target>): boolean {
  return [...opened.values()].some(({ isMoving }) => isMoving)
}

function placedAt({ dataDir }: StoreLocation, store: string): StoreLocation {
  return { store, dataDir }
}

async function isBegun(location: StoreLocation): Promise<boolean> {
  const place = await placeOf(location)
  try {
    return (await place.names()).includes(migrationStore)
  } finally {
    await place.close()
  }
}
