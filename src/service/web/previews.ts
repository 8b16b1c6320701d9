/** The thing that a page of the explorer shows, in a sentence: for those who draw previews of links and run no script. */

import type { FastifyInstance, FastifyRequest } from 'fastify'

import { askAs } from '../../api/mcp/mount-mcp.ts'
import type { AskApi } from '../../api/mcp/tool-server.ts'
import { isObject } from '../../core/json.ts'
import { inTime } from '../../core/waiting.ts'
import type { Clock } from '../../core/world.ts'
import { moment, words } from '../../explorer/browser/kit/format.ts'
import { segmentsOf } from '../../explorer/browser/kit/link.ts'
import { shownThing } from '../../explorer/browser/kit/shown-thing.ts'

/** The sentence, where there is one; `isMissing` where the API says that there is no such thing. */
export type Preview = {
  readonly isMissing: boolean
  readonly text?: string | undefined
  /** Single values that the API has of the thing, and its address there. */
  readonly facts?: readonly (readonly [name: string, value: string])[]
  readonly url?: string
}

/** A request for a page. */
export type PreviewRequest = Pick<FastifyRequest, 'headers' | 'ip' | 'host'>

/** Finds the preview of a path. */
export type FindPreview = (path: string, request: PreviewRequest) => Promise<Preview>

/** A page does not wait for longer. */
const mostMs = 1_000

/** Asks the API of this process as the caller of the page. */
export function createPreviews(http: FastifyInstance, clock: Clock): FindPreview {
  return async (path, request) => {
    const segments = segmentsOf(path)
    const thing = shownThing(segments)
    if (thing === undefined) return { isMissing: false }
    const ask = askAs(http, request)
    const limit = { clock, ms: mostMs }
    const answer = await inTime(ask(thing.url), limit)
    if (answer?.status === 404 && segments[0] === 'chain' && segments[2] === 'tx') {
      const known = await inTime(knownToNode(ask, segments), limit)
      return known === false ? { isMissing: true } : { isMissing: false, text: known && pending }
    }
    // An id that is none is refused.
    if (answer?.status === 400) return { isMissing: true }
    if (answer?.status === 404) return { isMissing: !thing.mayBeUnknown }
    const known: unknown = answer?.status === 200 ? JSON.parse(answer.text) : undefined
    return { isMissing: false, text: sentenceOf(known), facts: factsOf(known), url: thing.url }
  }
}

const pending = 'A transaction that waits for its block'

/** Returns whether the node of a chain knows a transaction that is not stored, where it may be asked. */
async function knownToNode(
  ask: AskApi,
  [, chainId = '', , txHash]: readonly string[],
): Promise<boolean> {
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getTransactionByHash', params: [txHash] }
  const { status, text } = await ask(`/v1/chains/${encodeURIComponent(chainId)}/rpc`, call)
  return status === 200 && text.includes('"result":{')
}

// Longer values are no reading matter.
const longest = 200

/** Single values of an answer by their names in words: of a transaction those of its part that lists have. */
function factsOf(answer: unknown): [string, string][] {
  if (!isObject(answer)) return []
  const { nativeTransaction } = answer
  const shown = isObject(nativeTransaction) ? nativeTransaction : answer
  return Object.entries(shown).flatMap(([name, value]) => {
    // Of an address what it is called as well.
    const { address, label } = isObject(value) ? value : {}
    const isTime = typeof value === 'number' && /timestamp$/i.test(name)
    const text = [label, address ?? (isTime ? `${moment(value)} UTC` : value)]
      .filter((part) => part !== undefined && typeof part !== 'object')
      .join(' ')
    return text === '' || text.length > longest ? [] : [[words(name), text]]
  })
}

function sentenceOf(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined
  const { summary, status, sourceEvmChainId, destinationEvmChainId, label, name, symbol } = answer
  if (isObject(summary)) return String(summary['text'])
  if (typeof destinationEvmChainId === 'string')
    return `Interchain message from chain ${String(sourceEvmChainId)} to ${destinationEvmChainId}: ${String(status)}`
  const named = [label, name, symbol].filter((text) => typeof text === 'string' && text !== '')
  return named.length === 0 ? undefined : named.join(' · ')
}
