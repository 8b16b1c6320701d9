import { createWriteStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { Fault } from '../core/fault.ts'
import type { Download } from '../core/world.ts'

/** Downloads by the runtime's own client: piece by piece, whatever the size. */
export const download: Download = async (request) => {
  const { url, headers = {}, path, answerMs, wholeMs } = request
  const begun = new AbortController()
  const timer = setTimeout(() => begun.abort(new Error('no answer in time')), answerMs)
  try {
    const signal = AbortSignal.any([begun.signal, AbortSignal.timeout(wholeMs)])
    const reply = await fetch(url, { signal, redirect: 'error', headers: { ...headers } })
    clearTimeout(timer)
    if (reply.status === 200 && reply.body !== null)
      await pipeline(
        Readable.fromWeb(reply.body),
        atMost(request.maxBytes),
        createWriteStream(path),
      )
    else await reply.body?.cancel()
    return reply.status
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Fault('node-unreachable', why, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** Passes bytes on, and throws `node-too-large` beyond `most` of them. */
function atMost(most = Number.POSITIVE_INFINITY): Transform {
  let size = 0
  return new Transform({
    transform: (part: Uint8Array, _encoding, done) => {
      size += part.length
      if (size <= most) done(undefined, part)
      else done(new Fault('node-too-large', `a file is longer than is taken: ${most}`))
    },
  })
}
