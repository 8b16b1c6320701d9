import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { Fault } from '../core/fault.ts'
import type { Download } from '../core/world.ts'

/** Downloads by the runtime's own client: piece by piece, whatever the size. */
export const download: Download = async ({ url, headers = {}, path, answerMs, wholeMs }) => {
  const begun = new AbortController()
  const timer = setTimeout(() => begun.abort(new Error('no answer in time')), answerMs)
  try {
    const signal = AbortSignal.any([begun.signal, AbortSignal.timeout(wholeMs)])
    const reply = await fetch(url, { signal, redirect: 'error', headers: { ...headers } })
    clearTimeout(timer)
    if (reply.status === 200 && reply.body !== null)
      await pipeline(Readable.fromWeb(reply.body), createWriteStream(path))
    else await reply.body?.cancel()
    return reply.status
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Fault('node-unreachable', why, { cause })
  } finally {
    clearTimeout(timer)
  }
}
