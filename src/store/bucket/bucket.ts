/**
 * A bucket of object storage by the requests that all its servers know. Source: API reference of AWS S3; requests are
 * signed with Signature Version 4.
 *
 * A failed request says little about what became of it: a file may have been stored whose answer was lost, so every
 * request here may be sent again. What a server may mend is tried again, within seconds; then the caller hears of it.
 */

import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

import { AwsV4Signer } from 'aws4fetch'

import { Fault, faultOf } from '../../core/fault.ts'
import { growingPause } from '../../core/waiting.ts'
import type { HttpReply, HttpRequest, World } from '../../core/world.ts'
import type { BucketAddress } from './bucket-address.ts'
import type { CredentialSource } from './credentials.ts'

/** Fate of a request, as it is counted. */
export type RequestOutcome = 'answered' | 'again' | 'failed'

/** All that a bucket takes of the process. */
export type BucketOptions = Required<Pick<World, 'clock' | 'random' | 'transport' | 'download'>> & {
  readonly credentials: Pick<CredentialSource, 'get' | 'renew'>
  /** Hears of requests, and of bytes of files. */
  readonly count: (what: RequestOutcome | 'sent' | 'received', by?: number) => void
  /** Ends requests, and the pauses between their attempts, with the process. */
  readonly signal?: AbortSignal | undefined
  /** In place of the signing by threads, for tests in virtual time. */
  readonly sign?: (request: UnsignedRequest) => Promise<SignedRequest>
}

type UnsignedRequest = {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
}
type SignedRequest = Omit<UnsignedRequest, 'method'>

/** An object of a bucket. */
export type KeptObject = {
  readonly bytes: number
  /** When it was stored, milliseconds since 1970 by the server's clock. */
  readonly storedMs: number
}

/** Requests under way at once; what a file of any size takes of memory is so many parts. */
const mostAtOnce = 4
/** A longer file goes in parts of so many bytes, or of more where they would be too many. */
const partBytes = 8 * 2 ** 20
const mostParts = 10_000

const timeoutMs = 30_000
const mostReplyBytes = 4 * 2 ** 20
const attempts = 6
/** Attempts to fetch a file. */
const downloads = 3
const pauses = { firstMs: 200, longestMs: 3_000 }
/** Answers that the same request may not get again. */
const passing = new Set([408, 409, 429, 500, 502, 503, 504])
const conditionFailed = 412
const notFound = 404

/** Keys are those below the prefix of its address. */
export class Bucket {
  readonly #address: BucketAddress
  readonly #options: BucketOptions
  /** Milliseconds by which the server's clock is ahead: it refuses requests of another time. */
  #aheadMs = 0
  #underWay = 0
  readonly #waiting: (() => void)[] = []

  constructor(address: BucketAddress, options: BucketOptions) {
    this.#address = address
    this.#options = options
  }

  /** Bucket and whole key of what is stored under a key, without the server: anybody may read reasons. */
  nameOf(key: string): string {
    const { url, prefix } = this.#address
    return `${url.slice(url.lastIndexOf('/') + 1)}/${prefix}${key}`
  }

