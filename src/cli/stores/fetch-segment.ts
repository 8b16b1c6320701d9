/** Fetches a segment from another Firn that offers its own. */

import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { Fault } from '../../core/fault.ts'

/** Until the answer begins. */
const answerMs = 30_000
/** Of the whole file; one of a merged history has some gigabytes. */
const limitMs = 3_600_000

/** Returns whether copies come from another Firn and not from a folder. */
export function isWebAddress(copies: string): boolean {
  return /^https?:\/\//.test(copies)
}

/**
 * Writes the segment `name` of the store `store`, as the Firn at `url` offers it, into `path`; nothing of
 * it is checked. Throws `node-unreachable`, also where it does not offer it.
 */
export async function fetchSegment(
  url: string,
  { store, name }: { readonly store: string; readonly name: string },
  path: string,
): Promise<void> {
  const address = `${url.replace(/\/+$/, '')}/v1/segments/${store}/${name}`
  const begun = new AbortController()
  const timer = setTimeout(() => begun.abort(new Error('no answer in time')), answerMs)
  try {
    const signal = AbortSignal.any([begun.signal, AbortSignal.timeout(limitMs)])
    const reply = await fetch(address, { signal, redirect: 'error' })
    clearTimeout(timer)
    if (reply.status !== 200 || reply.body === null) {
      await reply.body?.cancel()
      throw new Error(`status ${reply.status}`)
    }
    await pipeline(Readable.fromWeb(reply.body), createWriteStream(path))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Fault('node-unreachable', `segment was not fetched (${why}): ${address}`, { cause })
  } finally {
    clearTimeout(timer)
  }
}
