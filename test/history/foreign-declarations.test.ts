/** A snapshot of somebody else, whose hashes are right and whose tables are declared in other words than ours. */

import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { openStore } from '../../src/store/open.ts'
import { chainTables, messageTables, primaryStoreTables } from '../../src/store/schema/stores.ts'
import { restoreSnapshot } from '../../src/store/snapshot/restore-snapshot.ts'
import { storedFile, SnapshotFolder } from '../../src/store/snapshot/snapshot-folder.ts'
import { takeSnapshot } from '../../src/store/snapshot/take-snapshot.ts'

const declare = (name: string, change: string): string =>
  `pragma writable_schema = on; update sqlite_schema set sql = ${change} where name = '${name}'`

/** Words that make a part which is not ours, each of another kind. */
const foreign = [
  'create view extra as select 1',
  'create trigger extra after insert on meta begin delete from meta; end',
  'create table extra (a integer) strict',
  'create virtual table extra using fts5 (words)',
  'create index extra on meta (value)',
  'create unique index extra on meta (value)',
  'alter table meta add column extra text',
  'alter table meta add column extra text generated always as (upper(name)) virtual',
  declare('meta', "replace(sql, 'value text not null', 'value text not null check (value > 7)')"),
  declare('meta', "replace(sql, 'value text', 'value text collate nocase')"),
  declare('meta', "replace(sql, 'value text not null', 'value text not null default (random())')"),
  declare('checkpoint', "replace(sql, 'epoch integer', 'epoch integer references meta(name)')"),
  declare('checkpoint', "replace(sql, 'strict', '')"),
]

void test('foreign declarations: a restored store is declared as this version does, to the letter', async (t) => {
  const base = mkdtempSync(join(tmpdir(), 'firn-foreign-'))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  const location = { store: 'embedded', dataDir: join(base, 'data') } as const
  const stores = [
    { name: 'fuji-1', tables: chainTables },
    { name: 'primary-fuji', tables: primaryStoreTables },
    { name: 'messages', tables: messageTables },
  ]
  for (const { name, tables } of stores)
    await (await openStore(location, name, tables, 'write')).close()
  const at = SnapshotFolder.make(join(base, 'copies'))
  const quiet = { report: () => undefined, documents: new Map(), firn: 'test' }
  await takeSnapshot({ ...quiet, location, stores, folder: at, takenAt: new Date(0) })
  const { id: _newest, ...manifest } = at.snapshot(undefined)
  const home = join(base, 'home')
  const own = { folder: at, manifest, dataDir: join(base, 'own'), into: undefined }
  await restoreSnapshot({ ...own, isTrusted: true, report: () => undefined })
  for (const store of manifest.stores)
    for (const words of foreign) {
      const path = join(base, 'altered')
      copyFileSync(at.filePath(store.tables), path)
      const database = new DatabaseSync(path, { allowExtension: false })
      database.enableDefensive?.(false)
      database.exec(words)
      database.close()
      const tables = await storedFile(path)
      renameSync(path, at.filePath(tables))
      const altered = manifest.stores.map((one) => (one === store ? { ...one, tables } : one))
      const of = {
        folder: at,
        manifest: { ...manifest, stores: altered },
        dataDir: home,
      }
      await assert.rejects(
        restoreSnapshot({ ...of, isTrusted: true, into: undefined, report: () => undefined }),
        /has a part that is not of Firn|store-version/,
        `${store.name}: ${words}`,
      )
      assert.equal(existsSync(home), false, 'nothing is left')
    }
})
