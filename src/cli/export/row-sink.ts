/** Takes the parts of an export, no faster than the reader does; `closed` says that nobody reads any more (`| head`). */

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'

import { Fault } from '../../core/fault.ts'

/** Where an export goes. */
export type RowSink = {
  /** Waits while the reader is slower. Throws `store-failed`. */
  readonly write: (part: string | Uint8Array) => Promise<void>
  readonly closed: () => boolean
  readonly end: () => Promise<void>
}

/** The file `path`, or standard output. Throws `bad-parameter` where the file cannot be made. */
export async function openSink(path: string | undefined): Promise<RowSink> {
  if (path === undefined) return sinkOver(process.stdout, false)
  const stream = createWriteStream(path, { flags: 'w' })
  try {
    await once(stream, 'open')
  } catch (cause) {
    throw new Fault('bad-parameter', `file cannot be written: ${path}`, { cause })
  }
  return sinkOver(stream, true)
}

function sinkOver(stream: Writable, isFile: boolean): RowSink {
  let failure: Error | undefined
  let isClosed = false
  let goOn = (): void => undefined
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isClosed = true
    if (error.code !== 'EPIPE') failure = error
    goOn()
  })
  stream.on('drain', () => goOn())
  const check = (): void => {
    if (failure !== undefined)
      throw new Fault('store-failed', 'the export cannot be written', { cause: failure })
  }
  return {
    closed: () => isClosed,
    write: async (part) => {
      check()
      if (part.length === 0 || isClosed || stream.write(part)) return
      await new Promise<void>((resolve) => (goOn = resolve))
      check()
    },
    end: async () => {
      if (isFile) await new Promise<void>((resolve) => stream.end(resolve))
      check()
    },
  }
}
