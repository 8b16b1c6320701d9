/**
 * Our connections to the network: those that exist, those that are wanted, and when to try again.
 *
 * Connections are made when a node is wanted, kept while they are used, and a peer that breaks the
 * protocol is left alone for a while. One loop looks after all of them; it sleeps when there is
 * nobody to look after.
 *
 * Nothing connects to us: the address we announce leads nowhere, as that of other light peers.
 */

import type { SecureContext } from 'node:tls'

import { setBounded } from '../core/bounded-maps.ts'
import { Fault, faultOf } from '../core/fault.ts'
import { growingPause } from '../core/waiting.ts'
import type { World } from '../core/world.ts'
import type { Log } from '../telemetry/log.ts'
import { AddressBook, type NodeAddress } from './address-book.ts'
import { nodeIdOf } from './certificate.ts'
import { dial, tlsContext } from './dial.ts'
import { Greeter } from './greeting.ts'
import type { Identity } from './identity.ts'
import { Allowance, type PeerLimits } from './limits.ts'
import { Session } from './session.ts'

type PeerPoolOptions = {
  readonly world: Pick<World, 'clock' | 'random'>
  readonly log: Log
  readonly networkId: number
  readonly identity: Identity
  /**
   * Addresses of the nodes our node is connected to, and its own, read again whenever they may have
   * changed; `undefined` without a node.
   */
  readonly nodePeers: ((signal: AbortSignal) => Promise<readonly NodeAddress[]>) | undefined
  readonly limits: PeerLimits
  readonly configured: readonly NodeAddress[]
  /** Nodes that give addresses of others where no node of ours knows any. */
  readonly bootstrappers: readonly NodeAddress[]
  readonly allowPrivateIps: boolean
}

/** Numbers about a pool. */
export type PoolStatus = {
  readonly connected: number
  readonly connecting: number
  readonly known: number
}

type Attempts = {
  failures: number
  nextAt: number
  /** Misconduct of a peer: even a new address does not bring it back before `nextAt`. */
  offence: string | undefined
}

/** Nodes of our own list that are connected to, wanted or not, because they give addresses of others. */
const informants = 5
/** Failures after which peers are asked for a newer address. */
const failuresOfOld = 3
/** Peers whose clocks are remembered. */
const clocksKept = 64
/** Half of what nodes tolerate. Source: avalanchego network/peer/peer.go. */
const mostApartSeconds = 30
/** Pause between two questions to our node for its peers, while a wanted node cannot be reached. */
const listPeersMs = 5_000
/** Connections to nodes. Lives until `close`. */
export class PeerPool {
  readonly #options: PeerPoolOptions
  readonly #book: AddressBook
  readonly #greeter: Greeter
  readonly #tls: SecureContext
  readonly #sessions = new Map<string, Session>()
  readonly #dialling = new Map<string, AbortController>()
  readonly #wanted = new Map<string, number>()
  readonly #attempts = new Map<string, Attempts>()
  /** Seconds by which clocks of peers were ahead of ours when they greeted, by node id. */
  readonly #clocks = new Map<string, number>()
  readonly #watchers = new Set<() => void>()
  readonly #dials: Allowance
  readonly #stop = new AbortController()
  #looping: Promise<void> | undefined
  #listing: Promise<void> | undefined
  #listedAt = Number.NEGATIVE_INFINITY

  constructor(options: PeerPoolOptions) {
    this.#options = options
    this.#book = new AddressBook(options.allowPrivateIps)
    this.#tls = tlsContext(options.identity.keyPem, options.identity.certificatePem)
    const { dialsPerSecond } = options.limits
    this.#dials = new Allowance(dialsPerSecond, dialsPerSecond, this.#now())
    for (const address of options.configured) this.#book.configure(address)
    this.#greeter = new Greeter(options, this.#book)
  }

  /** A connection to `nodeId` that answers requests now. */
  session(nodeId: string): Session | undefined {
    const session = this.#sessions.get(nodeId)
    return session?.ready === true ? session : undefined
  }

  /** Failed tries to connect to `nodeId` since it was last connected. */
  failures(nodeId: string): number {
    return this.#attempts.get(nodeId)?.failures ?? 0
  }

  /** Why `nodeId` is left alone for a while; `undefined` when it is not. */
  offence(nodeId: string): string | undefined {
    return this.#attempts.get(nodeId)?.offence
  }

  /** Wants connections to these nodes, most wanted first, until they are no longer used. */
  want(nodeIds: readonly string[], subnetId: Uint8Array): void {
    const now = this.#now()
    for (const nodeId of nodeIds) this.#wanted.set(nodeId, now)
    this.#greeter.track(subnetId)
    this.#dialDue(now)
    this.#looping ??= this.#loop()
  }

