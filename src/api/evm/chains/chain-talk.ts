/**
 * A WebSocket of a chain: calls as those of `chain-rpc.ts`, and subscriptions.
 *
 * Source: go-ethereum, `eth_subscribe`; EIP-1193 for the form of elements.
 */

import { clip, toHex } from '../../../core/bytes.ts'
import { Fault, faultOf } from '../../../core/fault.ts'
import { isDeeper, isObject, jsonOf, parseExact } from '../../../core/json.ts'
import type { Random } from '../../../core/world.ts'
import type { ServedChain } from '../../operation/chain-directory.ts'
import { rpcCodes as codes, rpcFailure, rpcIdOf } from '../../operation/status.ts'
import type { Peer } from '../../server/web-sockets.ts'
import type { ChainFeed, LogFilter } from './chain-feed.ts'
import { type CallLimits, type CallText, callsIn, callTexts, refusalOf } from './chain-rpc.ts'

/** Subscriptions of one socket. */
const mostSubscriptions = 32
/** Units of a subscription. */
const subscriptionWeight = 10
/** Bytes of stored logs in an answer: a message is in memory as a whole. */
const mostLogBytes = 16_777_216
/** Addresses, or topics of a place, of a filter. */
const mostOfFilter = 1_000

/** Parts of a talk. */
export type TalkOptions = CallLimits & {
  readonly chain: ServedChain
  readonly feed: ChainFeed
  readonly random: Random
  readonly say: Peer['say']
  readonly turn: Peer['turn']
}

/** One socket. */
export class ChainTalk {
  readonly #options: TalkOptions
  readonly #open = new Map<string, () => void>()

  constructor(options: TalkOptions) {
    this.#options = options
  }

  /** Answers a message: a call, or a list of calls. Throws only what is a bug, and `key-required`. */
  async said(text: string): Promise<void> {
    const { say, turn, signal } = this.#options
    const body = jsonOf(text) === undefined ? undefined : parseExact(text)
    if (body === undefined || isDeeper(body))
      return say(JSON.stringify(rpcFailure(undefined, codes.notJson, 'the message is not JSON')))
    const begin: (() => void)[] = []
    let leave: (() => void) | undefined
    try {
      leave = await turn()
      if (signal.aborted) return
      const texts = await this.#answers(callsIn(body), begin)
      say(Array.isArray(body) ? `[${texts.join(',')}]` : texts.join())
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined || fault.code === 'key-required') throw error
      say(JSON.stringify(refusalOf(body, fault)))
    } finally {
      leave?.()
    }
    // The id of a subscription is said before its first element.
    for (const each of begin) each()
  }

  /** Ends all subscriptions. */
  end(): void {
    for (const end of this.#open.values()) end()
    this.#open.clear()
  }

  async #answers(list: readonly unknown[], begin: (() => void)[]): Promise<readonly string[]> {
    const own: (string | undefined)[] = []
    for (const call of list) own.push(await this.#ownAnswer(call, begin))
    const rest = list.filter((_call, at) => own[at] === undefined)
    const limits = { ...this.#options, mostLogBytes }
    const passed = rest.length === 0 ? [] : await callTexts(this.#options.chain, rest, limits)
    const texts = await Promise.all(passed.map(wholeText))
    let next = 0
    return own.map((text) => text ?? texts[next++] ?? '')
  }

  /** The answer to a call about subscriptions; `undefined` for another call. */
  async #ownAnswer(call: unknown, begin: (() => void)[]): Promise<string | undefined> {
    if (!isObject(call) || call['jsonrpc'] !== '2.0') return undefined
    const { method, params } = call
    if (method !== 'eth_subscribe' && method !== 'eth_unsubscribe') return undefined
    const [first, second]: readonly unknown[] = Array.isArray(params) ? params : []
    try {
      const result =
        method === 'eth_subscribe'
          ? await this.#subscribed(first, second, begin)
          : this.#unsubscribed(first)
      return JSON.stringify({ jsonrpc: '2.0', id: rpcIdOf(call), result })
    } catch (error) {
      const fault = faultOf(error)
      if (fault === undefined || fault.code === 'key-required') throw error
      const { code, message } = fault
      if (code === 'node-refused')
        return JSON.stringify(rpcFailure(call, codes.unknownMethod, message))
      if (code === 'bad-parameter')
        return JSON.stringify(rpcFailure(call, codes.invalidParameters, message))
      return JSON.stringify(refusalOf(call, fault))
    }
  }

  async #subscribed(kind: unknown, filter: unknown, begin: (() => void)[]): Promise<string> {
    const { charge, chain, feed, random, say, signal } = this.#options
    if (typeof kind !== 'string')
      throw new Fault('bad-parameter', 'expected subscription name as first argument')
    if (kind !== 'newHeads' && kind !== 'logs' && kind !== 'newPendingTransactions')
      throw new Fault('node-refused', `no "${clip(kind)}" subscription in eth namespace`)
    const wanted = kind === 'logs' ? logFilterOf(filter) : undefined
    if (this.#open.size >= mostSubscriptions)
      throw new Fault('overloaded', `a socket has ${mostSubscriptions} subscriptions at most`)
    await charge(subscriptionWeight)
    // A node that is away says so now, and not by silence.
    await chain.rpc?.call([{ method: 'eth_chainId', params: [] }], signal)
    await feed.ready()
    if (kind === 'newPendingTransactions') await feed.readyForPending()
    const id = `0x${toHex(random.bytes(16))}`
    const tell = (text: string): void =>
      say(
        `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${text}}}`,
      )
    this.#open.set(id, () => undefined)
    begin.push(() => {
      if (!this.#open.has(id) || signal.aborted) return
      if (wanted !== undefined) this.#open.set(id, feed.logs(wanted, tell))
      else this.#open.set(id, kind === 'newHeads' ? feed.heads(tell) : feed.pending(tell))
    })
    return id
  }

  #unsubscribed(id: unknown): boolean {
    const end = typeof id === 'string' ? this.#open.get(id) : undefined
    if (typeof id !== 'string' || end === undefined) return false
    end()
    return this.#open.delete(id)
  }
}

async function wholeText(text: CallText): Promise<string> {
  if (typeof text === 'string') return text
  const parts: string[] = []
  for await (const part of text) parts.push(part)
  return parts.join('')
}

/** A filter of a subscription. Throws `bad-parameter`. */
function logFilterOf(given: unknown): LogFilter {
  const { address, topics } = isObject(given) ? given : {}
  const places: readonly unknown[] = Array.isArray(topics) ? topics : []
  if ((topics !== undefined && topics !== null && !Array.isArray(topics)) || places.length > 4)
    throw new Fault('bad-parameter', 'topics must be a list of at most 4')
  return { addresses: hexSet(address, 40), topics: places.map((place) => hexSet(place, 64)) }
}

/** One, several or no values of so many digits each; a `null` among them is any. */
function hexSet(given: unknown, digits: number): ReadonlySet<string> {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (list.some((value) => value === undefined || value === null)) return new Set()
  if (list.length > mostOfFilter)
    throw new Fault('bad-parameter', `a filter has ${mostOfFilter} values at most: ${list.length}`)
  return new Set(
    list.map((value) => {
      if (typeof value === 'string' && new RegExp(`^0x[0-9a-f]{${digits}}$`, 'i').test(value))
        return value.toLowerCase()
      throw new Fault('bad-parameter', `must be 0x and ${digits} digits: ${clip(String(value))}`)
    }),
  )
}
