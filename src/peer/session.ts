/**
 * One connection to a node, from the first byte after TLS to the last.
 *
 * A session never judges what a validator signed; it judges whether the peer keeps to the protocol
 * and to the limits, and ends when it does not. It starts no timers: somebody calls `check`.
 *
 * Source: avalanchego network/peer/peer.go.
 */

import type { Duplex } from 'node:stream'

import type { ClaimedAddress } from '../codec/warp/peer-address.ts'
import {
  type BlockAnswer,
  blockAnswers,
  type BlockQuestion,
  decodePeerMessage,
  encodePeerMessage,
  type Handshake,
  type KnownPeers,
  type PeerMessage,
} from '../codec/warp/peer-message.ts'
import { equalBytes } from '../core/bytes.ts'
import { Fault, faultIn, faultOf } from '../core/fault.ts'
import { decompress, FrameReader, frameOf, maxMessageSize } from './frame.ts'
import { Allowance, type PeerLimits } from './limits.ts'

/** Answer of a peer to a request, or that none came. */
export type Answer =
  | { readonly kind: 'response'; readonly appBytes: Uint8Array }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  | { readonly kind: 'silence' }
  | { readonly kind: 'lost' }

/** Receivers of a session's events. All are called from socket events; none may throw. */
export type SessionEvents = {
  readonly ready: (session: Session) => void
  readonly peers: (session: Session, peers: readonly ClaimedAddress[]) => void
  readonly closed: (session: Session, reason: Fault) => void
}

type SessionOptions = {
  readonly socket: Duplex
  readonly nodeId: string
  readonly networkId: number
  /** Our handshake, in answer to the peer's. */
  readonly greet: (theirs: Handshake) => Handshake
  readonly limits: PeerLimits
  readonly events: SessionEvents
  readonly now: () => number
}

type Answered = Answer | { readonly kind: BlockAnswer; readonly items: readonly Uint8Array[] }

type Request = {
  readonly chainId: Uint8Array
  readonly question:
    | { readonly kind: 'app-request'; readonly appBytes: Uint8Array }
    | { readonly kind: BlockQuestion; readonly ids: readonly Uint8Array[] }
  readonly resolve: (answer: Answered) => void
  until: number
}

const appAnswers: readonly Answered['kind'][] = ['response', 'error']

/** Returns whether an answer is one to the question, and not to another with its number. */
function fits({ question }: Request, { kind }: Answered): boolean {
  if (question.kind === 'app-request') return appAnswers.includes(kind)
  return blockAnswers[question.kind] === kind
}

/** A whole message, compressed and plain: so much a peer may send for an answer. */
const answerBytes = 2 * maxMessageSize

const maxBrokenMessages = 8
/** Longest part of a peer's error text that is kept. */
const maxErrorText = 200

/** A connection to the node `nodeId`. */
export class Session {
  readonly nodeId: string
  /** The peer's version, `major.minor.patch`; empty before its handshake. */
  version = ''
  /** Time of the newest upgrade the peer knows, Unix seconds; 0 before its handshake. */
  upgradeTime = 0n
  /** Monotonic time of the last request, or since when it is ready. */
  usedAt: number
  readonly #options: SessionOptions
  readonly #frames = new FrameReader()
  readonly #outstanding = new Map<number, Request>()
  readonly #queue: Request[] = []
  readonly #messages: Allowance
  readonly #bytes: Allowance
  /** Bytes of answers about blocks that may come. */
  #pendingBytes = 0
  readonly #openedAt: number
  #state: 'greeting' | 'greeted' | 'ready' | 'closed' = 'greeting'
  #nextId = 1
  #receivedAt: number
  #partialSince: number | undefined
  #pingedAt: number
  #awaitsPong = false
  #broken = 0
  #requestedPeersAt = Number.NEGATIVE_INFINITY

