/**
 * Time for which browsers and proxies may keep an answer.
 *
 * Only what can never change is kept without asking. Everything else is asked for again each time
 * (`no-cache`), and its ETag saves the body where nothing changed.
 */

import { crc32 } from 'node:zlib'

import type { AdmissionRequest } from './admission-request.ts'

/**
 * The weak ETag of a body: its length and CRC-32. It tells two versions of one URL apart by
 * accident once in four thousand million changes, at a tenth of the cost of a hash of 5 kB; nobody
 * gains by making a collision, for it would be their own browser that keeps what it has.
 */
export function etagOf(text: string): string {
  return `W/"${text.length.toString(36)}-${crc32(text).toString(36)}"`
}

/** Returns whether `if-none-match` names `etag`. Source: RFC 9110, section 13.1.2. */
export function isHeld(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((one) => weak(one.trim()) === etag)
}

function weak(tag: string): string {
  return tag.startsWith('W/') ? tag : `W/${tag}`
}

/** A year, the longest that caches understand. */
const neverChanges = 'public, max-age=31536000, immutable'
const askAgain = 'no-cache'
/** For answers that only a key may see: shared caches must not keep them. */
const askAgainAlone = 'private, no-cache'

/** `cache-control` of an answer. */
export function cacheControl(request: Asker, isImmutable: boolean): string {
  if (carriesKey(request)) return askAgainAlone
  return isImmutable ? neverChanges : askAgain
}

type Asker = Pick<AdmissionRequest, 'headers' | 'query'>

function carriesKey({ headers, query }: Asker): boolean {
  return (
    headers['x-service-api-key'] !== undefined ||
    headers['x-glacier-api-key'] !== undefined ||
    (typeof query === 'object' && query !== null && ('rltoken' in query || 'apikey' in query))
  )
}
