/**
 * Limits of one connection, and of one address with many connections.
 *
 * - One request of a socket is under way at a time. What a caller sends behind it is held as bytes
 *   and not parsed until the answer was taken, and beyond {@link heldBytes} not read either.
 * - Answers that callers do not take are bounded in bytes and in time.
 * - Connections of one address are bounded.
 *
 * It stands between a socket and Node's parser: Node itself parses all that one read brings, and
 * calls the handler for each request of it before anything else has its turn.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

import { callerOf } from './caller-address.ts'

/** Limits of a listener's connections. */
export type ListenerLimits = {
  /** Open connections of one address; more are answered 503 and closed. */
  readonly maxPerAddress: number
  /** Bytes of answers that were written and not taken yet, of all sockets together. */
  readonly maxUnsentBytes: number
  /** Longest time a caller may need to take an answer, or of a stream any of it. */
  readonly sendTimeoutMs: number
}

/** Why a connection was ended here. */
export type DropReason = 'connections' | 'unsent' | 'slow'

type ConnectionLimiterOptions = {
  readonly limits: ListenerLimits
  /** A whole answer for connections that are one too many: status 503, `connection: close`. */
  readonly refusal: () => string
  /** Called for every connection that was accepted. */
  readonly connected?: () => void
  /** Called for every connection that was ended. */
  readonly dropped?: (reason: DropReason) => void
}

/** The limits of one server. */
export type ConnectionLimiter = {
  /** Wraps the listener of `request`: it is called for one request of a socket at a time. */
  readonly oneByOne: (serve: Serve) => Serve
  /** Begins to limit; call it before the server listens. */
  readonly attach: (server: Server) => void
  /**
   * Leaves a socket to another protocol, paused; the function gives what was read behind the last request.
   * `undefined` while an answer is under way on it.
   */
  readonly release: (socket: Duplex) => (() => Buffer) | undefined
  /** Bytes of answers that the caller has not taken yet. */
  readonly unsentBytes: () => number
}

/** A listener of `request`. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void

// A client that pipelines sends a few requests ahead; 16 KiB hold 100 and more.
const heldBytes = 16_384

// A refused caller has this long to read why before the connection is cut.
const lingerMs = 1_000

/** An answer of which nothing was taken in this many looks is ended. */
const looksBeforeCut = 4

const headEnd = Buffer.from('\r\n\r\n')

/** Limits before the first connection. */
export function limitConnections(options: ConnectionLimiterOptions): ConnectionLimiter {
  const connections = new WeakMap<Duplex, Connection>()
  const perAddress = new Map<string, number>()
  const unsent = new UnsentAnswers(options)

  const accept = (socket: Socket): void => {
    options.connected?.()
    const caller = callerOf(socket.remoteAddress ?? '')
    const open = (perAddress.get(caller) ?? 0) + 1
    perAddress.set(caller, open)
    socket.once('close', () => {
      const left = (perAddress.get(caller) ?? 1) - 1
      if (left === 0) perAddress.delete(caller)
      else perAddress.set(caller, left)
    })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's own listener of `data` takes a chunk
    const [parse] = socket.listeners('data') as ((chunk: Buffer) => void)[]
    if (parse === undefined) return
    socket.removeListener('data', parse)
    if (open > options.limits.maxPerAddress) {
      options.dropped?.('connections')
      refuse(socket, options.refusal())
      return
    }
    unsent.follow(socket)
    const connection = new Connection(socket, (chunk) => parse.call(socket, chunk))
    connections.set(socket, connection)
    socket.on('data', connection.take)
  }

  return {
    attach: (server) => {
      server.on('connection', accept)
      const lookOn = (): void => {
        unsent.look()
        const next = AbortSignal.timeout(options.limits.sendTimeoutMs / looksBeforeCut)
        next.addEventListener('abort', lookOn, { once: true })
      }
      lookOn()
    },
    oneByOne: (serve) => (request, response) => {
      const { socket } = request
      const begin = (): void => {
        response.once('prefinish', () => unsent.watch(socket, response))
        serve(request, response)
      }
      const connection = connections.get(socket)
      if (connection === undefined) begin()
      else connection.begin({ request, response, begin })
    },
    release: (socket) => connections.get(socket)?.release(),
    unsentBytes: () => unsent.bytes,
  }
}

function refuse(socket: Socket, words: string): void {
  // Bytes it sends meanwhile are read and dropped: unread bytes would reset the connection before
  // our answer arrives.
  socket.on('data', () => undefined)
  socket.end(words)
  const late = AbortSignal.timeout(lingerMs)
  const cut = (): void => {
    socket.destroy()
  }
  late.addEventListener('abort', cut, { once: true })
  socket.once('close', () => late.removeEventListener('abort', cut))
}

type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly begin: () => void
}

/** One socket: the request under way, and what came behind it. */
class Connection {
  readonly #socket: Socket
  #parse: (chunk: Buffer) => void
  #current: Exchange | undefined
  /** Parsed with the last bytes of the current request's body: at most two. */
  readonly #next: Exchange[] = []
  #held: Buffer[] = []
  #heldBytes = 0
  #isReleased = false

