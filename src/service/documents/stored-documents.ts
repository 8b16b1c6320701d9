/** Documents of a deployment in a store that all of its processes reach. */

import { existsSync, renameSync } from 'node:fs'

import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  changeDocument,
  documentRevisions,
  type StoredDocument,
  storedDocument,
} from '../../store/query/deployment.ts'
import type { Log } from '../../telemetry/log.ts'
import type { DocumentName, Documents } from './documents.ts'
import { bytesOf, parsedAnew } from './watched-file.ts'

/** Between two looks at the revisions. */
const lookEveryMs = 1_000

/** Looks, their answers, and clocks of several machines: a change is known everywhere by then. */
const spreadMs = 10_000

/** Ending of a file whose content was taken into the store. */
const movedEnding = '.moved'

type StoredDocumentsOptions = {
  readonly clock: Clock
  readonly log: Log
  /** Folder whose files are taken over: a deployment may have begun with one process. */
  readonly dataDir: string
  readonly names: readonly DocumentName[]
}

/** The documents in `store`, which is closed with them. */
export async function storedDocuments(
  store: Database,
  options: StoredDocumentsOptions,
): Promise<Documents> {
  for (const name of options.names) await takeOver(store, name, options)
  const known = new Map<string, StoredDocument>()
  await refresh(store, known)
  const over = new AbortController()
  let following: Promise<void> | undefined
  return {
    place: (name) => `${name} in store ${store.name}`,
    spreadMs,
    read: async (name) => (await storedDocument(store, name))?.content,
    watch: (document) => {
      following ??= follow(() => refresh(store, known), options, over.signal)
      const current = (): StoredDocument | undefined => known.get(document.name)
      return parsedAnew(document, current, () => current()?.content)
    },
    change: async (name, change) => {
      await changeDocument(store, name, (bytes) => {
        const text = change(bytes)
        return text === undefined ? undefined : Buffer.from(text)
      })
      await refresh(store, known)
    },
    refresh: () => refresh(store, known),
    close: async () => {
      over.abort()
      await following
      await store.close()
    },
  }
}

/** A file of the folder becomes the document, unless the deployment has one. */
async function takeOver(
  store: Database,
  name: DocumentName,
  { dataDir, log }: StoredDocumentsOptions,
): Promise<void> {
  const path = `${dataDir}/${name}`
  const file = bytesOf(path)
  if (file === undefined) return
  let isTaken = false
  await changeDocument(store, name, (stored) => {
    isTaken = stored === undefined || Buffer.compare(stored, file) === 0
    return stored === undefined ? file : undefined
  })
  if (!isTaken) {
    log.warn('a file of the data folder is not read: the deployment has its own', { file: path })
    return
  }
  // Another process over the same folder may have moved it meanwhile.
  if (existsSync(path)) renameSync(path, `${path}${movedEnding}`)
  log.info('a file of the data folder became a document of the deployment', { file: path })
}

/** Reads the documents that changed since `known`. */
async function refresh(store: Database, known: Map<string, StoredDocument>): Promise<void> {
  for (const [name, revision] of await documentRevisions(store)) {
    if (known.get(name)?.revision === revision) continue
    const document = await storedDocument(store, name)
    if (document !== undefined) known.set(name, document)
  }
}

/** Looks for changes until `signal`; a store that is away is logged once. */
async function follow(
  look: () => Promise<void>,
  { clock, log }: StoredDocumentsOptions,
  signal: AbortSignal,
): Promise<void> {
  let isAway = false
  while (!signal.aborted) {
    // Ends with the signal, which the loop checks.
    await clock.sleep(lookEveryMs, signal).catch(() => undefined)
    if (signal.aborted) return
    try {
      await look()
      isAway = false
    } catch (error) {
      const reason = faultOf(error)?.message ?? error
      if (!isAway) log.warn('keys and aliases of the deployment not read again', { reason })
      isAway = true
    }
  }
}
