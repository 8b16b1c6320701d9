/**
 * Another machine that makes segments for this process, at the address of its `firn read`. It is sent the
 * columns of a batch with the numbers of its addresses, and sends the file back.
 */

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

import { Fault, faultOf } from '../../../core/fault.ts'
import { growingPause } from '../../../core/growing-pause.ts'
import type { World } from '../../../core/world.ts'
import type { SegmentSubject } from '../../../store/ice/segment-index.ts'
import { onDisk } from '../../../store/ice/segment-writer.ts'
import { Segment } from '../../../store/ice/segment.ts'
import { jobBytes, mostJobBytes, segmentsPath, windowHeader } from './job-bytes.ts'
import type { SegmentJob } from './make-segment.ts'
import type { OtherMaker } from './segment-makers.ts'

/** A segment that takes longer is made here: the commit waits for it. */
const timeoutMs = 30_000

/** Most segments that one machine is given at once, whatever it tells. */
const mostAtOnce = 64

/** Pauses after failures. */
const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** One machine. It is left alone for a while after it failed. */
export class RemoteMaker implements OtherMaker {
  readonly #url: string
  readonly #parts: { readonly world: World; readonly token: string }
  #window = 1
  #failures = 0
  #readyAt = Number.NEGATIVE_INFINITY

  /** `url` is that of its `firn read`; `token` the secret that it asks for, empty: none is sent. */
  constructor(url: string, parts: { readonly world: World; readonly token: string }) {
    this.#url = `${url.replace(/\/+$/, '')}${segmentsPath}`
    this.#parts = parts
  }

  window(now: number): number {
    return now >= this.#readyAt ? this.#window : 0
  }

  /** As `makeSegment`; throws `node-*` when the machine does not, or sends another file. */
  async make(job: SegmentJob): Promise<string> {
    try {
      const name = await this.#make(job)
      this.#failures = 0
      return name
    } catch (error) {
      if (faultOf(error)?.code.startsWith('node-') !== true) throw error
      const { clock } = this.#parts.world
      const pause = { firstMs: firstPauseMs, longestMs: longestPauseMs }
      this.#readyAt = clock.monotonic() + growingPause(this.#failures++, pause)
      throw error
    }
  }

  async #make({ draft, ...job }: SegmentJob): Promise<string> {
    const { world, token } = this.#parts
    const bytes = jobBytes(job)
    if (bytes.length > mostJobBytes)
      throw new Fault('node-too-large', 'a batch is too long to be sent to another machine')
    const { status, headers, body } = await world.transport.request({
      method: 'POST',
      url: this.#url,
      headers: {
        'content-type': 'application/octet-stream',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: bytes,
      timeoutMs,
      maxBytes: mostJobBytes,
    })
    if (status !== 200)
      throw new Fault('node-answer', `a machine does not make segments: status ${status}`)
    const told = Number(headers[windowHeader])
    this.#window = told > 1 ? Math.min(mostAtOnce, Math.floor(told)) : 1
    write(draft, body)
    return checkedName(draft, job.subject)
  }
}

function write(path: string, bytes: Uint8Array): void {
  onDisk(() => {
    const file = openSync(path, 'w')
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  })
}

/** Name of the segment in a file, which must be whole and of `subject`. Throws `node-answer`. */
function checkedName(path: string, subject: SegmentSubject): string {
  try {
    const made = new Segment(path)
    try {
      const fields = Object.keys(subject) as (keyof SegmentSubject)[]
      if (fields.some((field) => made.index[field] !== subject[field]))
        throw new Fault('node-answer', 'it is another one')
      const damaged = made.damagedTables()
      if (damaged.length > 0) throw new Fault('node-answer', `damaged: ${damaged.join(', ')}`)
      return made.name
    } finally {
      made.close()
    }
  } catch (cause) {
    const reason = faultOf(cause)?.message ?? 'not readable'
    throw new Fault('node-answer', `a machine sent a segment that cannot be used: ${reason}`, {
      cause,
    })
  }
}