  constructor(socket: Socket, parse: (chunk: Buffer) => void) {
    this.#socket = socket
    this.#parse = parse
  }

  /** Takes what was read from the socket. */
  readonly take = (chunk: Buffer): void => {
    if (this.#isBusy() || this.#held.length > 0) this.#hold(chunk)
    else this.#feed(chunk)
  }

  /** Begins an exchange when the one before it is over. */
  begin(exchange: Exchange): void {
    if (this.#current !== undefined) {
      this.#next.push(exchange)
      return
    }
    this.#current = exchange
    exchange.response.once('close', () => this.#over(exchange))
    exchange.begin()
  }

  /** Parses nothing more; what was read already is held. */
  release(): (() => Buffer) | undefined {
    if (this.#current !== undefined) return undefined
    this.#isReleased = true
    this.#socket.removeListener('data', this.take).pause()
    return () => Buffer.concat(this.#held)
  }

  /** A request that is not all there yet must still get its body. */
  #isBusy(): boolean {
    return this.#isReleased || this.#current?.request.complete === true
  }

  /** Parses up to the end of a head at a time, so that one request comes out of it at most. */
  #feed(chunk: Buffer): void {
    let from = 0
    while (from < chunk.length && !this.#isBusy()) {
      const found = chunk.indexOf(headEnd, from)
      const until = found === -1 ? chunk.length : found + headEnd.length
      this.#parse(from === 0 && until === chunk.length ? chunk : chunk.subarray(from, until))
      from = until
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from))
  }

  #hold(chunk: Buffer): void {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    // Below the limit it is read on: only so is the end of a caller seen who goes away.
    if (this.#heldBytes > heldBytes) this.#socket.pause()
  }

  #over(exchange: Exchange): void {
    if (this.#current !== exchange) return
    this.#current = undefined
    // The loop is given back first: answers that need no time must not follow without end.
    if (this.#next.length > 0 || this.#held.length > 0) setImmediate(() => this.#goOn())
  }

  #goOn(): void {
    if (this.#socket.destroyed || this.#current !== undefined) return
    const next = this.#next.shift()
    if (next !== undefined) this.begin(next)
    const chunks = this.#held
    this.#held = []
    this.#heldBytes = 0
    for (const chunk of chunks) this.take(chunk)
    const hasRoom = this.#heldBytes <= heldBytes && !this.#isReleased
    if (hasRoom && this.#socket.isPaused()) this.#socket.resume()
  }
}

type Unsent = { readonly caller: string; readonly bytes: number; readonly forget: () => void }

/** Answers that wait for their callers to take them. */
class UnsentAnswers {
  readonly #options: ConnectionLimiterOptions
  /** Those that were written, oldest first. */
  readonly #answers = new Map<Socket, Unsent>()
  /** All sockets: bytes that were taken of each, and looks since then while some wait. */
  readonly #open = new Map<Socket, { taken: number; looks: number }>()
  bytes = 0

  constructor(options: ConnectionLimiterOptions) {
    this.#options = options
  }

  /** Follows the answers of a socket while they are written. */
  follow(socket: Socket): void {
    this.#open.set(socket, { taken: 0, looks: 0 })
    socket.once('close', () => this.#open.delete(socket))
  }

  /** Ends answers of which nothing is taken; called at a quarter of the time that callers have. */
  readonly look = (): void => {
    for (const [socket, seen] of this.#open) {
      const taken = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || taken !== seen.taken)
        Object.assign(seen, { taken, looks: 0 })
      else if (++seen.looks >= looksBeforeCut) this.#drop(socket, 'slow')
    }
  }

  /** Follows an answer that has just been written, until it was taken. */
  watch(socket: Socket, response: ServerResponse): void {
    const bytes = socket.writableLength
    if (bytes === 0 || this.#answers.has(socket)) return
    const late = AbortSignal.timeout(this.#options.limits.sendTimeoutMs)
    const cut = (): void => this.#drop(socket, 'slow')
    late.addEventListener('abort', cut, { once: true })
    const caller = callerOf(socket.remoteAddress ?? '')
    const forget = (): void => late.removeEventListener('abort', cut)
    this.#answers.set(socket, { caller, bytes, forget })
    this.bytes += bytes
    response.once('close', () => this.#forget(socket))
    while (this.bytes > this.#options.limits.maxUnsentBytes) this.#drop(this.#first(), 'unsent')
  }

  /** The oldest answer of the caller who leaves the most untaken. */
  #first(): Socket | undefined {
    const sums = new Map<string, number>()
    for (const { caller, bytes } of this.#answers.values())
      sums.set(caller, (sums.get(caller) ?? 0) + bytes)
    const most = Math.max(...sums.values())
    for (const [socket, { caller }] of this.#answers) if (sums.get(caller) === most) return socket
    return undefined
  }

  #drop(socket: Socket | undefined, reason: DropReason): void {
    if (socket === undefined) return
    this.#options.dropped?.(reason)
    this.#forget(socket)
    socket.destroy()
  }

  #forget(socket: Socket): void {
    const answer = this.#answers.get(socket)
    if (answer === undefined) return
    this.#answers.delete(socket)
    this.bytes -= answer.bytes
    answer.forget()
  }
}
