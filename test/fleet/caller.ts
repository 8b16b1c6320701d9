/**
 * A caller of a deployment who asks for the newest blocks all the time, and judges every answer.
 */

import { setTimeout as pause } from 'node:timers/promises'

import { listOf, objectOf } from '../../src/codec/evm/raw.ts'

/** Observations of a caller. */
export type Caller = {
  readonly counts: () => { readonly answered: number; readonly refused: number }
  /** Stops asking; gives what was neither a right answer nor 503 with `Retry-After`. */
  readonly end: () => Promise<readonly string[]>
}

/** Between two requests. */
const everyMs = 40
/** An answer that takes longer is none. */
const limitMs = 30_000

/** Begins to ask for `url`, a list of blocks. */
export function startCaller(url: string): Caller {
  const wrong: string[] = []
  let answered = 0
  let refused = 0
  let isEnding = false
  let newest = -1
  const once = async (): Promise<void> => {
    const reply = await fetch(url, { signal: AbortSignal.timeout(limitMs) })
    const text = await reply.text()
    if (reply.status === 503 && /^[1-9]\d*$/.test(reply.headers.get('retry-after') ?? '')) {
      refused++
      return
    }
    if (reply.status !== 200) throw new Error(`${reply.status} ${text}`)
    const blocks = listOf(objectOf(JSON.parse(text), 'page')['blocks'], 'blocks')
    const heights = blocks.map((block) => Number(objectOf(block, 'block')['blockNumber']))
    const [first = -1] = heights
    if (heights.some((height, at) => height !== first - at))
      throw new Error(`a gap: ${heights.join()}`)
    if (first < newest) throw new Error(`${first} after ${newest}`)
    newest = first
    answered++
  }
  const asking = (async () => {
    while (!isEnding) {
      await once().catch((error: unknown) => wrong.push(String(error)))
      await pause(everyMs)
    }
  })()
  return {
    counts: () => ({ answered, refused }),
    end: async () => {
      isEnding = true
      await asking
      return wrong
    },
  }
}
