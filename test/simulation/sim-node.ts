/** A node of a made-up chain, without a socket, and every way in which it may misbehave. */

import { objectOf } from '../../src/codec/evm/raw.ts'
import { Fault } from '../../src/core/fault.ts'
import type { Clock, HttpReply, HttpRequest } from '../../src/core/world.ts'
import type { Draws } from './draws.ts'
import type { FaultKind } from './fault-kinds.ts'
import type { History } from './history.ts'
import { lieKinds } from './lies.ts'
import { callResult } from './node-state.ts'

/** A fault while it lasts. */
export type Condition = {
  readonly kind: FaultKind
  readonly draws: Draws
  /** Counts that it changed something. */
  readonly took: () => void
  /** When it began and ends, milliseconds of virtual time. */
  readonly fromMs: number
  readonly untilMs: number
}

type Call = { readonly id: unknown; readonly method: string; readonly params: readonly unknown[] }
type Outcome = { readonly text: string } | { readonly error: object }

const unknownMethod = { code: -32601, message: 'the method does not exist/is not available' }
/** Lies begin above: what a first header is, one endpoint alone decides. */
const trueBlocks = 4

/** One node. Conditions come and go. */
export class SimNode {
  readonly conditions = new Set<Condition>()
  readonly #history: History
  readonly #other: History
  readonly #clock: Clock
  readonly #draws: Draws
  readonly #headNow: () => number

  constructor(parts: {
    readonly history: History
    /** What it serves when it is another network's. */
    readonly other: History
    readonly clock: Clock
    readonly draws: Draws
    readonly headNow: () => number
  }) {
    this.#history = parts.history
    this.#other = parts.other
    this.#clock = parts.clock
    this.#draws = parts.draws
    this.#headNow = parts.headNow
  }

  /** Throws `node-unreachable` and `node-too-large`, as a transport does. */
  async request(request: HttpRequest): Promise<HttpReply> {
    await this.#clock.sleep(this.#draws.between(5, 60), request.signal)
    const refused = await this.#harmed(request)
    if (refused !== undefined) return refused
    const text = this.#changed(this.#answer(String(request.body)))
    const body = Buffer.from(text, 'utf8')
    if (body.length > request.maxBytes)
      throw new Fault('node-too-large', `a node sent more than is taken: ${request.maxBytes}`)
    return { status: 200, headers: { 'content-type': 'application/json' }, body }
  }