  constructor(options: SessionOptions) {
    const now = options.now()
    this.#options = options
    this.nodeId = options.nodeId
    this.usedAt = now
    this.#openedAt = now
    this.#receivedAt = now
    this.#pingedAt = now
    const { messagesPerSecond, bytesPerSecond } = options.limits
    this.#messages = new Allowance(messagesPerSecond, 4 * messagesPerSecond, now)
    this.#bytes = new Allowance(bytesPerSecond, 4 * bytesPerSecond, now)
    const { socket } = options
    socket.on('data', (chunk: Uint8Array) => this.#receive(chunk))
    socket.on('error', (error) => this.close(lost('connection failed', error)))
    socket.on('close', () => this.close(lost('peer closed the connection')))
  }

  /** Returns whether the handshake is done and requests are answered. */
  get ready(): boolean {
    return this.#state === 'ready'
  }

  get closed(): boolean {
    return this.#state === 'closed'
  }

  /**
   * Sends a request to the peer's chain. Never rejects: what goes wrong, a full queue too, is an
   * answer.
   */
  async request(chainId: Uint8Array, appBytes: Uint8Array): Promise<Answer> {
    const question = { kind: 'app-request', appBytes } as const
    const answer = await this.#request(chainId, question, this.#options.limits.answerMs)
    return 'items' in answer ? { kind: 'silence' } : answer
  }

  /**
   * Requests blocks of a chain; `undefined` where no answer comes within `ms`. What is answered are
   * views on the message.
   */
  async requestBlocks(
    chainId: Uint8Array,
    question: { readonly kind: BlockQuestion; readonly ids: readonly Uint8Array[] },
    ms = this.#options.limits.answerMs,
  ): Promise<readonly Uint8Array[] | undefined> {
    const answer = await this.#request(chainId, question, ms)
    return 'items' in answer ? answer.items : undefined
  }

  #request(chainId: Uint8Array, question: Request['question'], ms: number): Promise<Answered> {
    const full = this.#queue.length >= this.#options.limits.maxQueued
    if (this.#state !== 'ready' || full) return Promise.resolve({ kind: 'lost' })
    const now = this.#options.now()
    this.usedAt = now
    return new Promise((resolve) => {
      this.#queue.push({ chainId, question, resolve, until: now + ms })
      this.#advance()
    })
  }

  /** Requests addresses the filter does not have, at most once a second. */
  requestPeers(knownPeers: KnownPeers): void {
    const now = this.#options.now()
    if (this.#state !== 'ready' || now - this.#requestedPeersAt < 1_000) return
    this.#requestedPeersAt = now
    this.#send({ kind: 'get-peer-list', knownPeers, allSubnets: true })
  }

  /** Looks at the clock: pings, gives up requests, ends the session when the peer is too slow. */
  check(): void {
    const now = this.#options.now()
    const { limits } = this.#options
    if (this.#state === 'closed') return
    if (this.#state !== 'ready' && now - this.#openedAt > limits.handshakeMs) {
      return this.close(lost('handshake took too long'))
    }
    if (now - this.#receivedAt > limits.silenceMs) return this.close(lost('peer fell silent'))
    if (this.#partialSince !== undefined && now - this.#partialSince > limits.frameMs) {
      return this.close(new Fault('peer-misbehaved', 'peer lets a message trickle'))
    }
    if (now - this.#pingedAt >= limits.pingMs) {
      if (this.#awaitsPong) return this.close(lost('peer does not answer pings'))
      this.#pingedAt = now
      this.#awaitsPong = true
      this.#send({ kind: 'ping', uptime: 0 })
    }
    for (const [id, request] of this.#outstanding) {
      if (request.until > now) continue
      this.#forget(id, request)
      request.resolve({ kind: 'silence' })
    }
    while (this.#queue[0] !== undefined && this.#queue[0].until <= now) {
      this.#queue.shift()?.resolve({ kind: 'silence' })
    }
    this.#advance()
  }

  /** Ends the session; every request is answered `lost`. Only the first call counts. */
  close(reason: Fault): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#options.socket.destroy()
    for (const request of this.#outstanding.values()) request.resolve({ kind: 'lost' })
    for (const request of this.#queue) request.resolve({ kind: 'lost' })
    this.#outstanding.clear()
    this.#queue.length = 0
    this.#options.events.closed(this, reason)
  }

  #advance(): void {
    while (this.#outstanding.size < this.#options.limits.maxOutstanding) {
      const request = this.#queue.shift()
      if (request === undefined) return
      const requestId = this.#nextId
      // Odd numbers are those of applications; even ones belong to the node's own requests.
      this.#nextId = (this.#nextId + 2) % 0x1_0000_0000
      this.#outstanding.set(requestId, request)
      const { chainId, question } = request
      if (question.kind !== 'app-request') {
        this.#bytes.give(answerBytes)
        this.#pendingBytes += answerBytes
      }
      this.#send({ ...question, chainId, requestId, deadlineNs })
    }
  }

  #forget(requestId: number, { question }: Request): void {
    this.#outstanding.delete(requestId)
    if (question.kind !== 'app-request') this.#pendingBytes -= answerBytes
  }

  #send(message: PeerMessage): void {
    const { socket, limits } = this.#options
    socket.write(frameOf(encodePeerMessage(message)))
    if (socket.writableLength > limits.maxUnsentBytes) {
      this.close(new Fault('peer-misbehaved', 'peer does not read'))
    }
  }

  #receive(chunk: Uint8Array): void {
    try {
      const now = this.#options.now()
      this.#spendBytes(chunk.length, now)
      const messages = this.#frames.push(chunk)
      if (messages.length > 0) this.#receivedAt = now
      if (!this.#frames.partial) this.#partialSince = undefined
      else if (messages.length > 0 || this.#partialSince === undefined) this.#partialSince = now
      for (const message of messages) {
        if (this.#state === 'closed') return
        if (!this.#messages.take(1, now)) throw tooMuch()
        this.#accept(message, now)
      }
    } catch (error) {
      const fault = faultIn(error)
      this.close(fault)
    }
  }

  #spendBytes(amount: number, now: number): void {
    if (!this.#bytes.take(amount, now, this.#pendingBytes)) throw tooMuch()
  }

  /** Nodes pass over messages they cannot read; so do we, but not for ever. */
  #accept(bytes: Uint8Array, now: number): void {
    let message: PeerMessage
    try {
      message = decodePeerMessage(bytes)
      if (message.kind === 'compressed') {
        const plain = decompress(message.bytes)
        this.#spendBytes(plain.length, now)
        message = decodePeerMessage(plain)
      }
    } catch (error) {
      if (faultOf(error)?.code !== 'bad-bytes') throw error
      if (++this.#broken > maxBrokenMessages) {
        throw new Fault('peer-misbehaved', 'peer sends messages that cannot be read', {
          cause: error,
        })
      }
      return
    }
    this.#handle(message)
  }

  #handle(message: PeerMessage): void {
    if ('items' in message) return this.#settle(message, message)
    switch (message.kind) {
      case 'ping':
        if (message.uptime > 100) throw new Fault('peer-misbehaved', 'ping with impossible uptime')
        return this.#send({ kind: 'pong' })
      case 'pong':
        if (!this.#awaitsPong) throw new Fault('peer-misbehaved', 'pong without ping')
        this.#awaitsPong = false
        return
      case 'handshake':
        return this.#greet(message)
      case 'peer-list':
        if (this.#state === 'greeting') return
        if (this.#state === 'greeted') {
          this.#state = 'ready'
          this.usedAt = this.#options.now()
          this.#options.events.ready(this)
        }
        if (message.peers.length > 0) this.#options.events.peers(this, message.peers)
        return
      case 'app-response':
        return this.#settle(message, { kind: 'response', appBytes: message.appBytes })
      case 'app-error': {
        const text = message.message.slice(0, maxErrorText)
        return this.#settle(message, { kind: 'error', code: message.code, message: text })
      }
      default:
        // Our answers are not needed: we know no addresses, and have announced no blocks.
        return
    }
  }

  #greet(handshake: Handshake): void {
    if (this.#state !== 'greeting') throw new Fault('peer-misbehaved', 'second handshake')
    if (handshake.networkId !== this.#options.networkId) {
      const { networkId } = handshake
      throw new Fault('peer-misbehaved', `peer is of another network: ${networkId}`)
    }
    const { major, minor, patch } = handshake.client
    this.version = [major, minor, patch].join('.')
    this.upgradeTime = handshake.upgradeTime
    this.#state = 'greeted'
    this.#send({ kind: 'handshake', ...this.#options.greet(handshake) })
    this.#send({ kind: 'peer-list', peers: [] })
  }

  #settle(
    { chainId, requestId }: { readonly chainId: Uint8Array; readonly requestId: number },
    answer: Answered,
  ): void {
    const request = this.#outstanding.get(requestId)
    // Too late, or never requested: not worth ending a session for.
    if (request === undefined || !equalBytes(request.chainId, chainId)) return
    if (!fits(request, answer)) return
    this.#forget(requestId, request)
    request.resolve(answer)
    this.#advance()
  }
}

function tooMuch(): Fault {
  return new Fault('peer-misbehaved', 'peer sends too much')
}

/** Ten seconds, the most a node gives a request. Zero would expire before it is read. */
const deadlineNs = 10_000_000_000n

function lost(what: string, cause?: unknown): Fault {
  return new Fault('node-unreachable', what, cause === undefined ? {} : { cause })
}
