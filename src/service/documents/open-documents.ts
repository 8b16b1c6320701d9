/** Opens the documents of a deployment: files of its data folder, or a store on PostgreSQL. */

import type { Config } from '../../config/settings.ts'
import { faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import type { Database } from '../../store/engine/database.ts'
import { openStore, type StoreLocation } from '../../store/open.ts'
import { deploymentStore, deploymentTables } from '../../store/schema/deployment.ts'
import type { Log } from '../../telemetry/log.ts'
import { type DocumentName, documentNames, type Documents } from './documents.ts'
import { storedDocuments } from './stored-documents.ts'
import { bytesOf, watchedFile, writeWhole } from './watched-file.ts'

/**
 * Opens the documents that `config` leads to. A process that only serves reads them from a replica
 * where the primary is away. Throws the faults of opening a store.
 */
export async function openDocuments(
  config: Pick<Config, 'store' | 'dataDir' | 'role'>,
  {
    clock,
    log,
    location,
  }: { readonly clock: Clock; readonly log: Log; readonly location?: StoreLocation },
): Promise<Documents> {
  const { store, dataDir } = config
  if (store === 'embedded') return folderDocuments(dataDir)
  const open = (mode: 'read' | 'write'): Promise<Database> =>
    openStore(location ?? { store, dataDir }, deploymentStore, deploymentTables, mode)
  let names: readonly DocumentName[] = documentNames
  const database = await open('write').catch((error: unknown) => {
    if (config.role !== 'serve' || faultOf(error)?.code !== 'store-failed') throw error
    log.warn('keys and aliases of the deployment are only read', { error })
    // Files of the folder wait for a start with the primary.
    names = []
    return open('read')
  })
  try {
    return await storedDocuments(database, { clock, log, dataDir, names })
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
    watch: ({ name, ...document }) => watchedFile(place(name), document),
    change: async (name, change) => {
      const text = change(bytesOf(place(name)))
      if (text !== undefined) writeWhole(place(name), text)
    },
    refresh: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
