/** Facts that a store keeps about itself, as text by name. */

import { type Reader, statement, type Writer } from './engine/database.ts'
import { meta } from './schema/control.ts'

const one = statement('select value from meta where name = ?')
const every = statement('select name, value from meta')

/** The text kept under `name`; `undefined` where there is none. Cost: one look-up by key. */
export async function metaText(reader: Reader, name: string): Promise<string | undefined> {
  return (await reader.get(one, [name]))?.[0]
}

/** All that is kept, by name. */
export async function allMeta(reader: Reader): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.all(every)
  return new Map(rows.map(([name, value]) => [name, value]))
}

/** Keeps texts by name, in place of those that are there. */
export async function putMeta(
  writer: Writer,
  facts: Readonly<Record<string, string>>,
): Promise<void> {
  await writer.upsert(meta, { name: Object.keys(facts), value: Object.values(facts) })
}
