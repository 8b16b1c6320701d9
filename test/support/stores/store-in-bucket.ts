/** A store of SQLite whose history goes into an empty bucket. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

import type { Database } from '../../../src/store/engine/database.ts'
import { openStore, type StoreLocation } from '../../../src/store/open.ts'
import type { Table } from '../../../src/store/schema/table.ts'
import { bucketOf, type ObjectStorage, startStorage } from './object-storage.ts'
import { type Filling, newFolder } from './stores.ts'

/** The store, the storage, and the folder of what this disk keeps. */
export type StoreInBucket = {
  readonly store: Database
  readonly storage: ObjectStorage
  readonly folder: string
  readonly location: StoreLocation
}

/** Opens the store `name` of `filling`; it ends with `t`. Files have `fileBytes` at most. */
export async function storeInBucket(
  t: TestContext,
  {
    name,
    tables,
    fileBytes,
    filling,
  }: {
    readonly name: string
    readonly tables: readonly Table[]
    readonly fileBytes: number
    readonly filling?: Filling
  },
): Promise<StoreInBucket> {
  const storage = await startStorage()
  t.after(storage.close)
  const dataDir = await newFolder(filling)
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const folder = join(dataDir, 'cache')
  const bucket = bucketOf(storage, { folder, fileBytes })
  const location = { store: 'embedded', dataDir, segments: folder, bucket, freeze: {} }
  const store = await openStore(location, name, tables, 'write')
  t.after(() => store.close())
  return { store, storage, folder, location }
}
