/**
 * A caller of a deployment who asks for the newest blocks all the time, and for others between, and judges every answer.
 */

import { setTimeout as pause } from 'node:timers/promises'

import { listOf, objectOf } from '../../src/codec/evm/raw.ts'
import type { ReplayNode } from '../support/nodes/replay-node.ts'
import { drawsOf } from '../support/processes/draws.ts'

/** Observations of a caller. */
export type Caller = {
  readonly counts: () => { readonly answered: number; readonly refused: number }
  /** Stops asking; gives what was neither a right answer nor 503 with `Retry-After`. */
  readonly end: () => Promise<readonly string[]>
}

/** Another question, and whether a text answers it. */
export type Question = { readonly url: string; readonly isRight: (text: string) => boolean }

/** Between two requests. */
const everyMs = 40
/** An answer that takes longer is none. */
const limitMs = 30_000

/** Begins to ask for `url`, a list of blocks, and for what `other` gives by the height of the newest block. */
export function startCaller(url: string, other?: (newest: number) => Question): Caller {
  const wrong: string[] = []
  let answered = 0
  let refused = 0
  let isEnding = false
  let newest = -1
  /** The text of an answer; none of one that says to come again. */
  const textOf = async (place: string): Promise<string | undefined> => {
    const reply = await fetch(place, { signal: AbortSignal.timeout(limitMs) })
    const text = await reply.text()
    if (reply.status === 503 && /^[1-9]\d*$/.test(reply.headers.get('retry-after') ?? '')) {
      refused++
      return undefined
    }
    if (reply.status !== 200) throw new Error(`${reply.status} ${text}`)
    answered++
    return text
  }
  const answerOf = async ({ url: place, isRight }: Question): Promise<void> => {
    const text = await textOf(place)
    if (text !== undefined && !isRight(text)) throw new Error(`${place}: ${text}`)
  }
  const once = async (): Promise<void> => {
    const text = await textOf(url)
    if (text === undefined) return
    const blocks = listOf(objectOf(JSON.parse(text), 'page')['blocks'], 'blocks')
    const heights = blocks.map((block) => Number(objectOf(block, 'block')['blockNumber']))
    const [first = -1] = heights
    if (heights.some((height, at) => height !== first - at))
      throw new Error(`a gap: ${heights.join()}`)
    if (first < newest) throw new Error(`${first} after ${newest}`)
    newest = first
  }
  const asking = (async () => {
    while (!isEnding) {
      await once().catch((error: unknown) => wrong.push(String(error)))
      if (other !== undefined && newest > 0)
        await answerOf(other(newest)).catch((error: unknown) => wrong.push(String(error)))
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

/** Blocks by their heights, drawn from all that are stored, at `url`: most are history. */
export function oldBlocks(url: string, node: ReplayNode): (newest: number) => Question {
  const { below } = drawsOf(1)
  return (newest) => {
    const height = below(newest)
    const method = 'eth_getBlockByNumber'
    const call = { jsonrpc: '2.0', id: 1, method, params: [`0x${height.toString(16)}`, false] }
    const { exchange } = node.answer(JSON.stringify(call))
    const { hash } = objectOf(objectOf(JSON.parse(exchange.reply.text), 'reply')['result'], 'block')
    return {
      url: `${url}/${height}`,
      isRight: (text) => objectOf(JSON.parse(text), 'block')['blockHash'] === hash,
    }
  }
}
