/** Puts a new file in the place of a damaged one, with what can still be read. */

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { openSqliteReader, openSqliteWriter } from '../../store/engine/sqlite.ts'
import type { Table } from '../../store/engine/table.ts'
import { copyReadable } from '../../store/sums/copy-readable.ts'

/**
 * Salvages the embedded store `key` of a folder. Returns the path under which the damaged file stays.
 * Nobody else may have the store open. Throws `store-failed` where the file cannot be opened or its
 * sums cannot be read.
 */
export async function salvage(
  dataDir: string,
  key: string,
  tables: readonly Table[],
): Promise<string> {
  const folder = join(dataDir, 'salvaged')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const path = join(dataDir, `${key}.sqlite`)
  const made = join(folder, `${key}.sqlite`)
  const from = openSqliteReader({ path, name: key, tables })
  try {
    const to = openSqliteWriter({ path: made, name: key, tables })
    try {
      await copyReadable(from, to, tables)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
  const kept = `${path}-damaged`
  renameSync(path, kept)
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, kept + suffix)
  renameSync(made, path)
  rmSync(folder, { recursive: true, force: true })
  return kept
}
