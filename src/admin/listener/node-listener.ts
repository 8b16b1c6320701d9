/**
 * The second listener: administration, health, metrics and chains, as a node has them.
 *
 * It is for operators: loopback by default, no CORS, host names checked against DNS rebinding, and
 * `/ext/admin` only where it was enabled. It knows no route of the data API and indexes nothing.
 * Its sockets belong to a thread of their own (`listener-worker.ts`), which answers health and
 * metrics; everything else is answered here.
 * Source of what is answered to odd requests: avalanchego api/server, recorded in `vectors/admin`.
 */

import { Worker } from 'node:worker_threads'

import { Fault } from '../../core/fault.ts'
import { entryFile } from '../../core/installation.ts'
import { isAllowedHost, isCrossSite } from '../../core/web-request.ts'
import type { Clock } from '../../core/world.ts'
import type { ListenerLimits } from '../../http/connection-limits.ts'
import type { Gauges } from '../../telemetry/gauges.ts'
import type { Health } from '../../telemetry/health.ts'
import type { Log } from '../../telemetry/log.ts'
import { beat, newHeartbeat } from '../../telemetry/threads/heartbeat.ts'
import { mainThreadId, type Threads } from '../../telemetry/threads/thread.ts'
import { type NodeReply, notFoundReply, targetOf, textReply } from '../node-http.ts'
import type { Route } from '../route-table.ts'
import { toJson } from '../rpc/rpc-server.ts'
import type {
  Figures,
  ListenerData,
  ListenerReport,
  ListenerOrder,
  PassedRequest,
} from './listener-messages.ts'

type NodeServerOptions = {
  readonly host: string
  readonly port: number
  /** Host names answered to, `*` for all; addresses always are. */
  readonly allowedHosts: readonly string[]
  /** Our peer's `NodeID-…`, given in every reply where there is one. */
  readonly nodeId: string | undefined
  readonly find: (path: string) => Route | undefined
  /** The route of a chain named in the header `Avalanche-Api-Route`. */
  readonly findByHeader: (chain: string) => Route | undefined
  readonly health: Health
  /** The other threads: they, and this one, must turn. */
  readonly threads: Threads
  /** Longest pause of one of them before it counts as dead. */
  readonly maxSilenceMs: number
  readonly sockets: ListenerLimits
  /** Called once when the thread ends by itself and the port is no longer served. */
  readonly failed: (error: unknown) => void
  readonly clock: Clock
  readonly gauges: Gauges
  readonly log: Log
}

/** A listener that can be started once. */
export type NodeListener = {
  /** Starts to listen. Throws `address-taken` when the address cannot be had. */
  readonly listen: () => Promise<void>
  /** Stops to accept, gives requests under way ten seconds, then ends them. */
  readonly close: () => Promise<void>
  /** Where it listens: the port is the real one. `undefined` before {@link NodeListener.listen}. */
  readonly address: () => { readonly host: string; readonly port: number } | undefined
}

// Administration calls are short texts; a chain's RPC takes contract code and batches.
const maxBodyBytes = 65_536
const maxChainBodyBytes = 1_048_576

/** It holds sockets and short texts; bodies and figures lie outside of its heap. */
const heap = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 }

/** A server over `find`. */
export function createNodeServer(options: NodeServerOptions): NodeListener {
  let running: ListenerThread | undefined
  return {
    listen: async () => {
      running = new ListenerThread(options)
      await running.sendFigures(undefined)
      await running.listening
    },
    address: () => running?.address,
    close: async () => running?.close(),
  }
}

/** The main thread's end of the listener's thread. */
class ListenerThread {
  /** Rejects with `address-taken`. */
  readonly listening: Promise<void>
  address: { readonly host: string; readonly port: number } | undefined
  readonly #options: NodeServerOptions
  readonly #worker: Worker
  readonly #exited: Promise<void>
  readonly #underWay = new Map<number, AbortController>()
  readonly #stopBeat: () => void
  #isClosing = false