  /**
   * Calls `watcher` after every change: connected, failed, a new address. Returns the function that
   * ends this.
   */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Words for that which keeps this machine from the network: its clock, or a closed port. */
  trouble(): string | undefined {
    // Seconds by which the median of peers' clocks is ahead of ours; 0 where none is known.
    const all = [...this.#clocks.values()].toSorted((a, b) => a - b)
    const seconds = all[all.length >> 1] ?? 0
    if (Math.abs(seconds) > mostApartSeconds) {
      const apart = `${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'}`
      return `the clock of this machine is ${apart} that of its peers, and they refuse more than 60 s: set it`
    }
    const isLost = this.#clocks.size === 0 && this.#attempts.size > 0
    if (!isLost || this.#sessions.size > 0) return undefined
    const ports = new Set(this.#book.trusted().map(({ port }) => port))
    return `no bootstrap node could be reached: open outgoing ${[...ports].join(', ')}`
  }

  /** Leaves a peer alone for a while: what it answered was wrong. */
  ban(nodeId: string, reason: Fault): void {
    const session = this.#sessions.get(nodeId)
    if (session !== undefined) session.close(reason)
    else this.#failed(nodeId, reason)
  }

  status(): PoolStatus {
    let connected = 0
    for (const session of this.#sessions.values()) if (session.ready) connected++
    const connecting = this.#dialling.size + this.#sessions.size - connected
    return { connected, connecting, known: this.#book.size }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.#stop.abort()
    for (const controller of this.#dialling.values()) controller.abort()
    const reason = new Fault('not-served', 'shutting down')
    for (const session of this.#sessions.values()) session.close(reason)
    await Promise.all([this.#looping, this.#listing])
  }

  #now(): number {
    return this.#options.world.clock.monotonic()
  }

  #nowSeconds(): bigint {
    return BigInt(Math.floor(this.#options.world.clock.now() / 1000))
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher()
  }

  async #loop(): Promise<void> {
    const { clock } = this.#options.world
    const { signal } = this.#stop
    while (!signal.aborted && this.#wanted.size + this.#sessions.size + this.#dialling.size > 0) {
      const now = this.#now()
      for (const session of this.#sessions.values()) this.#look(session, now)
      for (const [nodeId, at] of this.#wanted) {
        if (now - at > this.#options.limits.idleMs) {
          this.#wanted.delete(nodeId)
          this.#attempts.delete(nodeId)
        }
      }
      this.#dialDue(now)
      this.#discover(now)
      try {
        await clock.sleep(this.#options.limits.tickMs, signal)
      } catch (error) {
        // The only reason to wake early is that the pool closes; the loop's head sees it.
        if (!signal.aborted) throw error
      }
    }
    this.#looping = undefined
  }

  #look(session: Session, now: number): void {
    session.check()
    if (!session.ready || now - session.usedAt <= this.#options.limits.idleMs) return
    session.close(new Fault('node-unreachable', 'the connection is not needed any more'))
  }

  #dialDue(now: number): void {
    for (const nodeId of this.#wanted.keys()) {
      const address = this.#due(nodeId, now)
      if (address === undefined) continue
      if (!this.#dials.take(1, now)) return
      void this.#connect(address)
    }
  }

  #due(nodeId: string, now: number): NodeAddress | undefined {
    if (this.#sessions.has(nodeId) || this.#dialling.has(nodeId)) return undefined
    const full = this.#sessions.size + this.#dialling.size >= this.#options.limits.maxSessions
    if (full || this.#stop.signal.aborted) return undefined
    const attempts = this.#attempts.get(nodeId)
    if (attempts !== undefined && now < attempts.nextAt) return undefined
    return this.#book.get(nodeId)
  }

  async #connect(address: NodeAddress): Promise<void> {
    const { nodeId } = address
    const controller = new AbortController()
    this.#dialling.set(nodeId, controller)
    const { clock } = this.#options.world
    const timer = new AbortController()
    clock.sleep(this.#options.limits.handshakeMs, timer.signal).then(
      () => controller.abort(),
      () => undefined,
    )
    try {
      this.#greeter.prepare()
      const socket = await dial(address, this.#tls, controller.signal)
      this.#dialling.delete(nodeId)
      if (this.#stop.signal.aborted) socket.destroy()
      else this.#sessions.set(nodeId, this.#session(address, socket))
    } catch (error) {
      this.#dialling.delete(nodeId)
      this.#failed(
        nodeId,
        faultOf(error) ?? new Fault('node-unreachable', 'cannot connect', { cause: error }),
      )
    } finally {
      timer.abort()
    }
  }

  #session(
    { nodeId }: NodeAddress,
    socket: ConstructorParameters<typeof Session>[0]['socket'],
  ): Session {
    const { limits, networkId } = this.#options
    return new Session({
      socket,
      nodeId,
      networkId,
      greet: (theirs) => {
        const before = this.trouble()
        setBounded(this.#clocks, nodeId, Number(theirs.time - this.#nowSeconds()), clocksKept)
        const trouble = this.trouble()
        if (trouble !== undefined && before === undefined) this.#options.log.warn(trouble, {})
        return this.#greeter.answer(theirs)
      },
      limits,
      now: () => this.#now(),
      events: {
        ready: (session) => {
          this.#attempts.delete(nodeId)
          this.#options.log.debug('peer-connected', { nodeId, version: session.version })
          this.#changed()
        },
        peers: (_, claims) => {
          const nowSeconds = this.#nowSeconds()
          const isWanted = (nodeId: string): boolean => this.#wanted.has(nodeId)
          const fresh: string[] = []
          for (const claim of claims) {
            if (this.#book.heard(claim, nowSeconds, isWanted))
              fresh.push(nodeIdOf(claim.certificate))
          }
          this.#learned('peer-addresses-heard', fresh)
        },
        closed: (session, reason) => {
          if (this.#sessions.get(nodeId) === session) this.#sessions.delete(nodeId)
          this.#failed(nodeId, reason)
        },
      },
    })
  }

  #failed(nodeId: string, reason: Fault): void {
    const { limits, log } = this.#options
    const banned = reason.code === 'peer-misbehaved'
    const failures = this.failures(nodeId) + 1
    const waitMs = banned
      ? limits.banMs
      : growingPause(failures - 1, { firstMs: limits.retryMs, longestMs: limits.maxRetryMs })
    const offence = banned ? reason.message : undefined
    this.#attempts.set(nodeId, { failures, nextAt: this.#now() + waitMs, offence })
    const fields = { nodeId, code: reason.code, reason: reason.message, failures, waitMs }
    if (banned) log.warn('peer-banned', fields)
    else log.debug('peer-lost', fields)
    this.#changed()
  }

  /** A node with a new address may be tried at once, unless it misbehaved. */
  #learned(event: string, nodeIds: readonly string[]): void {
    if (nodeIds.length === 0) return
    const now = this.#now()
    for (const nodeId of nodeIds) {
      const attempts = this.#attempts.get(nodeId)
      if (attempts !== undefined && attempts.offence === undefined) attempts.nextAt = now
    }
    this.#options.log.debug(event, { fresh: nodeIds.length })
    this.#dialDue(now)
    this.#changed()
  }

  /** Looks for nodes that are wanted and cannot be reached. */
  #discover(now: number): void {
    let strangers = 0
    let unreachable = 0
    for (const nodeId of this.#wanted.keys()) {
      if (this.#sessions.has(nodeId)) continue
      const isOld = this.failures(nodeId) >= failuresOfOld
      if (isOld || this.#book.get(nodeId) === undefined) strangers++
      if (!this.#dialling.has(nodeId)) unreachable++
    }
    if (unreachable > 0 && this.#listing === undefined && now - this.#listedAt > listPeersMs) {
      this.#listedAt = now
      this.#listing = this.#listPeers()
    }
    if (strangers === 0) return
    const knownPeers = this.#greeter.knownPeers()
    for (const session of this.#sessions.values()) session.requestPeers(knownPeers)
    this.#keepInformants(now)
  }

  #keepInformants(now: number): void {
    let missing = informants - this.#sessions.size - this.#dialling.size
    for (const { nodeId } of this.#book.trusted()) {
      if (missing <= 0) return
      const address = this.#due(nodeId, now)
      if (address === undefined || !this.#dials.take(1, now)) continue
      missing--
      void this.#connect(address)
    }
  }

  async #listPeers(): Promise<void> {
    try {
      const peers = (await this.#options.nodePeers?.(this.#stop.signal)) ?? []
      const nowSeconds = this.#nowSeconds()
      const fresh = peers.filter((peer) => this.#book.listed(peer, nowSeconds))
      // Itself it always knows.
      if (peers.length <= 1) this.#addBootstrappers()
      this.#learned(
        'peer-addresses-told',
        fresh.map(({ nodeId }) => nodeId),
      )
    } catch (error) {
      // Gossip and configured peers may still do; the pool asks again.
      if (!this.#stop.signal.aborted) {
        this.#options.log.warn('peer-addresses-unavailable', { reason: String(error) })
        this.#addBootstrappers()
      }
    } finally {
      this.#listing = undefined
    }
  }

  /** Addresses that other peers report are newer. */
  #addBootstrappers(): void {
    const fresh = this.#options.bootstrappers.filter((address) => this.#book.listed(address, 0n))
    this.#learned(
      'peer-addresses-built-in',
      fresh.map(({ nodeId }) => nodeId),
    )
  }
}
