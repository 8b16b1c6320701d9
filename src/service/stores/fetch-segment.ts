/** Fetches a segment from another Firn that offers its own. */

import { Fault, faultOf } from '../../core/fault.ts'
import type { Download } from '../../core/world.ts'

/** Until the answer begins. */
const answerMs = 30_000
/** Of the whole file; one of a merged history has some gigabytes. */
const wholeMs = 3_600_000

/** Returns whether copies come from another Firn and not from a folder. */
export function isWebAddress(copies: string): boolean {
  return /^https?:\/\//.test(copies)
}

/** A segment that the Firn at `url` offers; `key` is an API key of that Firn, empty where it needs none. */
export type OfferedSegment = {
  readonly url: string
  readonly store: string
  readonly name: string
  readonly key?: string
}

/**
 * Writes a segment into `path`; nothing of it is checked. Throws `not-found` where it is not offered,
 * and `node-unreachable`.
 */
export async function fetchSegment(
  download: Download,
  { url, store, name, key = '' }: OfferedSegment,
  path: string,
): Promise<void> {
  const address = `${url.replace(/\/+$/, '')}/v1/segments/${store}/${name}`
  const headers = key === '' ? {} : { 'x-glacier-api-key': key }
  const failed = (why: string, cause?: unknown): Fault =>
    new Fault('node-unreachable', `segment was not fetched (${why}): ${address}`, { cause })
  let status: number
  try {
    status = await download({ url: address, headers, path, answerMs, wholeMs })
  } catch (error) {
    throw failed(faultOf(error)?.message ?? String(error), error)
  }
  if (status === 404) throw new Fault('not-found', `segment is not offered there: ${address}`)
  if (status !== 200) throw failed(`status ${status}`)
}
