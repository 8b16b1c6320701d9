/**
 * WebSockets of the public server: their handshake, and limits of each and of all.
 *
 * An upgrade passes none of the framework's hooks: host, page, key and places are checked here. `ws` is loaded at the
 * first one, as most processes have none.
 */

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

import type { WebSocket, WebSocketServer } from 'ws'

import { Fault, faultOf } from '../../core/fault.ts'
import type { Clock } from '../../core/world.ts'
import { callerOf } from '../../http/caller-address.ts'
import type { Log } from '../../telemetry/log.ts'
import { publicWords, statusOf } from '../operation/status.ts'
import type { AdmissionRequest } from './admission/admission.ts'
import type { LoadLimiter } from './front/load-limits.ts'
import type { AddressReader } from './front/proxy-address.ts'
import type { RequestChecks } from './front/request-checks.ts'
import { pathOf } from './path-tree.ts'

/** Sockets of one address, and of all of this thread. */
const mostOfAddress = 16
const mostOfAll = 1_024
/** Bytes of a message. */
const mostMessageBytes = 65_536
/** Messages of a socket that are answered at the same time; more are not read until then. */
const mostUnderWay = 8
/** A reader that is this far behind is closed. */
const mostUnsentBytes = 1_048_576
/** Bytes that all readers have not taken; beyond it the one with the most is cut off. */
const mostUnsentOfAll = 134_217_728
/** A reader that does not read does not answer a close either: it is cut off after this time. */
const lingerMs = 2_000
/** Between two signs of life; a socket that answered none of two is gone. */
const pingMs = 30_000

// Source: RFC 6455, section 7.4.1; IANA's registry of close codes.
const closes = { leaving: 1012, refused: 1008, slow: 1013, broken: 1011 } as const

/** The other end of a talk. */
export type Peer = {
  readonly say: (text: string) => void
  /** Waits for a turn among all that is answered; the function ends it. Rejects with `overloaded`. */
  readonly turn: () => Promise<() => void>
  /** Counts units. Throws `rate-limited`, and `key-required` once the key is gone. */
  readonly charge: (weight: number) => Promise<void>
  /** Aborted when the socket is closed. */
  readonly signal: AbortSignal
}

/** One side of a talk. */
export type Talk = {
  /** Takes a message. Rejects with `key-required`, and with bugs. */
  readonly said: (text: string) => Promise<void>
  readonly end: () => void
}

/** Talks at some paths. */
export type SocketService = {
  /** Returns whether sockets are opened at a path. */
  readonly isAt: (path: string) => boolean
  /** Begins a talk. Throws `not-found` and others to refuse it. */
  readonly open: (path: string, peer: Peer) => Talk
}

type WebSocketsOptions = {
  readonly talks: SocketService
  readonly checks: RequestChecks
  readonly limiter: LoadLimiter
  readonly admission: {
    readonly admit: (request: AdmissionRequest) => unknown
    readonly addressOf: AddressReader
  }
  readonly clock: Clock
  readonly log: Log
}

type Open = {
  readonly caller: string
  readonly over: AbortController
  talk: Talk | undefined
  underWay: number
  unanswered: number
}

/** All sockets of one server. */
export class WebSockets {
  readonly #options: WebSocketsOptions
  readonly #open = new Map<WebSocket, Open>()
  /** Handshakes under way, by caller. */
  readonly #opening: string[] = []
  #server: Promise<WebSocketServer> | undefined
  readonly #over = new AbortController()
  #isPinging = false

  constructor(options: WebSocketsOptions) {
    this.#options = options
  }

  /** Returns whether a request may become a socket; any other offer of another protocol is passed over. */
  readonly isUpgrade = ({ method, url = '/', headers }: IncomingMessage): boolean =>
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    this.#options.talks.isAt(pathOf(url))