  #has(kind: FaultKind): Condition | undefined {
    for (const condition of this.conditions) if (condition.kind === kind) return condition
    return undefined
  }

  /** What the node does instead of answering. */
  async #harmed(request: HttpRequest): Promise<HttpReply | undefined> {
    const slow = this.#has('node: slow')
    if (slow !== undefined) {
      slow.took()
      await this.#clock.sleep(slow.draws.between(200, 6_000), request.signal)
    }
    const hangs = this.#has('node: hangs')
    if (hangs?.draws.chance(0.7) === true) {
      hangs.took()
      const leftMs = Math.max(0, hangs.untilMs - this.#clock.monotonic())
      await this.#clock.sleep(Math.min(request.timeoutMs, leftMs), request.signal)
      throw new Fault('node-unreachable', 'a node does not answer: timeout')
    }
    const away = this.#has('node: unreachable')
    if (away !== undefined) {
      away.took()
      throw new Fault('node-unreachable', 'a node does not answer: refused')
    }
    return this.#throttled() ?? this.#restarting()
  }

  #throttled(): HttpReply | undefined {
    const throttles = this.#has('node: throttles')
    if (throttles?.draws.chance(0.6) !== true) return undefined
    throttles.took()
    if (throttles.draws.chance(0.5))
      return plainReply(429, 'slow down', { 'retry-after': String(throttles.draws.between(1, 9)) })
    return plainReply(200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"limit"}}')
  }

  /** As AvalancheGo: first no socket, then no such path, then methods that are not there yet. */
  #restarting(): HttpReply | undefined {
    const restarts = this.#has('node: restarts')
    if (restarts === undefined) return undefined
    const passed = this.#passed(restarts)
    if (passed >= 0.8) return undefined
    restarts.took()
    if (passed < 0.3) throw new Fault('node-unreachable', 'a node does not answer: reset')
    if (passed < 0.5) return plainReply(404, '404 page not found\n')
    if (passed < 0.6) return plainReply(503, 'API call rejected because chain is not done\n')
    return undefined
  }

  #passed({ fromMs, untilMs }: Condition): number {
    return (this.#clock.monotonic() - fromMs) / Math.max(1, untilMs - fromMs)
  }

  #answer(body: string): string {
    const parsed: unknown = JSON.parse(body)
    const isBatch = Array.isArray(parsed)
    const elements = (isBatch ? parsed : [parsed]).map((value) => this.#element(callOf(value)))
    return isBatch ? `[${elements.join(',')}]` : (elements[0] ?? '')
  }

  #element(call: Call): string {
    const outcome = this.#harmedCall(call) ?? this.#lied(call, this.#resultOf(call))
    const id = JSON.stringify(call.id)
    return 'text' in outcome
      ? `{"jsonrpc":"2.0","id":${id},"result":${outcome.text}}`
      : `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(outcome.error)}}`
  }

  #harmedCall({ method }: Call): Outcome | undefined {
    const restarts = this.#has('node: restarts')
    if (restarts !== undefined && this.#passed(restarts) < 0.8) return { error: unknownMethod }
    const early = this.#has('node: has no receipts yet')
    if (early?.draws.chance(0.5) === true && method === 'eth_getBlockReceipts') {
      early.took()
      if (early.draws.chance(0.5)) return { text: 'null' }
      return { error: { code: -32000, message: 'block is not executed yet' } }
    }
    const untraced = this.#has('node: fails to trace')
    if (untraced?.draws.chance(0.6) === true && method.startsWith('debug_')) {
      untraced.took()
      if (untraced.draws.chance(0.4)) return { error: unknownMethod }
      return { error: { code: -32000, message: untraced.draws.pick(traceErrors) } }
    }
    return undefined
  }

  #lied(call: Call, outcome: Outcome): Outcome {
    const lies = this.#has('node: lies')
    if (lies === undefined || !('text' in outcome) || outcome.text === 'null') return outcome
    const kinds = lieKinds.filter(({ isUnseen }) => isUnseen !== true)
    const kind = kinds.filter(({ method }) => method === subjectOf(call))
    if (kind.length === 0 || heightIn(call) < trueBlocks || !lies.draws.chance(0.4)) return outcome
    const chosen = lies.draws.pick(kind)
    const text = JSON.stringify(chosen.change(JSON.parse(outcome.text), lies.draws.number))
    if (text !== JSON.stringify(JSON.parse(outcome.text))) lies.took()
    return { text }
  }

  /** What the node says its newest block is. */
  #head(): number {
    const lags = this.#has('node: lags behind')
    const disagrees = this.#has('node: disagrees about its head')
    const restarts = this.#has('node: restarts')
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
    if (restarts !== undefined) head -= Math.ceil((1 - this.#passed(restarts)) * 40)
    return Math.max(0, Math.min(head, this.#history.blocks.length - 1))
  }

  #resultOf(call: Call): Outcome {
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
        return { text: this.#told(this.#height(first))?.receipts ?? 'null' }
      case 'eth_getTransactionReceipt':
        return { text: this.#receipt(String(first)) }
      case 'debug_traceBlockByNumber':
        return this.#height(first) === 0
          ? { error: { code: -32000, message: 'genesis is not traceable' } }
          : { text: this.#told(this.#height(first))?.traces ?? 'null' }
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

  /** What it has of a height: never above what the chain has, whatever it says of its head. */
  #told(height: number): History['blocks'][number] | undefined {
    if (height > Math.min(this.#head(), this.#headNow())) return undefined
    const foreign = this.#has('node: serves another history')
    if (foreign === undefined || height < trueBlocks) return this.#history.blocks[height]
    foreign.took()
    return this.#other.blocks[height]
  }

  #block(height: number, isWhole: boolean): Outcome {
    const told = this.#told(height)
    if (told === undefined)
      return { error: { code: -32000, message: 'cannot query unfinalized data' } }
    if (isWhole) return { text: told.block }
    const block = objectOf(JSON.parse(told.block), 'block')
    return { text: JSON.stringify({ ...block, transactions: told.txHashes }) }
  }

  #receipt(hash: string): string {
    const told = this.#history.blocks.find(({ txHashes }) => txHashes.includes(hash))
    const all: unknown = JSON.parse(told?.receipts ?? '[]')
    const at = told?.txHashes.indexOf(hash) ?? -1
    return Array.isArray(all) && at >= 0 ? JSON.stringify(all[at]) : 'null'
  }

  #trace(hash: string): string {
    const told = this.#history.blocks.find(({ txHashes }) => txHashes.includes(hash))
    const all: unknown = JSON.parse(told?.traces ?? '[]')
    const at = told?.txHashes.indexOf(hash) ?? -1
    return Array.isArray(all) && at >= 0
      ? JSON.stringify(objectOf(all[at], 'trace')['result'])
      : 'null'
  }

  /** Replies that arrive in another form than they were meant. */
  #changed(text: string): string {
    const garbles = this.#has('node: garbles replies')
    if (garbles?.draws.chance(0.4) === true) {
      garbles.took()
      const cut = garbles.draws.below(text.length)
      return garbles.draws.pick(['', '<html>bad gateway</html>', text.slice(0, cut), '[]', '{}'])
    }
    const mixes = this.#has('node: mixes up batches')
    const parsed: unknown = mixes === undefined ? undefined : JSON.parse(text)
    if (mixes === undefined || !Array.isArray(parsed) || !mixes.draws.chance(0.7)) return text
    mixes.took()
    const elements = parsed.map((element: unknown) => JSON.stringify(element))
    const at = mixes.draws.below(elements.length)
    const [one = ''] = elements.slice(at, at + 1)
    const changed = mixes.draws.pick([
      elements.toReversed(),
      elements.toSpliced(at, 1),
      elements.toSpliced(at, 0, one),
      elements.toSpliced(at, 1, '{"jsonrpc":"2.0","id":null,"result":null}'),
    ])
    return `[${changed.join(',')}]`
  }
}

const traceErrors = ['required historical state unavailable', 'execution timeout', 'busy']

/** Which kind of lie a call may get. */
function subjectOf({ method, params }: Call): string {
  if (method === 'eth_getBlockByNumber') return params[1] === true ? 'block' : ''
  if (method === 'eth_getBlockReceipts') return 'receipts'
  return method === 'debug_traceBlockByNumber' ? 'traces' : ''
}

function heightIn({ params }: Call): number {
  const height = Number(params[0])
  return Number.isNaN(height) ? -1 : height
}

function plainReply(status: number, text: string, headers: Record<string, string> = {}): HttpReply {
  return { status, headers, body: Buffer.from(text, 'utf8') }
}

function callOf(value: unknown): Call {
  const { id, method, params } = objectOf(value, 'call')
  return { id, method: String(method), params: Array.isArray(params) ? params : [] }
}
