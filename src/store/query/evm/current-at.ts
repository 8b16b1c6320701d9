/** When a chain was last known to be whole, the same for every process that reads its store. */

import { type Reader, statement, type Writer } from '../../engine/database.ts'
import { currentAtName, meta } from '../../schema/control.ts'

const question = statement('select value from meta where name = ?')

/**
 * Unix seconds at which a node last said that the stored height is its head; `undefined` before it
 * did. Cost: one look-up by key.
 */
export async function currentAt(reader: Reader): Promise<number | undefined> {
  const [value] = (await reader.get(question, [currentAtName])) ?? []
  return value === undefined ? undefined : Number(value)
}

/** Keeps the moment, Unix seconds. */
export async function storeCurrentAt(writer: Writer, at: number): Promise<void> {
  await writer.upsert(meta, { name: [currentAtName], value: [String(at)] })
}
