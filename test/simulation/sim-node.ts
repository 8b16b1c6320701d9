/** A node of a made-up chain, without a socket, and every way in which it may misbehave. */

import { objectOf } from '../../src/codec/evm/raw.ts'
import type { Clock, HttpReply, HttpRequest } from '../../src/core/world.ts'
import { callsOf, type NodeCall } from '../support/nodes/json-rpc-reply.ts'
import type { Draws } from '../support/processes/draws.ts'
import type { History } from './history.ts'
import { lieKinds } from './lies.ts'
import { type Condition, NodeHarms, plainReply, type SimEndpoint } from './node-harms.ts'
import { callResult } from './node-state.ts'

type Outcome = { readonly text: string } | { readonly error: object }

const unknownMethod = { code: -32601, message: 'the method does not exist/is not available' }
/** Lies begin above: what a first header is, one endpoint alone decides. */
const trueBlocks = 4
/**
 * After Helicon nobody can know of the receipts of the newest blocks: the chain ends before they
 * are settled.
 */
const unsettled = 4

/** One node. Conditions come and go. */
export class SimNode implements SimEndpoint {
  readonly #history: History
  readonly #other: History
  readonly #harms: NodeHarms
  readonly #headNow: () => number

  constructor(parts: {
    readonly history: History
    /** Its data when it is another network's. */
    readonly other: History
    readonly clock: Clock
    readonly draws: Draws
    readonly headNow: () => number
  }) {
    this.#history = parts.history
    this.#other = parts.other
    this.#harms = new NodeHarms(parts.clock, parts.draws)
    this.#headNow = parts.headNow
  }

  get conditions(): Set<Condition> {
    return this.#harms.conditions
  }

  /** Throws `node-unreachable` and `node-too-large`, as a transport does. */
  request(request: HttpRequest): Promise<HttpReply> {
    return this.#harms.request(request, async () =>
      plainReply(200, this.#answer(String(request.body))),
    )
  }

  #answer(body: string): string {
    const { calls, isBatch } = callsOf(body)
    const elements = calls.map((call) => this.#element(call))
    return isBatch ? `[${elements.join(',')}]` : (elements[0] ?? '')
  }

