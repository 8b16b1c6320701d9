/**
 * Object storage as its servers answer, in memory, for what no real one does on request: it fails in the ways of
 * {@link StorageFault}. That a real one answers so is the matter of `test/network/bucket.network.ts`.
 */

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

import type { Clock } from '../../../src/core/world.ts'
import type { BucketAddress } from '../../../src/store/bucket/bucket-address.ts'
import { Bucket, type BucketOptions } from '../../../src/store/bucket/bucket.ts'
import type { bucketCounts } from '../../../src/store/bucket/open-bucket.ts'
import type { BucketHistory } from '../../../src/store/history/segment-cache.ts'
import { openWorld } from '../../../src/world/world.ts'
import { systemClock } from '../processes/system-clock.ts'

/** What becomes of one request. */
export type StorageFault =
  /** The connection ends before the request was read, in the middle of an answer, or after the work. */
  | 'cut before'
  | 'cut in the middle'
  | 'cut after'
  | 'slow down'
  | 'error behind success'
  | 'skewed'
  | 'expired'
  | 'denied'
  /** A file comes with another byte. */
  | 'wrong bytes'

/** A server, its files by key, and the requests that it was sent: `PUT key`, `POST key ?uploads`. */
export type ObjectStorage = {
  readonly address: BucketAddress
  readonly files: Map<string, { readonly bytes: Uint8Array; readonly storedMs: number }>
  readonly requests: string[]
  /** What becomes of a request; nothing special where it gives none. */
  fault: (request: string) => StorageFault | undefined
  /** Its lists begin again and again. */
  isEndless: boolean
  /** Milliseconds since 1970 by the server. */
  now: () => number
  /** It waits so long before it answers. */
  delayMs: number
  readonly close: () => void
}

const bucket = 'history'

