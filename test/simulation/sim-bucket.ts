/**
 * Object storage of a simulation, with the history of all stores of a deployment: its requests are those of the product,
 * and what becomes of them is drawn.
 */

import { writeFileSync } from 'node:fs'

import { Fault } from '../../src/core/fault.ts'
import type { Clock, HttpReply, HttpRequest, World } from '../../src/core/world.ts'
import { Bucket } from '../../src/store/bucket/bucket.ts'
import type { BucketHistory } from '../../src/store/history/segment-cache.ts'
import type { Draws } from '../support/processes/draws.ts'
import { placeOf, type StoredFiles, storageReply } from '../support/stores/object-storage.ts'
import type { BucketFault } from './fault-kinds.ts'
import { Killed, type Life } from './life.ts'

/** A harm that requests suffer while it lasts. */
export type BucketHarm = {
  readonly kind: BucketFault
  readonly draws: Draws
  readonly took: () => void
}

/** A process as its bucket sees it: its world, the folder of its disk, and what ends it. */
export type BucketUser = {
  readonly world: Pick<World, 'clock' | 'random'>
  readonly folder: string
  readonly signal: AbortSignal
}

/** Longest that a slow storage takes for a request, milliseconds. */
const slowestMs = 8_000
/** Until a storage that is gone is given up. */
const goneMs = 2_000
/** Of a file with other bytes one of so many is another. */
const otherEvery = 509
const address = { url: 'http://storage/history', region: 'here', prefix: 'firn/' }
const keys = { accessKeyId: 'somebody', secretAccessKey: 'their secret' }

/** The storage of one deployment. */
export class SimBucket {
  readonly harms = new Set<BucketHarm>()
  readonly #stored: StoredFiles
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
    this.#stored = { files: new Map(), isEndless: false, now: clock.now }
  }

  /** The bucket as a process has it, whose disk keeps files in a folder. */
  openFor(life: Life, process: BucketUser): BucketHistory {
    const { world, folder, signal } = process
    const request = async (sent: HttpRequest): Promise<HttpReply> => {
      await this.#goesOn(life)
      const reply = await this.#reply(sent)
      await this.#goesOn(life)
      return reply
    }
    // Within a transaction the work of a process that was killed ends, so that its lock is free.
    const clock: Clock = {
      ...world.clock,
      sleep: async (ms, signal) => {
        await this.#clock.sleep(ms, signal)
        await this.#goesOn(life)
      },
    }
    const bucket = new Bucket(address, {
      clock,
      random: world.random,
      transport: { request },
      download: async ({ urls: [url = ''], headers = {}, maxBytes, path, check }) => {
        const sent = { url, method: 'GET', headers, timeoutMs: 0, maxBytes } as const
        const { status, body } = await request(sent)
        if (status !== 200) throw new Fault('node-unreachable', `status ${status}`)
        writeFileSync(path, body)
        await check?.(path)
        return url
      },
      credentials: { get: async () => keys, renew: () => undefined },
      signal,
      sign: async ({ url, headers }) => ({ url, headers }),
      count: () => undefined,
    })
    const limits = { maxBytes: 2 ** 20, fileBytes: 2 ** 18, mostOpen: 4, waitMs: 5_000 }
    return { bucket, folder, ...limits, clock: world.clock, count: () => undefined }
  }

  async #goesOn(life: Life): Promise<void> {
    while (life.isFrozen && !life.isDead) await this.#clock.sleep(100)
    if (life.isDead) throw new Killed()
  }

  async #reply({ url, method, headers = {}, body, signal }: HttpRequest): Promise<HttpReply> {
    const { key, searchParams: query } = placeOf(url)
    const sent = body instanceof Uint8Array ? body : none
    const answer = (stored: Uint8Array): HttpReply => {
      const isConditional = headers['if-none-match'] === '*'
      const request = { method, isConditional, key, query, body: stored }
      const reply = storageReply(this.#stored, request)
      return { status: reply.status, headers: { ...reply.headers }, body: reply.bytes ?? none }
    }
    const slow = this.#striking('bucket: slow')
    if (slow !== undefined) await this.#clock.sleep(slow.between(200, slowestMs), signal)
    if (this.#striking('bucket: gone', 1) !== undefined) {
      await this.#clock.sleep(goneMs, signal)
      throw new Fault('node-unreachable', 'nobody there')
    }
    const cut = this.#striking('bucket: cuts connections')
    if (cut !== undefined) {
      if (cut.chance(0.5)) answer(sent)
      throw new Fault('node-unreachable', 'cut off')
    }
    if (this.#striking('bucket: refuses for a while') !== undefined) return refusal(503, 'SlowDown')
    if (this.#striking('bucket: refuses the keys') !== undefined)
      return refusal(403, 'ExpiredToken')
    const isFile = key.endsWith('.sqlite')
    if (isFile && method === 'PUT' && this.#striking('bucket: keeps less', 0.9) !== undefined)
      return answer(sent.subarray(0, sent.length / 2))
    const reply = answer(sent)
    const isRead = isFile && method === 'GET' && reply.status === 200
    const other = isRead ? this.#striking('bucket: gives other bytes') : undefined
    if (other === undefined) return reply
    const at = other.below(otherEvery)
    const bytes = reply.body.map((byte, place) => (place % otherEvery === at ? byte ^ 1 : byte))
    return { ...reply, body: bytes }
  }

  /** The draws of a harm that takes effect now. */
  #striking(kind: BucketFault, share = 0.5): Draws | undefined {
    for (const harm of this.harms)
      if (harm.kind === kind && harm.draws.chance(share)) {
        harm.took()
        return harm.draws
      }
    return undefined
  }
}

const none = new Uint8Array()

function refusal(status: number, code: string): HttpReply {
  return { status, headers: {}, body: Buffer.from(`<Error><Code>${code}</Code></Error>`) }
}
