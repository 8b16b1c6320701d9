/** Keys and aliases on their way between the files of a data folder and a store. */

import { join } from 'node:path'

import { Fault, faultOf } from '../../core/fault.ts'
import { documentNames } from '../../service/documents/documents.ts'
import { bytesOf } from '../../service/documents/watched-file.ts'
import { writeWhole } from '../../service/documents/whole-file.ts'
import type { Target } from '../../store/migrate/target.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { changeDocument, storedDocument } from '../../store/query/deployment.ts'
import { deploymentStore, deploymentTables } from '../../store/schema/deployment.ts'

/** Documents by name. */
export type HeldDocuments = ReadonlyMap<string, Uint8Array>

/** The documents of a deployment whose stores lie at `location`. */
export async function documentsAt(location: StoreLocation): Promise<HeldDocuments> {
  const held = new Map<string, Uint8Array>()
  for (const name of documentNames) {
    const bytes =
      location.store === 'embedded'
        ? bytesOf(join(location.dataDir, name))
        : await storedBytes(location, name)
    if (bytes !== undefined) held.set(name, bytes)
  }
  return held
}

/** Throws `bad-config` where documents of the target would be overwritten by others. */
export function checkFree(documents: HeldDocuments, { store, dataDir }: StoreLocation): void {
  if (store !== 'embedded') return
  for (const [name, bytes] of documents) {
    const there = bytesOf(join(dataDir, name))
    if (there !== undefined && Buffer.compare(there, bytes) !== 0)
      throw new Fault(
        'bad-config',
        `the target has other keys or aliases, and nothing is overwritten; move them away: ${join(dataDir, name)}`,
      )
  }
}

/** Writes the documents into the target: its files, or a copy of a store. */
export async function copyDocuments(documents: HeldDocuments, target: Target): Promise<void> {
  const { store, dataDir } = target.location
  if (documents.size === 0) return
  if (store === 'embedded') {
    for (const [name, bytes] of documents) writeWhole(join(dataDir, name), bytes)
    return
  }
  const copy = await target.openCopy({ name: deploymentStore, tables: deploymentTables }, undefined)
  try {
    for (const [name, bytes] of documents) await changeDocument(copy, name, () => bytes)
  } finally {
    await copy.close()
  }
  await target.whole(deploymentStore)
}

async function storedBytes(location: StoreLocation, name: string): Promise<Uint8Array | undefined> {
  try {
    const store = await openStore(location, deploymentStore, deploymentTables, 'read')
    const document = await storedDocument(store, name)
    await store.close()
    return document?.content
  } catch (error) {
    // No process of the deployment has made it yet.
    if (faultOf(error)?.code === 'store-failed') return undefined
    throw error
  }
}
