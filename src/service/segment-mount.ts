/** Offers the segments of the served chains over HTTP: to another Firn, which checks what it gets. */

import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

import type { FastifyReply, FastifyRequest } from 'fastify'

import type { ServedChain } from '../api/chain-directory.ts'
import { cacheControl, etagOf, isHeld } from '../api/http-cache.ts'
import type { ApiServer } from '../api/server.ts'
import { Fault } from '../core/fault.ts'
import { isObject } from '../core/json.ts'
import { ownValue } from '../core/own-value.ts'
import { readManifest } from '../store/ice/manifest.ts'
import { segmentEnding } from '../store/ice/segment-writer.ts'
import { version } from './version.ts'

/** Files sent at once; a reader of whole histories must not slow other callers down. */
const mostAtOnce = 4
const listWeight = 10
/** A segment is as much work as a list of many pages. */
const fileWeight = 100
const retrySeconds = 10

/** Parts of the process that offering uses. */
export type SegmentParts = {
  readonly chains: () => readonly ServedChain[]
  readonly dataDir: string
}

/**
 * Adds two routes: `/v1/segments`, which segments there are now, and `/v1/segments/{store}/{name}`, the
 * bytes of one. A name follows from the content, so that they never change.
 */
export function mountSegments({ http, forStreams }: ApiServer, parts: SegmentParts): void {
  const { admit, addressOf } = forStreams
  let sending = 0
  const admitted = (request: FastifyRequest, reply: FastifyReply, weight: number): void => {
    const { raw, headers, query } = request
    const caller = { headers, query, address: addressOf(raw), weight }
    reply.headers(admit(caller) ?? {})
    reply.header('cache-control', cacheControl(caller, weight === fileWeight))
  }

  http.get('/v1/segments', async (request, reply) => {
    admitted(request, reply, listWeight)
    const text = await listText(parts.chains())
    const etag = etagOf(text)
    reply.header('etag', etag)
    if (isHeld(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.header('content-type', 'application/json; charset=utf-8').send(text)
  })

  http.get('/v1/segments/:store/:name', async (request, reply) => {
    admitted(request, reply, fileWeight)
    const name = textIn(request.params, 'name')
    const chain = parts.chains().find(({ store }) => store.name === textIn(request.params, 'store'))
    const listed = chain === undefined ? [] : (await readManifest(chain.store)).segments
    if (chain === undefined || listed.every((each) => each.name !== name))
      throw unknownSegment(name)
    reply.header('etag', `"${name}"`)
    if (isHeld(request.headers['if-none-match'], `W/"${name}"`)) return reply.code(304).send()
    if (sending >= mostAtOnce)
      throw new Fault('overloaded', 'other segments are being sent', {
        detail: { reset: retrySeconds },
      })
    const file = await opened(join(parts.dataDir, 'segments', chain.store.name), name)
    sending++
    reply.raw.once('close', () => {
      sending--
      void file.close().catch(() => undefined)
    })
    const { size } = await file.stat()
    return reply
      .header('content-type', 'application/octet-stream')
      .header('content-length', String(size))
      .send(file.createReadStream({ autoClose: false, start: 0 }))
  })
}

/** A merge may have replaced it since it was listed. */
async function opened(folder: string, name: string): Promise<FileHandle> {
  try {
    return await open(join(folder, name + segmentEnding), 'r')
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (!isMissing) throw cause
    throw unknownSegment(name)
  }
}

/** Chains with the segments that their history lies in now, in order of height. */
async function listText(chains: readonly ServedChain[]): Promise<string> {
  const listed = await Promise.all(
    chains.map(async ({ facts, store }) => ({
      store: store.name,
      evmChainId: String(facts.evmChainId),
      segments: (await readManifest(store)).segments.map(({ stage, from, until, name, tier }) => ({
        stage,
        from,
        until,
        name,
        tier,
      })),
    })),
  )
  return JSON.stringify({ firn: version, chains: listed })
}

function unknownSegment(name: string): Fault {
  return new Fault('not-found', `no such segment here: ${name.slice(0, 64)}`)
}

function textIn(params: unknown, name: string): string {
  const found = isObject(params) ? ownValue(params, name) : undefined
  return typeof found === 'string' ? found : ''
}