  /** Takes upgrades of a server. */
  attach(server: Server): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, first: Buffer) => {
      const { limiter, checks, log } = this.#options
      const rest = limiter.release(socket)
      // An answer is still being sent on it: a handshake would get into its middle.
      if (rest === undefined) return void socket.destroy()
      socket.on('error', () => socket.destroy())
      if (checks.refusesSocket(request, socket)) return
      const head = (): Buffer => Buffer.concat([first, rest()])
      this.#shake(request, socket, head).catch((error: unknown) => {
        const fault = faultOf(error)
        if (fault === undefined) log.error('a handshake failed', { error })
        const status = fault === undefined ? 500 : statusOf[fault.code]
        const words = fault === undefined ? 'something went wrong here' : publicWords(fault)
        checks.refuseSocket(request, socket, status, words)
      })
    })
  }

  /** Number of open sockets. */
  get size(): number {
    return this.#open.size
  }

  /** Closes every socket; who does not answer is cut off soon. */
  async close(): Promise<void> {
    this.#over.abort()
    for (const ws of this.#open.keys()) this.#end(ws, closes.leaving, 'the service is stopping')
    const { clock } = this.#options
    for (const endMs = clock.monotonic() + lingerMs; this.#open.size > 0;) {
      if (clock.monotonic() > endMs) for (const ws of this.#open.keys()) ws.terminate()
      await clock.sleep(20)
    }
  }

  async #shake(request: IncomingMessage, socket: Duplex, head: () => Buffer): Promise<void> {
    const { admission } = this.#options
    const address = admission.addressOf(request)
    const caller = callerOf(address)
    const isOwn = (one: string): boolean => one === caller
    const all = [...this.#opening, ...[...this.#open.values()].map((one) => one.caller)]
    if (all.filter(isOwn).length >= mostOfAddress || all.length >= mostOfAll)
      throw new Fault('overloaded', `too many sockets are open already: ${all.length}`)
    this.#opening.push(caller)
    try {
      const query = Object.fromEntries(new URL(request.url ?? '/', 'http://firn').searchParams)
      const { headers } = request
      const charge = async (weight: number): Promise<void> => {
        await admission.admit({ headers, query, address, weight })
      }
      await charge(1)
      const server = await (this.#server ??= openServer())
      if (socket.destroyed) return
      const path = pathOf(request.url ?? '/')
      this.#welcome(server, { request, socket, head, path, caller, charge })
    } finally {
      this.#opening.splice(this.#opening.indexOf(caller), 1)
    }
  }

  #welcome(
    server: WebSocketServer,
    of: {
      readonly request: IncomingMessage
      readonly socket: Duplex
      readonly head: () => Buffer
      readonly path: string
      readonly caller: string
      readonly charge: Peer['charge']
    },
  ): void {
    const { caller, charge, path, socket } = of
    const over = new AbortController()
    const open: Open = { caller, over, talk: undefined, underWay: 0, unanswered: 0 }
    let ws: WebSocket | undefined
    const say = (text: string): void => this.#say(ws, text)
    const turn = (): Promise<() => void> => this.#options.limiter.patientTurn(caller)
    const talk = this.#options.talks.open(path, { say, turn, charge, signal: over.signal })
    server.handleUpgrade(of.request, socket, of.head(), (made) => {
      ws = made
      open.talk = talk
      this.#open.set(made, open)
      if (!this.#isPinging) void this.#ping()
      made.on('message', (data, isBinary) => {
        // By default a message is one buffer.
        if (isBinary || !Buffer.isBuffer(data))
          return this.#end(made, 1003, 'only text is read here')
        this.#take(made, open, data.toString())
      })
      made.on('pong', () => (open.unanswered = 0))
      made.on('error', () => made.terminate())
      made.once('close', () => {
        this.#open.delete(made)
        over.abort()
        talk.end()
      })
      socket.resume()
    })
  }

  #take(ws: WebSocket, open: Open, text: string): void {
    open.underWay++
    if (open.underWay >= mostUnderWay) ws.pause()
    void this.#answered(ws, open, text).finally(() => {
      open.underWay--
      if (ws.isPaused && open.underWay < mostUnderWay) ws.resume()
    })
  }

  async #answered(ws: WebSocket, open: Open, text: string): Promise<void> {
    const { log } = this.#options
    try {
      await open.talk?.said(text)
    } catch (error) {
      if (open.over.signal.aborted) return
      const fault = faultOf(error)
      if (fault === undefined) log.error('a message was not answered', { error })
      if (fault === undefined) this.#end(ws, closes.broken, 'something went wrong here')
      else this.#end(ws, closes.refused, publicWords(fault))
    }
  }

  #say(ws: WebSocket | undefined, text: string): void {
    if (ws === undefined || ws.readyState !== ws.OPEN) return
    if (ws.bufferedAmount > mostUnsentBytes) return this.#end(ws, closes.slow, 'too slow')
    ws.send(text)
    if (ws.bufferedAmount <= mostUnsentBytes) return
    const all = [...this.#open.keys()].toSorted((a, b) => b.bufferedAmount - a.bufferedAmount)
    if (all.reduce((sum, one) => sum + one.bufferedAmount, 0) > mostUnsentOfAll) all[0]?.terminate()
  }

  #end(ws: WebSocket, code: number, reason: string): void {
    ws.close(code, reason.slice(0, 100))
    void this.#options.clock.sleep(lingerMs).then(
      () => ws.terminate(),
      () => ws.terminate(),
    )
  }

  /** Runs while a socket is open: a server that never listened must not keep its process alive. */
  async #ping(): Promise<void> {
    this.#isPinging = true
    while (this.#open.size > 0 && !this.#over.signal.aborted) {
      await this.#options.clock.sleep(pingMs, this.#over.signal).catch(() => undefined)
      for (const [ws, open] of this.#open) {
        if (++open.unanswered > 2) ws.terminate()
        else ws.ping()
      }
    }
    this.#isPinging = false
  }
}

async function openServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws')
  // Compression would take memory for every socket.
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: mostMessageBytes,
  })
}
