/** Large files that never change, offered over HTTP to another Firn: segments, parts of snapshots. */

import { type FileHandle, open } from 'node:fs/promises'

import type { FastifyReply, FastifyRequest } from 'fastify'

import { cacheControl, etagOf, isHeld } from '../../api/server/http-cache.ts'
import type { ApiServer } from '../../api/server/server.ts'
import { Fault } from '../../core/fault.ts'
import { isObject, ownValue } from '../../core/json.ts'

/** Files sent at once; a reader of whole histories must not slow other callers down. */
const mostAtOnce = 4
/** Of them to one address: who does not read keeps others from nothing. */
const mostPerAddress = 2
const listWeight = 10
/** A file is as much work as a list of many pages. */
const fileWeight = 100
const retrySeconds = 10

/** A file and the name that its content gives it. */
export type OfferedFile = { readonly name: string; readonly path: string }

/** Answers for lists and files, admitted like other requests. */
export type Offering = {
  /** Admits a request for a list. Throws what admission throws. */
  readonly admitList: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Admits a request for a file. Throws what admission throws. */
  readonly admitFile: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Sends JSON with an ETag; 304 where the caller has it. */
  readonly sendList: (request: FastifyRequest, reply: FastifyReply, text: string) => FastifyReply
  /**
   * Sends a file; 304 where the caller has it. Throws `overloaded` where others are being sent, and
   * `not-found` for one that was removed meanwhile.
   */
  readonly sendFile: (
    request: FastifyRequest,
    reply: FastifyReply,
    file: OfferedFile,
  ) => Promise<FastifyReply>
}

/** Offers files; `what` is their name in messages, in the plural. */
export function offeringOf({ forStreams }: ApiServer, what: string): Offering {
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
  return {
    admitList: (request, reply) => admitted(request, reply, listWeight),
    admitFile: (request, reply) => admitted(request, reply, fileWeight),
    sendList: (request, reply, text) => {
      const etag = etagOf(text)
      reply.header('etag', etag)
      if (isHeld(request.headers['if-none-match'], etag)) return reply.code(304).send()
      return reply.header('content-type', 'application/json; charset=utf-8').send(text)
    },
    sendFile: async (request, reply, { name, path }) => {
      reply.header('etag', `"${name}"`)
      if (isHeld(request.headers['if-none-match'], `W/"${name}"`)) return reply.code(304).send()
      const caller = addressOf(request.raw)
      const own = sending.filter((one) => one === caller)
      if (sending.length >= mostAtOnce || own.length >= mostPerAddress)
        throw new Fault('overloaded', `other ${what} are being sent`, {
          detail: { reset: retrySeconds },
        })
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
    },
  }
}

/** The fault for a file that is not offered. */
export function unknownFile(name: string): Fault {
  return new Fault('not-found', `nothing of that name is offered here: ${name.slice(0, 64)}`)
}

/** A parameter of a path; empty where there is none. */
export function pathParameter({ params }: FastifyRequest, name: string): string {
  const found = isObject(params) ? ownValue(params, name) : undefined
  return typeof found === 'string' ? found : ''
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