  #element(call: NodeCall): string {
    const outcome = this.#harmedCall(call) ?? this.#lied(call, this.#resultOf(call))
    const id = JSON.stringify(call.id)
    return 'text' in outcome
      ? `{"jsonrpc":"2.0","id":${id},"result":${outcome.text}}`
      : `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(outcome.error)}}`
  }

  #harmedCall({ method }: NodeCall): Outcome | undefined {
    const restarts = this.#harms.has('node: restarts')
    if (restarts !== undefined && this.#harms.passed(restarts) < 0.8)
      return { error: unknownMethod }
    const early = this.#harms.has('node: has no receipts yet')
    if (early?.draws.chance(0.5) === true && method === 'eth_getBlockReceipts') {
      early.took()
      if (early.draws.chance(0.5)) return { text: 'null' }
      return { error: { code: -32000, message: 'block is not executed yet' } }
    }
    const untraced = this.#harms.has('node: fails to trace')
    if (untraced?.draws.chance(0.6) === true && method.startsWith('debug_')) {
      untraced.took()
      if (untraced.draws.chance(0.4)) return { error: unknownMethod }
      return { error: { code: -32000, message: untraced.draws.pick(traceErrors) } }
    }
    return undefined
  }

  #lied(call: NodeCall, outcome: Outcome): Outcome {
    const lies = this.#harms.has('node: lies')
    if (lies === undefined || !('text' in outcome) || outcome.text === 'null') return outcome
    const kinds = lieKinds.filter(({ isUnseen }) => isUnseen !== true)
    const kind = kinds.filter(({ method }) => method === subjectOf(call))
    const height = heightIn(call)
    // Who lies often is soon caught; a rare lie is among many blocks that are true.
    const share = lies.draws.part('share').pick([0.1, 0.4, 0.9])
    if (kind.length === 0 || height < trueBlocks || !lies.draws.chance(share)) return outcome
    const { blocks, heliconFrom } = this.#history
    if (height >= Math.max(heliconFrom, blocks.length - unsettled)) return outcome
    const chosen = lies.draws.pick(kind)
    const text = JSON.stringify(chosen.change(JSON.parse(outcome.text), lies.draws.number))
    if (text !== JSON.stringify(JSON.parse(outcome.text))) lies.took()
    return { text }
  }

  /** Newest block by the node's own word. */
  #head(): number {
    const lags = this.#harms.has('node: lags behind')
    const disagrees = this.#harms.has('node: disagrees about its head')
    const restarts = this.#harms.has('node: restarts')
    let head = this.#headNow()
    if (lags !== undefined) {
      lags.took()
      head -= lags.draws.part('lag').between(1, 12)
    }
    if (disagrees !== undefined) {
      disagrees.took()
      head += disagrees.draws.between(-6, 4)
    }
    // It comes back with less than it had, and catches up.
    if (restarts !== undefined) head -= Math.ceil((1 - this.#harms.passed(restarts)) * 40)
    return Math.max(0, Math.min(head, this.#history.blocks.length - 1))
  }

  #resultOf(call: NodeCall): Outcome {
    const [first] = call.params
    switch (call.method) {
      case 'eth_chainId':
        return { text: `"0x${this.#history.chainId.toString(16)}"` }
      case 'web3_clientVersion':
        return { text: '"simulated/1"' }
      case 'eth_blockNumber':
        return { text: `"0x${this.#head().toString(16)}"` }
      case 'eth_getBlockByNumber':
        return this.#block(this.#height(first), call.params[1] === true)
      case 'eth_getBlockReceipts':
        return { text: this.#blockAt(this.#height(first))?.receipts ?? 'null' }
      case 'eth_getTransactionReceipt':
        return { text: this.#receipt(String(first)) }
      case 'debug_traceBlockByNumber':
        return this.#height(first) === 0
          ? { error: { code: -32000, message: 'genesis is not traceable' } }
          : { text: this.#blockAt(this.#height(first))?.traces ?? 'null' }
      case 'debug_traceTransaction':
        return { text: this.#trace(String(first)) }
      case 'eth_call': {
        const { to, data } = objectOf(first, 'call')
        const height = this.#height(call.params[1])
        return callResult(this.#history, { to: String(to), data: String(data), height })
      }
      default:
        return { error: unknownMethod }
    }
  }

  #height(tag: unknown): number {
    return tag === 'latest' || tag === 'finalized' ? this.#head() : Number(tag)
  }

  /** Its data at a height: never above what the chain has, whatever it says of its head. */
  #blockAt(height: number): History['blocks'][number] | undefined {
    if (height > Math.min(this.#head(), this.#headNow())) return undefined
    const foreign = this.#harms.has('node: serves another history')
    if (foreign === undefined || height < trueBlocks) return this.#history.blocks[height]
    foreign.took()
    return this.#other.blocks[height]
  }

  #block(height: number, isWhole: boolean): Outcome {
    const block = this.#blockAt(height)
    if (block === undefined)
      return { error: { code: -32000, message: 'cannot query unfinalized data' } }
    if (isWhole) return { text: block.block }
    const full = objectOf(JSON.parse(block.block), 'block')
    return { text: JSON.stringify({ ...full, transactions: block.txHashes }) }
  }

  #receipt(hash: string): string {
    const block = this.#history.blocks.find(({ txHashes }) => txHashes.includes(hash))
    const all: unknown = JSON.parse(block?.receipts ?? '[]')
    const at = block?.txHashes.indexOf(hash) ?? -1
    return Array.isArray(all) && at >= 0 ? JSON.stringify(all[at]) : 'null'
  }

  #trace(hash: string): string {
    const block = this.#history.blocks.find(({ txHashes }) => txHashes.includes(hash))
    const all: unknown = JSON.parse(block?.traces ?? '[]')
    const at = block?.txHashes.indexOf(hash) ?? -1
    return Array.isArray(all) && at >= 0
      ? JSON.stringify(objectOf(all[at], 'trace')['result'])
      : 'null'
  }
}

const traceErrors = ['required historical state unavailable', 'execution timeout', 'busy']

/** Which kind of lie a call may get. */
function subjectOf({ method, params }: NodeCall): string {
  if (method === 'eth_getBlockByNumber') return params[1] === true ? 'block' : ''
  if (method === 'eth_getBlockReceipts') return 'receipts'
  return method === 'debug_traceBlockByNumber' ? 'traces' : ''
}

function heightIn({ params }: NodeCall): number {
  const height = Number(params[0])
  return Number.isNaN(height) ? -1 : height
}
