/** Offers the segments of the served chains over HTTP: to another Firn, which checks what it gets. */

import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

import type { FastifyReply, FastifyRequest } from 'fastify'

import type { ServedChain } from '../../api/operation/chain-directory.ts'
import { cacheControl, etagOf, isHeld } from '../../api/server/http-cache.ts'
import type { ApiServer } from '../../api/server/server.ts'
import { Fault } from '../../core/fault.ts'
import { readManifest } from '../../store/history/manifest.ts'
import { segmentEnding } from '../../store/history/segment-bytes.ts'
import { segmentFolder, type StoreLocation } from '../../store/open.ts'
import { version } from '../version.ts'
import { textIn } from './explorer-mount.ts'

/** Files sent at once; a reader of whole histories must not slow other callers down. */
const mostAtOnce = 4
/** Of them to one address: who does not read keeps others from nothing. */
const mostPerAddress = 2
const listWeight = 10
/** A file is as much work as a list of many pages. */
const fileWeight = 100
const retrySeconds = 10

/** The chains whose segments are offered, and where these lie. */
export type OfferedSegments = {
  readonly chains: () => readonly ServedChain[]
  readonly location: Pick<StoreLocation, 'dataDir' | 'segments'>
}

/**
 * Adds two routes, admitted like other requests: `/v1/segments`, which segments there are now, and
 * `/v1/segments/{store}/{name}`, the bytes of one. A name follows from the content, so that they never change.
 * A file answers 503 while others are being sent, and 404 once a merge has replaced it.
 */
export function mountSegments(server: ApiServer, { chains, location }: OfferedSegments): void {
  const { http, forStreams } = server
  const { admit, addressOf } = forStreams
  const sending: string[] = []
  const admitted = async (
    request: FastifyRequest,
    reply: FastifyReply,
    weight: number,
  ): Promise<void> => {
    const { raw, headers, query } = request
    const caller = { headers, query, address: addressOf(raw), weight }
    reply.headers((await admit(caller)) ?? {})
    reply.header('cache-control', cacheControl(caller, weight === fileWeight))
  }

  http.get('/v1/segments', async (request, reply) => {
    await admitted(request, reply, listWeight)
    const text = await listText(chains())
    const etag = etagOf(text)
    reply.header('etag', etag)
    if (isHeld(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.header('content-type', 'application/json; charset=utf-8').send(text)
  })

  http.get('/v1/segments/:store/:name', async (request, reply) => {
    await admitted(request, reply, fileWeight)
    const name = textIn(request.params, 'name')
    const wanted = textIn(request.params, 'store')
    const chain = chains().find(({ store }) => store.name === wanted)
    const listed = chain === undefined ? [] : (await readManifest(chain.store)).segments
    // A merge may have replaced it since it was listed.
    if (chain === undefined || listed.every((each) => each.name !== name)) throw unknownFile(name)
    reply.header('etag', `"${name}"`)
    if (isHeld(request.headers['if-none-match'], `W/"${name}"`)) return reply.code(304).send()
    const caller = addressOf(request.raw)
    const own = sending.filter((one) => one === caller)
    if (sending.length >= mostAtOnce || own.length >= mostPerAddress)
      throw new Fault('overloaded', 'other segments are being sent', {
        detail: { reset: retrySeconds },
      })
    const path = join(segmentFolder(location, chain.store.name), name + segmentEnding)
    const file = await opened(path, name)
    sending.push(caller)
    reply.raw.once('close', () => {
      sending.splice(sending.indexOf(caller), 1)
      void file.close().catch(() => undefined)
    })
    const { size } = await file.stat()
    return reply
      .header('content-type', 'application/octet-stream')
      .header('content-length', String(size))
      .send(file.createReadStream({ autoClose: false, start: 0 }))
  })
}

/** Chains with the segments that their history lies in now, in order of height. */
async function listText(chains: readonly ServedChain[]): Promise<string> {
  const listed = await Promise.all(
    chains.map(async ({ facts, store }) => ({
      store: store.name,
      evmChainId: String(facts.evmChainId),
      segments: (await readManifest(store)).segments,
    })),
  )
  return JSON.stringify({ firn: version, chains: listed })
}

/** The fault for a file that is not offered. */
function unknownFile(name: string): Fault {
  return new Fault('not-found', `nothing of that name is offered here: ${name.slice(0, 64)}`)
}

async function opened(path: string, name: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (!isMissing) throw cause
    throw unknownFile(name)
  }
}
