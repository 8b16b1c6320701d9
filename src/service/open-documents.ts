/** Opens the documents of a deployment: files of its data folder, or a store on PostgreSQL. */

import type { Config } from '../config/settings.ts'
import type { Clock } from '../core/world.ts'
import { openStore } from '../store/engine/open.ts'
import { deploymentStore, deploymentTables } from '../store/schema/deployment.ts'
import type { Log } from '../telemetry/log.ts'
import { type DocumentName, documentNames, type Documents } from './documents.ts'
import { storedDocuments } from './stored-documents.ts'
import { bytesOf, watchedFile } from './watched-file.ts'
import { writeWhole } from './whole-file.ts'

/** Opens the documents that `config` leads to. Throws the faults of opening a store. */
export async function openDocuments(
  config: Pick<Config, 'store' | 'dataDir'>,
  parts: { readonly clock: Clock; readonly log: Log },
): Promise<Documents> {
  const { store, dataDir } = config
  if (store === 'embedded') return folderDocuments(dataDir)
  const database = await openStore({ store, dataDir }, deploymentStore, deploymentTables, 'write')
  try {
    return await storedDocuments(database, { ...parts, dataDir, names: documentNames })
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The files of a data folder. */
function folderDocuments(dataDir: string): Documents {
  const place = (name: DocumentName): string => `${dataDir}/${name}`
  return {
    place,
    spreadMs: 0,
    read: async (name) => bytesOf(place(name)),
    watch: ({ name, ...document }) => watchedFile({ ...document, path: place(name) }),
    change: async (name, change) => {
      const text = change(bytesOf(place(name)))
      if (text !== undefined) writeWhole(place(name), text)
    },
    refresh: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
