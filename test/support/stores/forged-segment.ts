/**
 * A segment in place of another one, with rows that somebody chose behind a name that fits them: what a
 * host may offer that wants to be believed.
 */

import assert from 'node:assert/strict'

import { itemAt } from '../../../src/core/item-at.ts'
import {
  type Database,
  type Row,
  statement,
  type Value,
} from '../../../src/store/engine/database.ts'
import { written } from '../../../src/store/history/freeze.ts'
import { writeManifest } from '../../../src/store/history/manifest.ts'
import { columnNames, type Table } from '../../../src/store/schema/table.ts'

/** Rows of a table of a segment, in order of their key, as they are to be. */
export type Forge = (rows: readonly Row[]) => readonly Row[]

/** Writes the first segment of an open store that has certain tables with other rows, and lists it. */
export async function forgeSegment(
  store: Database,
  forgeries: Readonly<Record<string, Forge>>,
): Promise<void> {
  const history = store.history
  assert.ok(history !== undefined)
  const manifest = await history.manifest(store)
  const old = manifest.segments.find(({ stage }) =>
    history.schemaOf(stage).tables.some(({ name }) => forgeries[name] !== undefined),
  )
  assert.ok(old !== undefined)
  const draft = await history.folder.draft(manifest)
  const file = await history.file(old)
  const name = await written(draft, history.schemaOf(old.stage), async (made) => {
    for (const table of history.schemaOf(old.stage).tables) {
      const rows = file.all(allOf(table))
      const forged = forgeries[table.name]?.(rows) ?? rows
      const columns = columnNames(table).map((each, at): [string, Value[]] => [
        each,
        forged.map((row) => itemAt(row, at)),
      ])
      if (forged.length > 0) made.add(table, Object.fromEntries(columns))
    }
  })
  await history.folder.place(draft, name)
  history.folder.drafted(draft)
  const segments = manifest.segments.map((each) => (each === old ? { ...old, name } : each))
  await store.transaction(async (writer) =>
    writeManifest(writer, manifest, { ...manifest, segments }),
  )
}

function allOf({ name, key }: Table): ReturnType<typeof statement> {
  return statement<string>(`select * from ${name} order by ${key.join(', ')}`, { over: 'tables' })
}