  constructor(options: NodeServerOptions) {
    this.#options = options
    const main = newHeartbeat(mainThreadId, 'main')
    this.#stopBeat = beat(main)
    const { host, port, allowedHosts, nodeId, sockets, maxSilenceMs } = options
    const link = options.threads.open('listener')
    const about = { host, port, allowedHosts, nodeId, sockets, maxSilenceMs }
    const data: ListenerData = { ...about, link }
    this.#worker = new Worker(entryFile('admin/listener/listener-worker'), {
      name: 'listener',
      workerData: data,
      transferList: [link.port],
      resourceLimits: heap,
    })
    options.threads.followHeartbeats((beats) => {
      const others = beats.filter(({ id }) => id !== link.heartbeat.id)
      this.#order({ heartbeats: [main, ...others] })
    })
    const started = Promise.withResolvers<void>()
    const exited = Promise.withResolvers<void>()
    this.listening = started.promise
    this.#exited = exited.promise
    this.#worker.on('message', (report: ListenerReport) => this.#take(report, started))
    this.#worker.on('error', (error) => {
      options.log.error('thread failed', { thread: 'listener', error })
      started.reject(error)
      if (!this.#isClosing) options.failed(error)
    })
    this.#worker.once('exit', () => {
      for (const request of this.#underWay.values()) request.abort(new Error('listener closes'))
      exited.resolve()
    })
    // A later rejection is thrown by `listening`.
    started.promise.catch(() => undefined)
    options.health.onChange(() => this.#sendHealth())
  }

  /** Sends all figures: as the answer to a request, or by itself. */
  async sendFigures(to: number | undefined): Promise<void> {
    const { gauges, log } = this.#options
    const figures = this.#figures()
    try {
      // The reader sets it to the age the text then has.
      gauges.set('firn_node_figures_age_seconds', 0, {})
      const metrics = { text: await gauges.text(), contentType: gauges.contentType }
      this.#order({ figures: { ...figures, metrics }, to })
    } catch (error) {
      log.error('gauges cannot be read', { error })
      this.#order({ figures, to })
    }
  }

  async close(): Promise<void> {
    if (this.#isClosing) return this.#exited
    this.#isClosing = true
    this.#stopBeat()
    this.#order({ close: true })
    await this.#exited
  }

  #order(order: ListenerOrder, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(order, transfer)
  }

  /** Copies the bytes alone: handed over as they are, they would take the whole buffer along. */
  #send(to: number, reply: NodeReply): void {
    if (typeof reply.body === 'string') this.#order({ reply, to })
    else {
      const body = new Uint8Array(reply.body)
      this.#order({ reply: { ...reply, body }, to }, [body.buffer])
    }
  }

  #take(report: ListenerReport, started: PromiseWithResolvers<void>): void {
    const { gauges, host, port } = this.#options
    if ('request' in report) void this.#answer(report.request)
    else if ('gone' in report) this.#underWay.get(report.gone)?.abort(new Error('caller is gone'))
    else if ('refresh' in report) {
      gauges.set('firn_http_unsent_bytes', report.unsentBytes, { listener: 'node' })
      void this.sendFigures(report.refresh)
    } else if ('answered' in report) this.#count(report.answered)
    else if ('dropped' in report) {
      const labels = { listener: 'node', reason: report.dropped }
      gauges.add('firn_http_dropped_connections_total', 1, labels)
    } else if ('listening' in report) {
      this.address = report.listening
      started.resolve()
    } else {
      const what = `node.port is taken or not allowed: ${host}:${port}; --node-port chooses another`
      started.reject(new Fault('address-taken', what, { cause: new Error(report.failed) }))
    }
  }

  #count({ base, status, ms }: { base: string; status: number; ms: number }): void {
    const { gauges } = this.#options
    gauges.add('firn_node_requests_total', 1, { base, status: String(status) })
    gauges.observe('firn_node_request_seconds', ms / 1_000, { base })
  }

  #figures(): Figures {
    return { atMs: this.#options.clock.now(), health: toJson(this.#options.health.entries()) }
  }

  #sendHealth(): void {
    if (!this.#isClosing) this.#order({ figures: this.#figures(), to: undefined })
  }

  async #answer(request: PassedRequest): Promise<void> {
    const { clock, log } = this.#options
    const began = clock.monotonic()
    const gone = new AbortController()
    this.#underWay.set(request.id, gone)
    try {
      const { reply, base } = await replyTo(request, gone.signal, this.#options)
      this.#send(request.id, reply)
      this.#count({ base, status: reply.status, ms: clock.monotonic() - began })
      log.debug('node request answered', { base, status: reply.status, method: request.method })
    } catch (error) {
      log.error('node request failed', { error })
      this.#order({ broke: request.id })
    } finally {
      this.#underWay.delete(request.id)
    }
  }
}

type Answered = { readonly reply: NodeReply; readonly base: string }

async function replyTo(
  incoming: PassedRequest,
  gone: AbortSignal,
  options: NodeServerOptions,
): Promise<Answered> {
  const none = (reply: NodeReply): Answered => ({ reply, base: 'none' })
  if (!isAllowedHost(incoming.headers.host ?? '', options.allowedHosts)) {
    return none(textReply(403, 'invalid host specified\n'))
  }
  const { path, search } = targetOf(incoming.url)
  const header = incoming.headers['avalanche-api-route']
  const named = Array.isArray(header) ? header[0] : header
  if (named === undefined && cleanPath(path) !== path) {
    return none({ status: 301, headers: { location: cleanPath(path) + search }, body: '' })
  }
  const route = named === undefined ? routeOf(path, options) : options.findByHeader(named)
  if (route === undefined) return none(named === undefined ? notFoundReply : emptyNotFound)
  const limit = route.base === 'bc' ? maxChainBodyBytes : maxBodyBytes
  const { body } = incoming
  if (body.length > limit) {
    return { reply: textReply(413, 'request body too large\n'), base: route.base }
  }
  const request = {
    method: incoming.method,
    extension: route.extension,
    query: new URLSearchParams(search),
    contentType: incoming.headers['content-type'] ?? '',
    isCrossSite: isCrossSite(incoming.headers),
    body,
    signal: gone,
  }
  try {
    return { reply: await route.handler(request), base: route.base }
  } catch (error) {
    if (request.signal.aborted) return { reply: notFoundReply, base: route.base }
    if (!(error instanceof Fault)) throw error
    // A node behind a chain's route did not do its part.
    options.log.debug('route failed', { base: route.base, error })
    return { reply: textReply(502, 'node did not answer\n'), base: route.base }
  }
}

const emptyNotFound: NodeReply = { status: 404, body: '' }

function routeOf(path: string, options: NodeServerOptions): Route | undefined {
  if (!path.startsWith('/ext/')) return undefined
  try {
    return options.find(path.slice('/ext/'.length).split('/').map(decodeURIComponent).join('/'))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** The path without empty, `.` and `..` segments; a slash at the end stays. */
function cleanPath(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const slash = path.endsWith('/') && kept.length > 0 ? '/' : ''
  return `/${kept.join('/')}${slash}`
}
