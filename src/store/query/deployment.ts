/** Documents that the processes of a deployment share. */

import { Fault } from '../../core/fault.ts'
import { type Database, type Reader, statement } from '../engine/database.ts'

/** A document as it is stored. */
export type StoredDocument = { readonly revision: number; readonly content: Uint8Array }

/** Changes of one document at the same moment, each of which makes the others try once more. */
const maxTries = 32

const revisions = statement('select name, revision from deployment_document')
const document = statement('select revision, content from deployment_document where name = ?')
const first = statement(
  `insert into deployment_document (name, content, revision) values (?, ?, 1)
   on conflict do nothing`,
)
const next = statement(
  `update deployment_document set content = ?, revision = revision + 1
   where name = ? and revision = ?`,
)

/** Revisions by name. */
export async function documentRevisions(store: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await store.all(revisions)
  return new Map(rows.map(([name, revision]) => [String(name), Number(revision)]))
}

/** The document `name`; `undefined` where there is none. */
export async function storedDocument(
  store: Reader,
  name: string,
): Promise<StoredDocument | undefined> {
  const row = await store.get(document, [name])
  if (row === undefined) return undefined
  const [revision, content] = row
  if (!(content instanceof Uint8Array))
    throw new Fault('store-failed', `a document without content: ${name}`)
  return { revision: Number(revision), content }
}

/**
 * Replaces a document by what `change` makes of it; left as it is where that is `undefined`. When
 * another process changes it at the same moment `change` is called again, with what is stored then.
 */
export async function changeDocument(
  store: Database,
  name: string,
  change: (content: Uint8Array | undefined) => Uint8Array | undefined,
): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const stored = await storedDocument(store, name)
    const content = change(stored?.content)
    if (content === undefined) return
    const written = await store.transaction((writer) =>
      stored === undefined
        ? writer.run(first, [name, content])
        : writer.run(next, [content, name, stored.revision]),
    )
    if (written === 1) return
  }
  throw new Fault('store-failed', `other processes change this document all the time: ${name}`)
}
