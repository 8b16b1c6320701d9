/** Another machine that reads ranges of a chain for this process, at the address of its `firn read`. */

import { Fault, faultOf } from '../../../core/fault.ts'
import type { World } from '../../../core/world.ts'
import { Endpoint } from '../../../source/endpoint.ts'
import type { EndpointStatus, HeightRange } from '../../../source/evm-source.ts'
import type { BlocksPiece } from '../read/block-piece.ts'
import { type RangeChain, rangeOf, rangeQuery } from './range-bytes.ts'
import type { OtherReader } from './range-readers.ts'

/** Addresses of readers, and the secret that they ask for. */
export type RemoteReaderSettings = {
  /** Base URLs. */
  readonly urls: readonly string[]
  /** Secret that all processes of the deployment share; empty: none is sent. */
  readonly token: string
}

/** Parts of {@link RemoteReader}. */
export type RemoteReaderParts = Pick<RemoteReaderSettings, 'token'> & {
  readonly world: World
  readonly timeoutMs: number
  readonly maxInFlight: number
  readonly maxReplyBytes: number
}

/** A range that takes longer is asked of our own nodes: everything after it waits. */
const longestMs = 10_000

/** One machine, for one chain. It is left alone for a while after it failed. */
export class RemoteReader implements OtherReader {
  readonly #parts: RemoteReaderParts
  readonly #endpoint: Endpoint

  constructor(url: string, parts: RemoteReaderParts) {
    this.#parts = parts
    this.#endpoint = new Endpoint(url, parts.maxInFlight)
  }

  window(_behind: number, now: number): number {
    return this.#endpoint.readyAt <= now ? this.#endpoint.usual.size : 0
  }

  load(_behind: number, now: number): number | undefined {
    const { inFlight, size } = this.#endpoint.usual
    return this.#endpoint.hasRoom(undefined, now) ? inFlight / size : undefined
  }

  async read(
    chain: RangeChain,
    range: HeightRange,
    signal: AbortSignal,
  ): Promise<BlocksPiece | undefined> {
    const { clock } = this.#parts.world
    const reader = this.#endpoint
    const beganMs = clock.monotonic()
    reader.usual.inFlight++
    try {
      const piece = await this.#fetch(chain, range, signal)
      reader.succeeded(undefined, clock.monotonic() - beganMs)
      if (piece !== undefined) reader.height = Math.max(reader.height, piece.until - 1)
      return piece
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined || signal.aborted) throw error
      // Whoever sends what cannot be is no better a moment later.
      if (fault.code === 'node-unreachable' || fault.code === 'node-throttled')
        reader.failed(undefined, fault, clock.monotonic())
      else reader.doubted(fault.message, clock.monotonic())
      throw error
    } finally {
      reader.usual.inFlight--
    }
  }

  blame(origin: string, reason: string): boolean {
    const isOwn = origin === this.#endpoint.name
    if (isOwn) this.#endpoint.doubted(reason, this.#parts.world.clock.monotonic())
    return isOwn
  }

  endpoints(now: number): readonly EndpointStatus[] {
    return [this.#endpoint.status(now)]
  }

  async #fetch(
    chain: RangeChain,
    range: HeightRange,
    signal: AbortSignal,
  ): Promise<BlocksPiece | undefined> {
    const { world, token, timeoutMs, maxReplyBytes } = this.#parts
    const { url, name } = this.#endpoint
    const { status, body } = await world.transport.request({
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