/** Starts a server with one empty bucket. */
export async function startStorage(): Promise<ObjectStorage> {
  const server = createServer((request, response) => {
    void answer(storage, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const storage: ObjectStorage = {
    address: { url: `http://127.0.0.1:${port}/${bucket}`, region: 'here', prefix: 'firn/' },
    files: new Map(),
    requests: [],
    fault: () => undefined,
    isEndless: false,
    now: () => Date.now(),
    delayMs: 0,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return storage
}

/** Keys of the storage, which takes any, as the environment of a process has them. */
export const storageKeys = { AWS_ACCESS_KEY_ID: 'somebody', AWS_SECRET_ACCESS_KEY: 'their secret' }

/** `index.store` of a storage. */
export function placeOfStorage({ address: { url, prefix, region } }: ObjectStorage): string {
  const { origin, pathname } = new URL(url)
  return `s3:/${pathname}/${prefix.slice(0, -1)}?endpoint=${origin}&region=${region}`
}

/** Parts of uploads that were not completed, by upload and number. */
const uploads = new Map<string, Map<number, Uint8Array>>()

async function answer(
  storage: ObjectStorage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { key, searchParams } = placeOf(request.url ?? '')
  const names = [...searchParams.keys()].toSorted().join('&')
  const line = `${request.method} ${key}${names === '' ? '' : ` ?${names}`}`
  storage.requests.push(line)
  const fault = storage.fault(line)
  response.setHeader('date', new Date(storage.now()).toUTCString())
  if (fault === 'cut before') return void response.destroy()
  const body = await buffer(request)
  if (storage.delayMs > 0) await systemClock.sleep(storage.delayMs)
  if (fault === 'slow down') return refuse(response, 503, 'SlowDown')
  if (fault === 'expired') return refuse(response, 400, 'ExpiredToken')
  if (fault === 'denied') return refuse(response, 403, 'AccessDenied')
  const signedMs = Date.parse(
    String(request.headers['x-amz-date']).replace(
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
      '$1-$2-$3T$4:$5:$6Z',
    ),
  )
  if (Math.abs(signedMs - storage.now()) > 900_000 || fault === 'skewed')
    return refuse(response, 403, 'RequestTimeTooSkewed')
  const hash = createHash('sha256').update(body).digest('hex')
  if (request.headers['x-amz-content-sha256'] !== hash)
    return refuse(response, 400, 'XAmzContentSHA256Mismatch')
  const isConditional = request.headers['if-none-match'] === '*'
  const { method = '' } = request
  const reply = storageReply(storage, { method, isConditional, key, query: searchParams, body })
  if (fault === 'cut after') return void response.destroy()
  if (fault === 'error behind success')
    return void response.end('<Error><Code>InternalError</Code></Error>')
  const sent = reply.bytes ?? new Uint8Array()
  const bytes =
    fault === 'wrong bytes' ? sent.map((byte, at) => (at === 5_000 ? byte ^ 1 : byte)) : sent
  response.writeHead(reply.status, { 'content-length': bytes.length, ...reply.headers })
  if (fault !== 'cut in the middle')
    return void response.end(request.method === 'HEAD' ? '' : bytes)
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
}

/** The key and the question of a URL of the bucket. */
export function placeOf(url: string): {
  readonly key: string
  readonly searchParams: URLSearchParams
} {
  const { pathname, searchParams } = new URL(url, 'http://storage')
  return { key: decodeURIComponent(pathname.slice(`/${bucket}/`.length)), searchParams }
}

/** What a storage answers. */
export type StorageReply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly bytes?: Uint8Array
}

/** The files of a storage, and its time. */
export type StoredFiles = Pick<ObjectStorage, 'files' | 'isEndless' | 'now'>

/** Does what a request asks, and answers it. */
export function storageReply(
  storage: StoredFiles,
  request: {
    readonly method: string
    /** It is to store nothing where something is. */
    readonly isConditional: boolean
    readonly key: string
    readonly query: URLSearchParams
    readonly body: Uint8Array
  },
): StorageReply {
  const { method, isConditional, key, query, body } = request
  const { files } = storage
  const isTaken = isConditional && files.has(key)
  const uploadId = query.get('uploadId') ?? ''
  const keep = (bytes: Uint8Array): StorageReply => {
    files.set(key, { bytes, storedMs: storage.now() })
    return { status: 200, headers: { etag: '"tag"' } }
  }
  const known = files.get(key)
  switch (method) {
    case 'PUT':
      if (uploadId === '') return isTaken ? error(412, 'PreconditionFailed') : keep(body)
      uploads.get(uploadId)?.set(Number(query.get('partNumber')), body)
      return { status: 200, headers: { etag: `"part-${query.get('partNumber')}"` } }
    case 'POST': {
      if (query.has('uploads')) {
        const made = `upload-${uploads.size + 1}`
        uploads.set(made, new Map())
        return { status: 200, bytes: xml(`<UploadId>${made}</UploadId>`) }
      }
      const parts = uploads.get(uploadId)
      if (parts === undefined) return error(404, 'NoSuchUpload')
      if (isTaken) return error(412, 'PreconditionFailed')
      uploads.delete(uploadId)
      return keep(Buffer.concat([...parts].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes)))
    }
    case 'DELETE':
      if (uploadId === '') files.delete(key)
      else uploads.delete(uploadId)
      return { status: 204 }
    case 'HEAD':
    case 'GET': {
      if (key === '') return listed(storage, query)
      if (known === undefined) return error(404, 'NoSuchKey')
      const headers = {
        'last-modified': new Date(known.storedMs).toUTCString(),
        'content-length': String(known.bytes.length),
      }
      return { status: 200, headers, bytes: known.bytes }
    }
    default:
      return error(405, 'MethodNotAllowed')
  }
}

/** Two keys a page, so that any list has several. */
const keysPerPage = 2

function listed({ files, isEndless }: StoredFiles, query: URLSearchParams): StorageReply {
  const prefix = query.get('prefix') ?? ''
  const after = isEndless ? '' : (query.get('continuation-token') ?? '')
  const keys = [...files.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
  const page = keys.slice(0, keysPerPage)
  const entries = page.map((key) => {
    const { bytes, storedMs } = files.get(key) ?? { bytes: new Uint8Array(), storedMs: 0 }
    return `<Contents><Key>${key}</Key><LastModified>${new Date(storedMs).toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`
  })
  const next =
    keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  return {
    status: 200,
    bytes: xml(`<ListBucketResult>${entries.join('')}${next}</ListBucketResult>`),
  }
}

function error(status: number, code: string): StorageReply {
  return { status, bytes: xml(`<Error><Code>${code}</Code></Error>`) }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
}

function xml(text: string): Uint8Array {
  return new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`)
}

/** Opens a storage for stores whose files lie in `folder` as long as there is room. Its clock does not wait. */
export function bucketOf(
  { address }: Pick<ObjectStorage, 'address'>,
  {
    folder,
    maxBytes = 2 ** 30,
    fileBytes = 2 ** 27,
    mostOpen = 256,
    clock = hasty,
    credentials = { get: async () => keys, renew: () => {} },
    count = () => {},
  }: Pick<BucketHistory, 'folder'> &
    Partial<Pick<BucketHistory, 'maxBytes' | 'fileBytes' | 'mostOpen' | 'clock'>> &
    Partial<Pick<BucketOptions, 'credentials'>> & {
      readonly count?: (what: (typeof bucketCounts)[number], by?: number) => void
    },
): BucketHistory {
  const random = { bytes: () => new Uint8Array(), number: () => 0.5 }
  const options = { clock, random, transport, download, credentials, count }
  const limits = { maxBytes, fileBytes, mostOpen, waitMs: 7_000 }
  return { bucket: new Bucket(address, options), folder, ...limits, clock, count }
}

/** Pauses take no time; what is to end a wait for something never comes. */
const hasty: Clock = {
  ...systemClock,
  sleep: (_ms, signal) => (signal === undefined ? Promise.resolve() : new Promise(() => {})),
}
const keys = { accessKeyId: 'somebody', secretAccessKey: 'their secret' }
const { transport, download } = openWorld()
