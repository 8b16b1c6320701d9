/** Fetches snapshots from another Firn that offers them. */

import { Fault } from '../../core/fault.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import type { Download, Transport } from '../../core/world.ts'
import {
  offeredPart,
  parseSnapshot,
  type SnapshotManifest,
  snapshotId,
} from '../../store/snapshot/snapshot-manifest.ts'
import type { SnapshotFile, SnapshotSource } from '../../store/snapshot/snapshot-source.ts'

/** Until a list is whole. */
const answerMs = 30_000
/** A list of some thousand segments has less. */
const listBytes = 16 * 2 ** 20

/** Another Firn with `api.snapshots`; `key` is an API key of it, empty where it needs none. */
export type SnapshotPlace = {
  readonly url: string
  readonly key: string
  readonly transport: Transport
  readonly download: Download
}

/**
 * The snapshot `id` that is offered, the newest one without: its histories of EVM chains, and nothing
 * else that its manifest may name. Throws `not-found`, `node-unreachable`, `store-*`.
 */
export async function offeredSnapshot(
  place: SnapshotPlace,
  id: string | undefined,
): Promise<SnapshotManifest> {
  const wanted = id ?? (await newestOffered(place))
  const address = addressOf(place, wanted)
  const manifest = offeredPart(parseSnapshot(await textAt(place, address), address))
  if (snapshotId(manifest) !== wanted)
    throw new Fault('store-failed', `another snapshot was sent than was asked for: ${address}`)
  if (manifest.stores.length === 0)
    throw new Fault('not-found', `snapshot has no history of an EVM chain: ${address}`)
  return manifest
}

/** The files of an offered snapshot. They throw `not-found`, `node-unreachable`, `node-too-large`. */
export function remoteSource(place: SnapshotPlace): SnapshotSource {
  const placeOf = (wanted: SnapshotFile): string =>
    addressOf(
      place,
      'file' in wanted
        ? `files/${wanted.file.sha256}`
        : `segments/${wanted.store}/${wanted.segment.name}`,
    )
  return {
    placeOf,
    isRemote: true,
    take: async (wanted, path) => {
      const { bytes } = 'file' in wanted ? wanted.file : wanted.segment
      const urls = [placeOf(wanted)]
      await place.download({ urls, headers: headersOf(place), path, maxBytes: bytes })
    },
  }
}

async function newestOffered(place: SnapshotPlace): Promise<string> {
  const address = addressOf(place, '')
  const list = jsonOf(await textAt(place, address))
  const snapshots = isObject(list) ? list['snapshots'] : undefined
  const newest: unknown = Array.isArray(snapshots) ? snapshots[0] : undefined
  const id = isObject(newest) ? newest['id'] : undefined
  if (typeof id !== 'string') throw new Fault('not-found', `no snapshot is offered: ${address}`)
  return id
}

async function textAt(place: SnapshotPlace, address: string): Promise<string> {
  const { status, body } = await place.transport.request({
    url: address,
    method: 'GET',
    headers: headersOf(place),
    timeoutMs: answerMs,
    maxBytes: listBytes,
  })
  checkStatus(status, address)
  return new TextDecoder().decode(body)
}

function addressOf({ url }: SnapshotPlace, path: string): string {
  const base = `${url.replace(/\/+$/, '')}/v1/snapshots`
  return path === '' ? base : `${base}/${path}`
}

function headersOf({ key }: SnapshotPlace): Readonly<Record<string, string>> {
  return key === '' ? {} : { 'x-glacier-api-key': key }
}

function checkStatus(status: number, address: string): void {
  if (status === 404) throw new Fault('not-found', `it is not offered there: ${address}`)
  if (status !== 200)
    throw new Fault('node-unreachable', `it was not fetched (status ${status}): ${address}`)
}
