/**
 * The stages that were live once, in a file of the data folder. After a restart this distinguishes
 * a chain that was live and is behind from one in its first backfill.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { writeWhole } from '../documents/watched-file.ts'

/** Names of stages that were live, as `fuji-43113 blocks`. */
export type LivedStages = {
  readonly has: (name: string) => boolean
  readonly add: (name: string) => void
}

const fileName = 'live-once.txt'

/** The stages that `folder` names; each that is added is written there at once, a line each. */
export function livedStages(folder: string): LivedStages {
  const path = join(folder, fileName)
  const names = new Set(linesOf(path))
  return {
    has: (name) => names.has(name),
    add: (name) => {
      if (names.has(name)) return
      names.add(name)
      writeWhole(path, [...names, ''].join('\n'))
    },
  }
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
