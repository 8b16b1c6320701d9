/** Answers in fewer bytes: how long they may be kept, and how they are compressed. */

import { promisify } from 'node:util'
import {
  crc32,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib'

import type { AdmissionRequest } from './admission/admission.ts'

// Time for which browsers and proxies may keep an answer.
//
// Only what can never change is kept without a check. Everything else is requested again each time
// (`no-cache`), and its ETag saves the body where nothing changed.

/**
 * The weak ETag of a body: its length and CRC-32. It confuses two versions of one URL by
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
const checkAgain = 'no-cache'
/** For answers that only a key may see: shared caches must not keep them. */
const checkAgainAlone = 'private, no-cache'

/** `cache-control` of an answer. */
export function cacheControl(request: CacheRequest, isImmutable: boolean): string {
  if (carriesKey(request)) return checkAgainAlone
  return isImmutable ? neverChanges : checkAgain
}

type CacheRequest = Pick<AdmissionRequest, 'headers' | 'query'>

function carriesKey({ headers, query }: CacheRequest): boolean {
  return (
    headers['x-service-api-key'] !== undefined ||
    headers['x-glacier-api-key'] !== undefined ||
    (typeof query === 'object' && query !== null && ('rltoken' in query || 'apikey' in query))
  )
}

// Answers compressed for callers that accept it.
//
// Measured on lists of transfers, on a busy machine: 5 kB take zstd 50 µs, gzip 90, brotli 60 to
// 200, and become a third; 500 kB take 2, 7 and 6 ms, and become a fifth. Higher levels take up to
// four times that and make nothing smaller. An answer of one packet gains nothing.

/**
 * Encodings offered, the cheapest first: it decides between those that a caller accepts equally.
 */
const encodings = ['zstd', 'br', 'gzip'] as const
/** One of {@link encodings}. */
type Encoding = (typeof encodings)[number]

/** Bytes from which an answer is compressed: shorter ones fit one packet either way. */
export const leastBytes = 1_400

/** Bytes from which it is done on another thread: the largest lists take milliseconds. */
const elsewhereBytes = 32_768

/** The encoding that a request's `accept-encoding` prefers; `undefined` to send the text as it is. */
export function encodingOf(accept: string | undefined): Encoding | undefined {
  if (accept === undefined || accept === '') return undefined
  let best: Encoding | undefined
  let bestWeight = 0
  // Source: RFC 9110, section 12.5.3.
  const weights = new Map<string, number>()
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
    const said = parameters.find((each) => /^q=[01](\.\d{0,3})?$/.test(each))
    weights.set(name, said === undefined ? 1 : Number(said.slice(2)))
  }
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0
    if (weight <= bestWeight) continue
    best = encoding
    bestWeight = weight
  }
  const plain = weights.get('identity')
  return plain !== undefined && plain > bestWeight ? undefined : best
}

const zstdLevel = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const brotliQuality = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }
const gzipLevel = { level: 1 }

const elsewhere = {
  zstd: (bytes: Buffer) => promisify(zstdCompress)(bytes, zstdLevel),
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, brotliQuality),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, gzipLevel),
}

/** `text` compressed: short texts at once, long ones on a thread of the runtime. */
export function compress(text: string, encoding: Encoding): Buffer | Promise<Buffer> {
  const bytes = Buffer.from(text)
  if (bytes.length >= elsewhereBytes) return elsewhere[encoding](bytes)
  switch (encoding) {
    case 'zstd':
      return zstdCompressSync(bytes, zstdLevel)
    case 'br':
      return brotliCompressSync(bytes, brotliQuality)
    case 'gzip':
      return gzipSync(bytes, gzipLevel)
  }
}