  /**
   * Stores the file at `path`, unless a whole one is there that was stored `freshMs` ago at most, and looks whether
   * it lies there. Throws `store-failed`.
   */
  async put(key: string, path: string, freshMs: number): Promise<void> {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const isStored = await this.#send(key, { file, size }, { 'if-none-match': '*' })
      if (!isStored) {
        const known = await this.find(key)
        const ageMs = this.#now() - (known?.storedMs ?? 0)
        if (known?.bytes === size && ageMs < freshMs) return
        await this.#send(key, { file, size }, {})
      }
      const kept = await this.find(key)
      if (kept?.bytes !== size)
        throw new Fault(
          'store-failed',
          `the bucket keeps ${kept?.bytes ?? 'no'} bytes of ${size}: ${key}`,
        )
    } finally {
      closeSync(file)
    }
  }

  /** Stores a short text, unless there is one; returns the one that is there. Throws as {@link Bucket.put}. */
  async putText(key: string, text: string): Promise<string> {
    const body = Buffer.from(text, 'utf8')
    const headers = { 'if-none-match': '*' }
    await this.#request({ method: 'PUT', key, body, headers, known: [conditionFailed] })
    const kept = await this.text(key)
    if (kept === undefined) throw new Fault('store-failed', `the bucket does not keep: ${key}`)
    return kept
  }

  /** A short text; `undefined` where there is none. Throws as {@link Bucket.put}. */
  async text(key: string): Promise<string | undefined> {
    const reply = await this.#request({ method: 'GET', key, known: [notFound] })
    return reply.status === notFound ? undefined : Buffer.from(reply.body).toString('utf8')
  }

  /** The object under a key; `undefined` where nothing is. Throws as {@link Bucket.put}. */
  async find(key: string): Promise<KeptObject | undefined> {
    const { status, headers } = await this.#request({ method: 'HEAD', key, known: [notFound] })
    if (status === notFound) return undefined
    const bytes = Number(headers['content-length'])
    if (!Number.isSafeInteger(bytes))
      throw new Fault('store-failed', `the bucket does not say how long this is: ${key}`)
    const storedMs = Date.parse(headers['last-modified'] ?? '')
    return {
      bytes,
      storedMs: Number.isNaN(storedMs) ? 0 : storedMs,
    }
  }

  /**
   * Writes what is stored under a key into the file at `path`. Throws `not-found` where nothing is, `store-failed` where
   * it has more than `maxBytes`, what `check` throws of the file, and as {@link Bucket.put}.
   */
  async get(
    key: string,
    {
      maxBytes = Number.POSITIVE_INFINITY,
      ...of
    }: {
      readonly path: string
      readonly check: (path: string) => Promise<void>
      readonly maxBytes?: number
    },
  ): Promise<void> {
    const { download, count } = this.#options
    for (let left = downloads; ; left--) {
      // Says whether there is any, and mends keys that ended and a clock that is off.
      const known = await this.find(key)
      if (known === undefined) throw new Fault('not-found', `the bucket has no such file: ${key}`)
      if (known.bytes > maxBytes)
        throw new Fault(
          'store-failed',
          `the bucket has ${known.bytes} bytes where at most ${maxBytes} are wanted: ${key}`,
        )
      const { url, headers } = await this.#signed({ method: 'GET', key })
      try {
        await download({ urls: [url], headers, maxBytes: known.bytes, ...of })
        return count('received', known.bytes)
      } catch (error) {
        if (left === 1 || faultOf(error)?.code !== 'node-unreachable') throw error
      }
    }
  }

  /** All that is stored under keys that begin so, by the key without this beginning. Throws as {@link Bucket.put}. */
  async list(beginning: string): Promise<ReadonlyMap<string, KeptObject>> {
    const prefix = this.#address.prefix + beginning
    const kept = new Map<string, KeptObject>()
    let known = 0
    let after: string | undefined
    do {
      const query = {
        'list-type': '2',
        prefix,
        ...(after === undefined ? {} : { 'continuation-token': after }),
      }
      const { body } = await this.#request({ method: 'GET', query })
      const text = Buffer.from(body).toString('utf8')
      for (const entry of text.split('<Contents>').slice(1)) {
        const storedMs = Date.parse(memberOf(entry, 'LastModified') ?? '')
        const key = (memberOf(entry, 'Key') ?? '').slice(prefix.length)
        kept.set(key, { bytes: Number(memberOf(entry, 'Size')), storedMs })
      }
      const next = memberOf(text, 'NextContinuationToken')
      if (next !== undefined && (next === after || kept.size === known))
        throw new Fault('store-failed', `the bucket's list does not end: ${prefix}`)
      known = kept.size
      after = next
    } while (after !== undefined)
    return kept
  }

  /** Removes what is stored under a key; nothing may be. Throws as {@link Bucket.put}. */
  async remove(key: string): Promise<void> {
    await this.#request({ method: 'DELETE', key, known: [notFound] })
  }

  /** Sends a file whole; returns false where a condition of `headers` does not hold. */
  async #send(key: string, of: OpenFile, headers: Headers): Promise<boolean> {
    if (of.size > partBytes) return this.#sendParts(key, of, headers)
    const body = partOf(of, 0, of.size)
    const { status } = await this.#request({
      method: 'PUT',
      key,
      body,
      headers,
      known: [conditionFailed],
    })
    return status !== conditionFailed
  }

  async #sendParts(key: string, of: OpenFile, headers: Headers): Promise<boolean> {
    const begun = await this.#request({ method: 'POST', key, query: { uploads: '' } })
    const uploadId = memberOf(textOf(begun), 'UploadId')
    if (uploadId === undefined)
      throw new Fault('store-failed', `the bucket began no upload: ${key}`)
    try {
      const size = Math.max(partBytes, Math.ceil(of.size / mostParts))
      const count = Math.ceil(of.size / size)
      const tags = await Promise.all(
        Array.from({ length: count }, async (_, at) => {
          const query = { partNumber: String(at + 1), uploadId }
          const body = (): Uint8Array => partOf(of, at * size, Math.min(size, of.size - at * size))
          const { headers: got } = await this.#request({ method: 'PUT', key, query, body })
          return `<Part><PartNumber>${at + 1}</PartNumber><ETag>${got['etag'] ?? ''}</ETag></Part>`
        }),
      )
      const body = Buffer.from(
        `<CompleteMultipartUpload>${tags.join('')}</CompleteMultipartUpload>`,
      )
      // Where the answer to the first attempt was lost, the upload is not there for the second.
      const known = [conditionFailed, notFound]
      const ended = await this.#request({
        method: 'POST',
        key,
        query: { uploadId },
        body,
        headers,
        known,
      })
      return ended.status !== conditionFailed && ended.status !== notFound
    } catch (error) {
      await this.#request({ method: 'DELETE', key, query: { uploadId }, known: [notFound] }).catch(
        () => undefined,
      )
      throw error
    }
  }

  /**
   * The answer to a request: one of success, or of a status that the caller knows. Throws `store-failed`.
   */
  async #request(request: BucketRequest): Promise<HttpReply> {
    if (this.#underWay < mostAtOnce) this.#underWay++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await this.#withRetries(request)
    } finally {
      // Who waits takes this place, which stays taken.
      const next = this.#waiting.shift()
      if (next === undefined) this.#underWay--
      else next()
    }
  }

  async #withRetries(request: BucketRequest): Promise<HttpReply> {
    const { clock, random, count, signal } = this.#options
    const { known = [] } = request
    const body = typeof request.body === 'function' ? request.body() : request.body
    for (let failures = 0; ; failures++) {
      const reply = await this.#exchange({ ...request, body })
      if (!(reply instanceof Fault)) {
        // An upload may end with an error behind a status of success.
        const isDone = reply.status < 300 && memberOf(textOf(reply), 'Error') === undefined
        if (isDone || known.includes(reply.status)) {
          count('answered')
          count('sent', body?.length ?? 0)
          return reply
        }
      }
      const isLast = failures + 1 >= attempts || signal?.aborted === true
      if (isLast || !(reply instanceof Fault || this.#mayPass(reply))) {
        count('failed')
        throw this.#refusal(request, reply)
      }
      count('again')
      const pauseMs = growingPause(failures, pauses) * (0.5 + random.number())
      // The attempt after a pause that was cut short is the last.
      await clock.sleep(pauseMs, signal).catch((error: unknown) => {
        if (signal?.aborted !== true) throw error
      })
    }
  }

  async #exchange(
    request: BucketRequest & { readonly body: Uint8Array | undefined },
  ): Promise<HttpReply | Fault> {
    const { method, body } = request
    const { signal, transport } = this.#options
    try {
      const { url, headers } = await this.#signed(request)
      return await transport.request({
        url,
        method,
        headers,
        body,
        timeoutMs,
        maxBytes: mostReplyBytes,
        ...(signal && { signal }),
      })
    } catch (error) {
      if (signal?.aborted === true) return new Fault('node-unreachable', 'this process ends')
      const fault = faultOf(error)
      if (fault?.retryable !== true) throw error
      return fault
    }
  }

  /** Returns whether the answer to a request may be another one next time; mends what is wrong with requests. */
  #mayPass(reply: HttpReply): boolean {
    const { status, headers } = reply
    // Success with an error behind it is one of the server's own.
    if (status < 300 || passing.has(status)) return true
    if (status !== 400 && status !== 401 && status !== 403) return false
    // The answer to HEAD has no reason in it.
    const code = memberOf(textOf(reply), 'Code') ?? ''
    const serverMs = Date.parse(headers['date'] ?? '')
    if (!Number.isNaN(serverMs)) this.#aheadMs = serverMs - this.#options.clock.now()
    this.#options.credentials.renew()
    return (
      code === '' || /^(RequestTimeTooSkewed|ExpiredToken|InvalidToken|RequestTimeout)$/.test(code)
    )
  }

  async #signed({
    method,
    key,
    query = {},
    headers = {},
    body,
  }: Omit<BucketRequest, 'body'> & { readonly body?: unknown }): Promise<SignedRequest> {
    const { url, prefix, region } = this.#address
    const address = new URL(key === undefined ? url : `${url}/${prefix}${key}`)
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    const bytes = body instanceof Uint8Array ? body : new Uint8Array()
    const hash = createHash('sha256').update(bytes).digest('hex')
    const unsigned = {
      method,
      url: address.href,
      headers: { ...headers, 'x-amz-content-sha256': hash },
    }
    const { sign, credentials } = this.#options
    if (sign !== undefined) return sign(unsigned)
    const signer = new AwsV4Signer({
      ...(await credentials.get()),
      ...unsigned,
      service: 's3',
      region,
      datetime: new Date(this.#now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    })
    const signed = await signer.sign()
    return { url: signed.url.href, headers: Object.fromEntries(signed.headers) }
  }

  #refusal({ method, key = '' }: BucketRequest, reply: HttpReply | Fault): Fault {
    const what = `${method} ${this.nameOf(key)}`
    if (reply instanceof Fault) {
      // Nothing was sent where there are no keys.
      if (reply.code === 'store-failed') return reply
      const { message } = reply
      return new Fault('store-failed', `object storage does not answer: ${what}: ${message}`, {
        cause: reply,
      })
    }
    const { status } = reply
    const code = memberOf(textOf(reply), 'Code') ?? 'no reason given'
    return new Fault('store-failed', `object storage refuses with ${status} (${code}): ${what}`, {
      detail: { status },
    })
  }

  #now(): number {
    return this.#options.clock.now() + this.#aheadMs
  }
}

type Headers = Readonly<Record<string, string>>
type OpenFile = { readonly file: number; readonly size: number }

type BucketRequest = {
  readonly method: HttpRequest['method']
  /** Absent for the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Headers
  /** A function is called when the request's turn has come. */
  readonly body?: Uint8Array | (() => Uint8Array) | undefined
  /** Statuses besides those of success that the caller expects. */
  readonly known?: readonly number[]
}

function partOf({ file }: OpenFile, from: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size;) {
    const read = readSync(file, bytes, at, size - at, from + at)
    if (read === 0) throw new Fault('store-failed', 'a file is shorter than it was')
    at += read
  }
  return bytes
}

function textOf({ body }: HttpReply): string {
  return Buffer.from(body).toString('utf8')
}

/** The first element of this name in an XML text without attributes of interest. */
function memberOf(text: string, name: string): string | undefined {
  const at = text.indexOf(`<${name}>`)
  const end = text.indexOf(`</${name}>`, at)
  if (at < 0 || end < 0) return undefined
  return text
    .slice(at + name.length + 2, end)
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
