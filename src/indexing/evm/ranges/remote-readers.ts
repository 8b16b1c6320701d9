/**
 * Other machines that read ranges of a chain for this process, which writes it.
 *
 * A range is asked of the machine that has least to do, our own nodes counted as one. A reader that
 * fails is left alone for a while, and our own nodes are asked instead: readers make a backfill
 * quicker, and none of them is needed.
 */

import { Fault, faultOf } from '../../../core/fault.ts'
import type { Transport, World } from '../../../core/world.ts'
import { Endpoint } from '../../../source/endpoint.ts'
import type { ChainIdentity, EndpointStatus, HeightRange } from '../../../source/evm-source.ts'
import type { Log } from '../../../telemetry/log.ts'
import type { BlocksPiece } from '../block-piece.ts'
import { rangeOf, rangeQuery } from './range-bytes.ts'

/** Where readers are, and what is asked of them. */
export type RemoteReaderSettings = {
  /** Base URLs. */
  readonly urls: readonly string[]
  /** Secret that all processes of the deployment share; empty: none is sent. */
  readonly token: string
}

/** Parts of {@link RemoteReaders}. */
export type RemoteReadersParts = RemoteReaderSettings & {
  readonly world: World
  readonly log: Log
  readonly timeoutMs: number
  readonly maxInFlight: number
  readonly maxReplyBytes: number
}

/**
 * Nearer to the head than this our own nodes are asked: other machines may not have these blocks, and
 * nothing is gained by their help.
 */
const nearHead = 32

/** A range that takes longer is asked of our own nodes: everything after it waits. */
const longestMs = 10_000

/** Readers of one chain. */
export class RemoteReaders {
  readonly #parts: RemoteReadersParts
  readonly #readers: readonly Endpoint[]
  #chain: ChainIdentity | undefined
  /** Reads of our own nodes under way. */
  #own = 0

  constructor(parts: RemoteReadersParts) {
    this.#parts = parts
    this.#readers = parts.urls.map((url) => new Endpoint(url, parts.maxInFlight))
  }

  /** From now on ranges of this chain are asked for. */
  opened(chain: ChainIdentity): void {
    this.#chain = chain
  }

  /** Reads that readers can take beside those of our own nodes. */
  get window(): number {
    const now = this.#parts.world.clock.monotonic()
    return this.#readers
      .filter((reader) => isUp(reader, now))
      .reduce((sum, { usual }) => sum + usual.size, 0)
  }

  /**
   * Blocks from `range.from` on, read by whoever has least to do. `own` reads them from our nodes,
   * which bear `ownWindow` reads.
   */
  async read(
    range: HeightRange & { readonly head: number },
    own: { readonly window: number; readonly read: () => Promise<BlocksPiece> },
    signal: AbortSignal,
  ): Promise<BlocksPiece> {
    const reader = this.#freest(range, own.window)
    const piece = reader === undefined ? undefined : await this.#ask(reader, range, signal)
    if (piece !== undefined) return piece
    this.#own++
    try {
      return await own.read()
    } finally {
      this.#own--
    }
  }

  /** Returns whether `origin` is one of the readers; it is not asked again for a while. */
  doubt(origin: string, reason: string): boolean {
    const reader = this.#readers.find(({ name }) => name === origin)
    reader?.doubted(reason, this.#parts.world.clock.monotonic())
    return reader !== undefined
  }

  endpoints(): readonly EndpointStatus[] {
    const now = this.#parts.world.clock.monotonic()
    return this.#readers.map((reader) => reader.status(now))
  }

  #freest(
    { until, head }: HeightRange & { readonly head: number },
    ownWindow: number,
  ): Endpoint | undefined {
    if (this.#chain === undefined || head - until < nearHead) return undefined
    const now = this.#parts.world.clock.monotonic()
    let freest: Endpoint | undefined
    let least = this.#own / Math.max(1, ownWindow)
    for (const reader of this.#readers) {
      const { inFlight, size } = reader.usual
      if (!reader.hasRoom(undefined, now) || inFlight / size > least) continue
      freest = reader
      least = inFlight / size
    }
    return freest
  }

  /** The range as the reader tells it; undefined where it does not, for whatever reason. */
  async #ask(
    reader: Endpoint,
    range: HeightRange,
    signal: AbortSignal,
  ): Promise<BlocksPiece | undefined> {
    const { world, log } = this.#parts
    const beganMs = world.clock.monotonic()
    reader.usual.inFlight++
    try {
      const piece = await this.#fetch(reader, range, signal)
      reader.succeeded(undefined, world.clock.monotonic() - beganMs)
      if (piece !== undefined) reader.height = Math.max(reader.height, piece.until - 1)
      return piece
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined || signal.aborted) throw error
      log.debug('range was not read elsewhere', { code: fault.code, reason: fault.message })
      // Whoever sends what cannot be is no better a moment later.
      if (fault.code === 'node-unreachable' || fault.code === 'node-throttled')
        reader.failed(undefined, fault, world.clock.monotonic())
      else reader.doubted(fault.message, world.clock.monotonic())
      return undefined
    } finally {
      reader.usual.inFlight--
    }
  }

  async #fetch(
    { url, name }: Endpoint,
    range: HeightRange,
    signal: AbortSignal,
  ): Promise<BlocksPiece | undefined> {
    const { world, token, timeoutMs, maxReplyBytes } = this.#parts
    const chain = this.#chain
    if (chain === undefined) return undefined
    const transport: Transport = world.transport
    const { status, body } = await transport.request({
      method: 'GET',
      url: `${url.replace(/\/+$/, '')}${rangeQuery(chain, range)}`,
      ...(token === '' ? {} : { headers: { authorization: `Bearer ${token}` } }),
      timeoutMs: Math.min(timeoutMs, longestMs),
      maxBytes: maxReplyBytes,
      signal,
    })
    if (status === 200) return rangeOf(body, range, name)
    // Blocks that no hash proves are read by our own checks, of our own nodes.
    if (status === 409) return undefined
    if (status === 503) throw new Fault('node-throttled', `${name} is busy, or its nodes are away`)
    throw new Fault('node-answer', `${name} does not read this chain for us: status ${status}`)
  }
}

function isUp(reader: Endpoint, now: number): boolean {
  return reader.readyAt <= now
}
