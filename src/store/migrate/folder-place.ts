/** Stores in a data folder, as files. */

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { Fault } from '../../core/fault.ts'
import { copyEnding, migrationStore } from '../schema/migration.ts'
import type { Place } from './place.ts'

const ending = '.sqlite'

/** The stores of `folder`. */
export function folderPlace(folder: string): Place {
  const file = (name: string): string => join(folder, `${name}${ending}`)
  const drop = (name: string): void => {
    for (const part of ['', '-wal', '-shm']) rmSync(`${file(name)}${part}`, { force: true })
  }
  return {
    names: async () =>
      existsSync(folder)
        ? readdirSync(folder)
            .filter((name) => name.endsWith(ending))
            .map((name) => name.slice(0, -ending.length))
        : [],
    drop: async (name) => drop(name),
    finish: async (names) => {
      for (const name of names) {
        const copy = file(`${name}${copyEnding}`)
        // Renamed before an earlier attempt ended.
        if (!existsSync(copy)) continue
        if (existsSync(`${copy}-wal`))
          throw new Fault('store-failed', `another process has this copy open: ${copy}`)
        renameSync(copy, file(name))
      }
      drop(migrationStore)
    },
    close: () => Promise.resolve(),
  }
}
