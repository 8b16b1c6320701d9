/** The tables of a store as one SQLite file, taken in one moment beside those who write the store. */

import { join } from 'node:path'

import { assert } from '../../core/fault.ts'
import { copySqlite } from '../engine/sqlite-copy.ts'
import { openCopy, openStore, type StoreLocation } from '../open.ts'
import { type CopiedStore, copyStore, presentTables, tablesIn } from './copy-store.ts'

/**
 * Copies the tables of a store into `<folder>/<name>.sqlite`, which must not exist. Throws
 * `store-version`, `store-failed`, `store-full`.
 */
export async function copyTables(
  location: StoreLocation,
  store: CopiedStore,
  folder: string,
): Promise<string> {
  const path = join(folder, `${store.name}.sqlite`)
  if (location.store === 'embedded') {
    copySqlite(join(location.dataDir, `${store.name}.sqlite`), path, store.name)
    return path
  }
  const from = await openStore(location, store.name, store.tables, 'read')
  try {
    const tables = await presentTables(from, store, await tablesIn(from))
    const to = await openCopy({ store: 'embedded', dataDir: folder }, store.name, store.tables)
    try {
      await from.snapshot((reader) =>
        copyStore(store.name, { from: reader, to, tables }, () => undefined),
      )
      assert(await to.pace('follow'), 'nobody else has the copy open')
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
  return path
}
