/**
 * Work of a backfill that is done here for other Firns, which index: blocks that are read, `GET /v1/ranges`,
 * and segments that are made, `POST /v1/segments`.
 *
 * Part of no API for callers: it is for the processes of one deployment. It stores nothing, so any
 * number of such processes come and go.
 */

import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { zstdCompressSync } from 'node:zlib'

import type { Config } from '../config/settings.ts'
import { Fault, faultOf } from '../core/fault.ts'
import { sha256 } from '../core/hash.ts'
import { isAllowedHost } from '../core/web-request.ts'
import type { World } from '../core/world.ts'
import { createHttpServer } from '../http/create-http-server.ts'
import { segmentsPath } from '../indexing/evm/making/job-bytes.ts'
import { type RangeChain, rangeBytes, rangePath } from '../indexing/evm/ranges/range-bytes.ts'
import { RangeReader } from '../indexing/evm/ranges/range-reader.ts'
import { openEvmSource } from '../indexing/evm/read/open-source.ts'
import type { HeightRange } from '../source/evm-source.ts'
import type { Log } from '../telemetry/log.ts'
import { chainSpecs, sourceLimits } from './chain-specs.ts'
import { MadeSegments, type ProcessAnswer } from './made-segments.ts'
import { checkReader } from './stores/check-reader.ts'

/** Reading for others, once it listens. */
export type RangeService = {
  /** Where others ask. */
  readonly url: string
  readonly chains: number
  /** Refuses what comes, and ends what is under way. */
  readonly stop: () => Promise<void>
}

/** Blocks that may be asked for at once. */
const mostBlocks = 1_000
/** Seconds after which a caller that was refused may ask again. */
const retrySeconds = 1
const requestTimeoutMs = 10_000

/** Listens at `reader.host` and `reader.port`. Throws `bad-config`, and `address-taken`. */
export async function openRangeService(
  config: Config,
  { world, log }: { readonly world: World; readonly log: Log },
): Promise<RangeService> {
  checkReader(config)
  const limits = sourceLimits(config)
  const sources = await Promise.all(
    chainSpecs(config).map(({ spec }) =>
      openEvmSource(spec, limits, { world, log: log.child(spec.key) }),
    ),
  )
  const compress = (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes)
  const readers = sources.map((source) => new RangeReader({ source, compress, log }))
  const over = new AbortController()
  const { clock } = world
  const segments = new MadeSegments({
    clock,
    log,
    threads: config['index.workers'],
    signal: over.signal,
  })
  const most = limits.maxInFlight * readers.length
  const answer = answering({ config, log, readers, segments, most, signal: over.signal })
  const server = createHttpServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Fault('node-unreachable', 'the caller has gone')))
    answer(request, gone.signal).then(
      (told) => send(response, told),
      (error: unknown) => {
        log.error('request failed', { error })
        send(response, { status: 500, body: 'internal error' })
      },
    )
  })
  server.maxConnections = most * 4
  const address = await listening(server, config['reader.host'], config['reader.port'])
  return {
    url: address,
    chains: readers.length,
    stop: async () => {
      over.abort(new Fault('node-unreachable', 'the reader ends'))
      server.close()
      server.closeAllConnections()
      await Promise.all(sources.map((source) => source.close()))
    },
  }
}

/** Parts of the answers: `most` ranges are read at once. */
type AnswerParts = {
  readonly config: Config
  readonly log: Log
  readonly readers: readonly RangeReader[]
  readonly segments: MadeSegments
  readonly most: number
  readonly signal: AbortSignal
}

type Answering = (request: IncomingMessage, gone: AbortSignal) => Promise<ProcessAnswer>

function answering({ config, log, readers, segments, most, signal }: AnswerParts): Answering {
  const { timeoutMs } = sourceLimits(config)
  let underWay = 0
  return async (request, gone) => {
    const refused = refusal(request, config['reader.token'])
    if (refused !== undefined) return refused
    if (request.url === segmentsPath) return segments.answer(request)
    const asked = askedIn(request.url ?? '')
    if (asked === undefined) return { status: 400, body: 'no range of heights' }
    if (underWay >= most) return { status: 503, body: 'busy' }
    underWay++
    try {
      const late = AbortSignal.timeout(timeoutMs)
      return await rangeAnswer(readers, asked, AbortSignal.any([signal, gone, late]))
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined && !(error instanceof DOMException)) throw error
      log.debug('range was not read', { reason: fault?.message ?? 'not in time' })
      return { status: 503, body: fault?.message ?? 'nodes did not answer in time' }
    } finally {
      underWay--
    }
  }
}

async function listening(
  server: ReturnType<typeof createHttpServer>,
  host: string,
  port: number,
): Promise<string> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    throw new Fault('address-taken', `reader.port is taken or not allowed: ${host}:${port}`, {
      cause,
    })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const bound = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`
}

/** Why a request is not answered; undefined when it is. */
function refusal(
  { method, url, headers }: IncomingMessage,
  token: string,
): ProcessAnswer | undefined {
  if (!isAllowedHost(headers.host ?? '', ['localhost']) && token === '')
    return { status: 403, body: 'invalid host specified' }
  if (token !== '' && !isEqual(headers.authorization ?? '', `Bearer ${token}`))
    return { status: 401, body: 'another token: see the setting reader.token' }
  const isSegment = url === segmentsPath
  if (!isSegment && !(url ?? '').startsWith(`${rangePath}?`))
    return { status: 404, body: `no path but ${rangePath} and ${segmentsPath}` }
  const wanted = isSegment ? 'POST' : 'GET'
  return method === wanted ? undefined : { status: 405, body: `${wanted} only` }
}

/** Compares in a time that tells nothing. */
function isEqual(told: string, wanted: string): boolean {
  const [a, b] = [told, wanted].map((text) => sha256(new TextEncoder().encode(text)))
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

function askedIn(url: string): (RangeChain & HeightRange) | undefined {
  const query = new URLSearchParams(url.slice(rangePath.length))
  const numberOf = (name: string): number =>
    /^\d{1,15}$/.test(query.get(name) ?? '') ? Number(query.get(name)) : Number.NaN
  const [chainId, from, until] = [numberOf('chainId'), numberOf('from'), numberOf('until')]
  const size = until - from
  if (Number.isNaN(chainId) || !(size > 0 && size <= mostBlocks)) return undefined
  return { chainId, genesisHash: query.get('genesis') ?? '', from, until }
}

async function rangeAnswer(
  readers: readonly RangeReader[],
  { from, until, chainId, genesisHash }: RangeChain & HeightRange,
  signal: AbortSignal,
): Promise<ProcessAnswer> {
  const known = await Promise.allSettled(readers.map((reader) => reader.identity(signal)))
  const at = known.findIndex(
    (each) =>
      each.status === 'fulfilled' &&
      each.value.chainId === chainId &&
      each.value.genesisHash === genesisHash,
  )
  const reader = readers[at]
  if (reader === undefined)
    return known.every(({ status }) => status === 'fulfilled')
      ? { status: 404, body: 'no chain of this configuration' }
      : { status: 503, body: 'not all chains are reached' }
  const piece = await reader.read({ from, until }, signal)
  return piece === undefined
    ? { status: 409, body: 'hashes do not prove these blocks' }
    : { status: 200, body: rangeBytes(piece) }
}

function send(response: ServerResponse, { status, body, headers = {} }: ProcessAnswer): void {
  response.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/plain' : 'application/octet-stream',
    'cache-control': 'no-store',
    ...headers,
    ...(status === 503 ? { 'retry-after': String(retrySeconds) } : {}),
  })
  response.end(body)
}
