/**
 * Restored stores on their way into PostgreSQL. Copies lie beside the stores' places, under names that
 * nothing else uses, until all of them are whole and compared: no Firn sees a part.
 */

import { Fault } from '../../core/fault.ts'
import { openCopy, openStore, type StoreLocation } from '../open.ts'
import { changeNamespaces, storesAt } from '../postgres/namespaces.ts'
import { changeDocument } from '../query/deployment.ts'
import { deploymentStore, deploymentTables } from '../schema/deployment.ts'
import { type CopiedStore, copyStore, presentTables } from './copy-store.ts'

/** Ending of the name of a store that is not whole yet. */
const copyEnding = '-restoring'

/** Stores that a restore puts into PostgreSQL. */
export type ServerStores = {
  /** Server of a store. */
  readonly serverOf: (name: string) => string
  readonly stores: readonly CopiedStore[]
  /** Names of the files that PostgreSQL keeps for all processes. */
  readonly documents: readonly string[]
}

/**
 * Throws `bad-config` where a server has one of the stores: nothing is overwritten. Copies of a restore
 * that was given up are dropped.
 */
export async function checkServersFree(into: ServerStores): Promise<void> {
  const wanted = new Set([...into.stores.map(({ name }) => name), deploymentStore])
  for (const server of serversOf(into)) {
    const there = await storesAt(server)
    const taken = there.find((name) => wanted.has(name))
    if (taken !== undefined)
      throw new Fault(
        'bad-config',
        `PostgreSQL has a store of this name, and nothing is overwritten; name an empty database: ${taken}`,
      )
    await changeNamespaces(server, { drop: there.filter(isCopy) })
  }
}

/** Copies the stores in the folder `staged` and compares them, or goes on with an earlier attempt. */
export async function copyIntoServers(
  into: ServerStores,
  staged: { readonly folder: string; readonly documents: ReadonlyMap<string, Uint8Array> },
  report: (line: string) => void,
): Promise<void> {
  for (const store of into.stores) {
    const { name } = store
    // An older one is brought to the layout of this version.
    await using from = await openStore(
      placed('embedded', staged.folder),
      name,
      store.tables,
      'write',
    )
    await using to = await openCopy(placed(into.serverOf(name)), name + copyEnding, store.tables)
    const tables = await presentTables(from, store.tables)
    const counts = { copied: 0, compared: 0 }
    await copyStore(name, { from, to, tables }, (work, rows) => {
      counts[work] += rows
      report(`${name}: ${counts[work]} rows ${work}`)
    })
  }
  if (staged.documents.size === 0) return
  const place = placed(into.serverOf(deploymentStore))
  await using to = await openCopy(place, deploymentStore + copyEnding, deploymentTables)
  for (const [name, bytes] of staged.documents) await changeDocument(to, name, () => bytes)
}

/** Gives all copies their names, on each server in one transaction. Calling it again goes on. */
export async function nameInServers(into: ServerStores): Promise<void> {
  for (const server of serversOf(into)) {
    const copies = (await storesAt(server)).filter(isCopy)
    const rename = copies.map((name) => [name, name.slice(0, -copyEnding.length)] as const)
    await changeNamespaces(server, { rename })
  }
}

function isCopy(name: string): boolean {
  return name.endsWith(copyEnding)
}

function serversOf({ serverOf, stores }: ServerStores): readonly string[] {
  return [...new Set([...stores.map(({ name }) => name), deploymentStore].map(serverOf))]
}

function placed(store: string, dataDir = ''): StoreLocation {
  return { store, dataDir }
}
