/**
 * Files by HTTP: bounded in bytes, at a least pace, from the first of several places that has it
 * whole.
 */

import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { Fault, faultIn } from '../core/fault.ts'
import type { Download, DownloadRequest } from '../core/world.ts'

/** A place that sends less in this time, from the question on, is left for the next one. */
const paceMs = 5_000
const leastBytes = 64 * 1_024

/** Downloads by the runtime's own client: piece by piece, whatever the size. */
export const download: Download = async (request) => {
  let last: Fault | undefined
  for (const url of request.urls) {
    try {
      await fetchFile(url, request)
      await request.check?.(request.path)
      return url
    } catch (error) {
      const fault = faultIn(error)
      // That one place lacks it says nothing about another one.
      if (last === undefined || fault.code !== 'not-found') last = fault
    }
  }
  throw last ?? new Fault('node-unreachable', 'no place is named to fetch it from')
}

async function fetchFile(url: string, { headers, path, maxBytes }: DownloadRequest): Promise<void> {
  const slow = new AbortController()
  let bytes = 0
  let before = 0
  const watch = setInterval(() => {
    if (bytes - before < leastBytes) slow.abort(new Error('it comes too slowly'))
    before = bytes
  }, paceMs)
  const counted = new Transform({
    transform: (part: Uint8Array, _encoding, done) => {
      bytes += part.length
      done(bytes > maxBytes ? tooLong(url, maxBytes) : undefined, part)
    },
  })
  try {
    const reply = await fetch(url, {
      signal: slow.signal,
      redirect: 'error',
      headers: { ...headers, 'accept-encoding': 'identity' },
    })
    const problem = problemOf(reply, maxBytes)
    if (reply.body === null || problem !== undefined) {
      await reply.body?.cancel()
      throw notFetched(url, problem ?? 'nothing was sent', reply.status)
    }
    await pipeline(Readable.fromWeb(reply.body), counted, createWriteStream(path))
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw notFetched(url, cause instanceof Error ? cause.message : String(cause))
  } finally {
    clearInterval(watch)
  }
}

/** Why nothing of a reply is read. */
function problemOf({ status, headers }: Response, maxBytes: number): string | undefined {
  if (status !== 200) return `status ${status}`
  if (headers.has('content-encoding')) return 'it is packed'
  return Number(headers.get('content-length')) > maxBytes
    ? `more than ${maxBytes} bytes`
    : undefined
}

function notFetched(url: string, why: string, status = 0): Fault {
  if (status === 404) return new Fault('not-found', `it is not offered there: ${url}`)
  return new Fault('node-unreachable', `it was not fetched (${why}): ${url}`)
}

function tooLong(url: string, maxBytes: number): Fault {
  return new Fault('node-too-large', `it was not fetched (more than ${maxBytes} bytes): ${url}`)
}
