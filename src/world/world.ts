/**
 * The outside as it is: the machine's clocks, its random source, HTTP by undici, its files.
 *
 * The only place of the product that opens an HTTP connection to a node, reads a clock or
 * draws a random number; everything else is handed a `World`.
 */

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'

import type { Agent } from 'undici'

import { Fault } from '../core/fault.ts'
import type {
  Clock,
  FileFacts,
  Files,
  HttpReply,
  HttpRequest,
  Random,
  Transport,
  World,
} from '../core/world.ts'
import { download } from './download.ts'
import { type LazyAgent, lazyAgent } from './lazy-agent.ts'
import { openPublicTransport, privateUrlProblem } from './public-transport.ts'

/** Connections to one node at most; the request windows of `source` stay below. */
const connectionsPerHost = 128

/** Time to open a connection. The time of the whole exchange is the request's. */
const connectTimeoutMs = 10_000

/** The world of this process; its end closes idle connections. */
type OpenWorld = Required<World> & AsyncDisposable & { readonly close: () => Promise<void> }

/** Opens the world. */
export function openWorld(): OpenWorld {
  const agent = lazyAgent({
    connections: connectionsPerHost,
    connect: { timeout: connectTimeoutMs },
    // Each request has a deadline for the whole exchange, traces a long one.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const publicOnly = openPublicTransport(transportOver)
  const close = async (): Promise<void> => {
    await publicOnly.close()
    await agent.close()
  }
  return {
    clock,
    random,
    transport: transportOver(agent),
    download,
    publicTransport: publicOnly.transport,
    publicUrlProblem: privateUrlProblem,
    files,
    fileFacts,
    env: process.env,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted()
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      throw signal?.reason ?? error
    }
  },
}

const random: Random = {
  bytes: (size) => randomBytes(size),
  number: () => Math.random(),
}

const files: Files = {
  read: async (path) => {
    try {
      // A pipe without a writer would be waited for.
      await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
      if (!(await file.stat()).isFile())
        throw new Fault('store-failed', `not a plain file: ${path}`)
      return await file.readFile()
    } catch (error) {
      if (error instanceof Fault) throw error
      if (isMissing(error)) return undefined
      throw new Fault('store-failed', `file cannot be read: ${path}`, { cause: error })
    }
  },
  write: async (path, bytes) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const beside = `${path}.${randomBytes(6).toString('hex')}.new`
    await writeFile(beside, bytes, { mode: 0o600, flush: true })
    await rename(beside, path)
  },
  list: async (path) => {
    try {
      return await readdir(path)
    } catch (error) {
      if (isMissing(error)) return []
      throw new Fault('store-failed', `folder cannot be read: ${path}`, { cause: error })
    }
  },
  remove: (path) => rm(path, { force: true }),
}

async function fileFacts(path: string): Promise<FileFacts | undefined> {
  const found = await stat(path).catch((cause: unknown) => {
    if (isMissing(cause)) return undefined
    throw new Fault('store-failed', `file cannot be looked at: ${path}`, { cause })
  })
  if (found === undefined) return undefined
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
  return { kind, bytes: found.size, changedMs: found.mtimeMs }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** HTTP by the connections of `agent`. */
export function transportOver(agent: LazyAgent): Transport {
  return {
    request: async (request) => {
      const deadline = AbortSignal.timeout(request.timeoutMs)
      const signal =
        request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal])
      try {
        return await exchange(agent.get(), request, signal)
      } catch (error) {
        request.signal?.throwIfAborted()
        if (error instanceof Fault) throw error
        throw new Fault('node-unreachable', `a node does not answer: ${reasonOf(error)}`, {
          cause: error,
        })
      }
    },
  }
}

async function exchange(
  agent: Agent,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpReply> {
  const url = new URL(request.url)
  const { origin, pathname, search, hostname } = url
  // Beside us compression costs more than it saves; over a network it saves nine tenths.
  const encoding = isLocal(hostname) ? {} : { 'accept-encoding': 'gzip' }
  const reply = await agent.request({
    origin,
    path: pathname + search,
    method: request.method,
    headers: { ...encoding, ...authorizationOf(url), ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body }),
    signal,
  })
  const headers = plainHeaders(reply.headers)
  const body = await readBody(reply.body, request.maxBytes)
  return { status: reply.statusCode, headers, body: unpacked(body, headers, request.maxBytes) }
}

/** Source: RFC 7617. */
function authorizationOf({ username, password }: URL): { readonly authorization?: string } {
  if (username === '' && password === '') return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` }
}

async function readBody(
  body: AsyncIterable<Uint8Array> & { destroy: () => unknown },
  maxBytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > maxBytes) {
      body.destroy()
      throw tooLong(maxBytes)
    }
    parts.push(part)
  }
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, size)
}

function unpacked(body: Uint8Array, headers: HttpReply['headers'], maxBytes: number): Uint8Array {
  if (headers['content-encoding'] !== 'gzip') return body
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLong(maxBytes)
    throw new Fault('node-answer', 'a node sent a damaged reply', { cause: error })
  }
}

function tooLong(maxBytes: number): Fault {
  return new Fault('node-too-large', `a node sent more than is taken: ${maxBytes}`)
}

function plainHeaders(
  raw: Readonly<Record<string, string | readonly string[] | undefined>>,
): HttpReply['headers'] {
  const headers = new Map<string, string | undefined>()
  for (const [name, value] of Object.entries(raw))
    headers.set(name.toLowerCase(), typeof value === 'string' ? value : value?.join(', '))
  return Object.fromEntries(headers)
}

function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/** A word for the log: the system's code where there is one, never an address or a path. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return error instanceof Error ? error.name : 'unknown'
}
