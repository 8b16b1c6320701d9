/**
 * Offers a folder of snapshots over HTTP: to another Firn, which checks what it gets.
 *
 * Of each snapshot only the histories of EVM chains are offered. A file is given by the hash of its
 * content, and only where such a history names it: whoever knows the hash of a key gets nothing.
 */

import type { ApiServer } from '../../api/server/server.ts'
import { Fault } from '../../core/fault.ts'
import { SnapshotFolder } from '../../store/snapshot/snapshot-folder.ts'
import {
  bytesOf,
  manifestText,
  offeredPart,
  type SnapshotManifest,
} from '../../store/snapshot/snapshot-manifest.ts'
import { version } from '../version.ts'
import { offeringOf, pathParameter, unknownFile } from './offered-files.ts'

/**
 * Adds four routes: `/v1/snapshots`, which snapshots of the folder at `path` there are now;
 * `/v1/snapshots/{id}`, the manifest of one; `/v1/snapshots/files/{sha256}` and
 * `/v1/snapshots/segments/{store}/{name}`, which never change.
 */
export function mountSnapshots(server: ApiServer, path: string): void {
  const { http } = server
  const { admitList, admitFile, sendList, sendFile } = offeringOf(server, 'files of snapshots')

  http.get('/v1/snapshots', async (request, reply) => {
    await admitList(request, reply)
    return sendList(request, reply, listText(offeredAt(path)))
  })

  http.get('/v1/snapshots/:id', async (request, reply) => {
    await admitList(request, reply)
    const id = pathParameter(request, 'id')
    const found = offeredAt(path).find((each) => each.id === id)
    if (found === undefined)
      throw new Fault('not-found', `no such snapshot is offered here: ${id.slice(0, 64)}`)
    return sendList(request, reply, manifestText(found.manifest))
  })

  http.get('/v1/snapshots/files/:sha256', async (request, reply) => {
    await admitFile(request, reply)
    const sha256 = pathParameter(request, 'sha256')
    if (storesAt(path).every(({ tables }) => tables.sha256 !== sha256)) throw unknownFile(sha256)
    const file = new SnapshotFolder(path).filePath({ sha256 })
    return sendFile(request, reply, { name: sha256, path: file })
  })

  http.get('/v1/snapshots/segments/:store/:name', async (request, reply) => {
    await admitFile(request, reply)
    const name = pathParameter(request, 'name')
    const store = pathParameter(request, 'store')
    const isOffered = storesAt(path).some(
      (each) => each.name === store && each.segments.some((segment) => segment.name === name),
    )
    if (!isOffered) throw unknownFile(name)
    const file = new SnapshotFolder(path).segmentPath(store, { name })
    return sendFile(request, reply, { name, path: file })
  })
}

type OfferedSnapshot = { readonly id: string; readonly manifest: SnapshotManifest }

/** The newest first; those that cannot be read, or have no history of an EVM chain, are left out. */
function offeredAt(path: string): OfferedSnapshot[] {
  return new SnapshotFolder(path)
    .list()
    .toReversed()
    .flatMap(({ id, manifest }) => {
      const part = manifest && offeredPart(manifest)
      return part === undefined || part.stores.length === 0 ? [] : [{ id, manifest: part }]
    })
}

function storesAt(path: string): SnapshotManifest['stores'] {
  return offeredAt(path).flatMap(({ manifest }) => manifest.stores)
}

function listText(snapshots: readonly OfferedSnapshot[]): string {
  const listed = snapshots.map(({ id, manifest }) => ({
    id,
    takenAt: manifest.takenAt,
    bytes: bytesOf(manifest),
    chains: manifest.stores.map(({ name, chainId, heights }) => ({
      store: name,
      chainId,
      heights,
    })),
  }))
  return JSON.stringify({ firn: version, snapshots: listed })
}
