/**
 * Fetches metadata documents from hosts that strangers name.
 *
 * The transport handed in refuses every address that is not public, at each hop; this file owns
 * hops, time, size and what a failure is called.
 */

import { setBounded } from '../../core/bounded-maps.ts'
import { faultOf } from '../../core/fault.ts'
import type { NftStatus } from '../../core/nft-status.ts'
import type { Clock, HttpReply, Transport } from '../../core/world.ts'
import { isMedia, maxDocumentBytes, webUrl } from './metadata-uri.ts'

/** A document, or the state a failure leaves. */
export type Fetched =
  | { readonly kind: 'document'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'failed'
      readonly status: NftStatus
      /** Time that the host wants us to wait. */
      readonly retryAfterSeconds?: number | undefined
    }

/** Hops followed. */
const maxRedirects = 3

/** From the first connection to the last byte, over all hops. */
const fetchTimeoutMs = 10_000

/** A host that failed this often in a row is left alone for a while. */
const failuresBeforeRest = 3
const restMs = 600_000

/** Hosts remembered; the oldest is forgotten. */
const maxHosts = 1_000

const unreachable: Fetched = { kind: 'failed', status: 'UNREACHABLE_TOKEN_URI' }

type FetcherOptions = {
  /** Refuses addresses that are not public. */
  readonly transport: Transport
  /** The operator's own gateways may lie anywhere; redirects of theirs may not lead anywhere. */
  readonly trusted: { readonly prefixes: readonly string[]; readonly transport: Transport }
  readonly clock: Clock
  /** Kind of content to fetch; documents when absent. */
  readonly wanted?: Wanted
}

/** The kind of content to request, and the answers to take. */
export type Wanted = {
  readonly accept: string
  readonly maxBytes: number
  /** True when a body that is announced as pictures, sound or film is taken. */
  readonly takesMedia: boolean
}

const documents: Wanted = {
  accept: 'application/json',
  maxBytes: maxDocumentBytes,
  takesMedia: false,
}

/** Fetches documents, and remembers which hosts do not answer. */
export class DocumentFetcher {
  readonly #options: FetcherOptions
  readonly #hosts = new Map<string, { failures: number; restUntilMs: number }>()

  constructor(options: FetcherOptions) {
    this.#options = options
  }

  /**
   * The document of the first address that has one, else the last failure. Never throws but on
   * abort.
   */
  async first(urls: readonly string[], signal: AbortSignal): Promise<Fetched> {
    let last: Fetched = unreachable
    for (const url of urls) {
      last = await this.#one(url, signal)
      if (last.kind === 'document') return last
    }
    return last
  }

  async #one(url: string, signal: AbortSignal): Promise<Fetched> {
    const host = new URL(url).host
    const known = this.#hosts.get(host)
    const now = this.#options.clock.monotonic()
    if (known !== undefined && known.failures >= failuresBeforeRest && now < known.restUntilMs)
      return unreachable
    const fetched = await followed(this.#options, url, signal)
    this.#hosts.delete(host)
    if (fetched === unreachable) {
      const failures = (known?.failures ?? 0) + 1
      const restUntilMs = this.#options.clock.monotonic() + restMs
      setBounded(this.#hosts, host, { failures, restUntilMs }, maxHosts)
    }
    return fetched
  }
}

async function followed(
  { transport, trusted, clock, wanted = documents }: FetcherOptions,
  start: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const endMs = clock.monotonic() + fetchTimeoutMs
  let url = start
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const leftMs = Math.ceil(endMs - clock.monotonic())
    if (leftMs <= 0) return unreachable
    const isTrusted = hop === 0 && trusted.prefixes.some((prefix) => url.startsWith(prefix))
    const via = isTrusted ? trusted.transport : transport
    const reply = await exchanged(via, url, { leftMs, signal, wanted })
    if ('kind' in reply) return reply
    const next = redirectOf(reply, url)
    if (next === undefined) return documentOf(reply, clock, wanted)
    if (next === '') return unreachable
    url = next
  }
  return unreachable
}

async function exchanged(
  transport: Transport,
  url: string,
  limit: { readonly leftMs: number; readonly signal: AbortSignal; readonly wanted: Wanted },
): Promise<HttpReply | Fetched> {
  try {
    return await transport.request({
      url,
      method: 'GET',
      headers: { accept: limit.wanted.accept },
      timeoutMs: limit.leftMs,
      maxBytes: limit.wanted.maxBytes,
      signal: limit.signal,
    })
  } catch (error) {
    if (limit.signal.aborted) throw error
    switch (faultOf(error)?.code) {
      case undefined:
        throw error
      case 'node-too-large':
        return { kind: 'failed', status: 'METADATA_CONTENT_TOO_LARGE' }
      case 'node-answer':
        return { kind: 'failed', status: 'UNKNOWN' }
      default:
        return unreachable
    }
  }
}

/** Where a reply sends us: `undefined` nowhere, empty to what cannot be followed. */
function redirectOf({ status, headers }: HttpReply, from: string): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined
  return webUrl(headers['location'] ?? 'none:', from)?.href ?? ''
}

function documentOf(
  { status, headers, body }: HttpReply,
  clock: Clock,
  { takesMedia }: Wanted,
): Fetched {
  if (status === 429) {
    const seconds = retryAfter(headers['retry-after'], clock)
    return {
      kind: 'failed',
      status: 'THROTTLED_TOKEN_URI',
      retryAfterSeconds: seconds,
    }
  }
  // Anything but success; of a host that answers, so that it is no reason to leave it alone.
  if (status < 200 || status > 299) return { kind: 'failed', status: 'UNREACHABLE_TOKEN_URI' }
  if (!takesMedia && isMedia(headers['content-type'] ?? ''))
    return { kind: 'failed', status: 'METADATA_CONTENT_TOO_LARGE' }
  return { kind: 'document', bytes: body }
}

/** Seconds, or a date. Source: RFC 9110 section 10.2.3. */
function retryAfter(value: string | undefined, clock: Clock): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - clock.now()) / 1_000))
}
