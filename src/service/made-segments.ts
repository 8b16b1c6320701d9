/**
 * Segments that are made here for other Firns, which index them: `POST /v1/segments`, the job as the body, the
 * file as the answer. Threads make them, beside the ranges that this process reads.
 */

import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Fault, faultOf } from '../core/fault.ts'
import type { Clock } from '../core/world.ts'
import { jobOf, mostJobBytes, windowHeader } from '../indexing/evm/making/job-bytes.ts'
import { makingThreads } from '../indexing/evm/making/making-thread.ts'
import { SegmentMakers } from '../indexing/evm/making/segment-makers.ts'
import type { Log } from '../telemetry/log.ts'
import { version } from './version.ts'

/** An answer to another process of the deployment. */
export type ProcessAnswer = {
  readonly status: number
  readonly body: Uint8Array | string
  readonly headers?: Readonly<Record<string, string>>
}

/** Parts of {@link MadeSegments}. */
export type MadeSegmentsParts = {
  readonly clock: Clock
  readonly log: Log
  /** Threads that make segments. */
  readonly threads: number
  /** Ends the threads. */
  readonly signal: AbortSignal
}

/** Making of segments for others. */
export class MadeSegments {
  readonly #threads: number
  readonly #makers: SegmentMakers
  #underWay = 0

  constructor({ clock, log, threads, signal }: MadeSegmentsParts) {
    this.#threads = threads
    const others = makingThreads(threads, { clock, log, signal })
    this.#makers = new SegmentMakers(others, { clock, log })
  }

  /** Makes the segment of a request. Each takes the memory of a batch: more than threads are refused. */
  async answer(request: IncomingMessage): Promise<ProcessAnswer> {
    if (this.#underWay >= this.#threads) return { status: 503, body: 'busy' }
    this.#underWay++
    try {
      const job = jobOf(await bodyOf(request))
      if (job.subject.firn !== version) return { status: 409, body: `this is Firn ${version}` }
      const draft = join(tmpdir(), `firn-${randomUUID()}`)
      try {
        await this.#makers.make({ ...job, draft })
        const headers = { [windowHeader]: String(this.#threads) }
        return { status: 200, headers, body: await readFile(draft) }
      } finally {
        await rm(draft, { force: true })
      }
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined) throw error
      return { status: fault.code === 'store-full' ? 503 : 400, body: fault.message }
    } finally {
      this.#underWay--
    }
  }
}

/** All bytes of a body. Throws `node-too-large`, and `node-unreachable` where the caller goes away. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of request as AsyncIterable<Uint8Array>) {
      size += part.length
      if (size > mostJobBytes) throw new Fault('node-too-large', 'a job is too long')
      parts.push(part)
    }
  } catch (error) {
    if (faultOf(error) !== undefined) throw error
    throw new Fault('node-unreachable', 'the caller has gone', { cause: error })
  }
  return Buffer.concat(parts)
}
