/** Mistakes of any node with any request. */

import { Fault } from '../../src/core/fault.ts'
import type { Clock, HttpReply, HttpRequest } from '../../src/core/world.ts'
import type { Draws } from '../support/processes/draws.ts'
import type { FaultKind } from './fault-kinds.ts'

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

/** A node as a deployment has it. */
export type SimEndpoint = {
  readonly conditions: Set<Condition>
  /** Throws `node-unreachable` and `node-too-large`, as a transport does. */
  readonly request: (request: HttpRequest) => Promise<HttpReply>
}

/** The conditions of one node, and what follows from them for every request. */
export class NodeHarms {
  readonly conditions = new Set<Condition>()
  readonly #clock: Clock
  readonly #draws: Draws

  constructor(clock: Clock, draws: Draws) {
    this.#clock = clock
    this.#draws = draws
  }

  /** Answers by `answer`, if nothing comes in between. */
  async request(request: HttpRequest, answer: () => Promise<HttpReply>): Promise<HttpReply> {
    await this.#clock.sleep(this.#draws.between(5, 60), request.signal)
    const refused = await this.#harmed(request)
    if (refused !== undefined) return refused
    const reply = await answer()
    const body = Buffer.from(this.#changed(Buffer.from(reply.body).toString('utf8')), 'utf8')
    if (body.length > request.maxBytes)
      throw new Fault('node-too-large', `a node sent more than is taken: ${request.maxBytes}`)
    return { ...reply, body }
  }

  /** A condition of this kind, while there is one. */
  has(kind: FaultKind): Condition | undefined {
    for (const condition of this.conditions) if (condition.kind === kind) return condition
    return undefined
  }

  /** Actions of the node instead of answering. */
  async #harmed(request: HttpRequest): Promise<HttpReply | undefined> {
    const slow = this.has('node: slow')
    if (slow !== undefined) {
      slow.took()
      await this.#clock.sleep(slow.draws.between(200, 6_000), request.signal)
    }
    const hangs = this.has('node: hangs')
    if (hangs?.draws.chance(0.7) === true) {
      hangs.took()
      const leftMs = Math.max(0, hangs.untilMs - this.#clock.monotonic())
      await this.#clock.sleep(Math.min(request.timeoutMs, leftMs), request.signal)
      throw new Fault('node-unreachable', 'a node does not answer: timeout')
    }
    const away = this.has('node: unreachable')
    if (away !== undefined) {
      away.took()
      throw new Fault('node-unreachable', 'a node does not answer: refused')
    }
    return this.#throttled() ?? this.#restarting()
  }

  #throttled(): HttpReply | undefined {
    const throttles = this.has('node: throttles')
    if (throttles?.draws.chance(0.6) !== true) return undefined
    throttles.took()
    if (throttles.draws.chance(0.5))
      return plainReply(429, 'slow down', { 'retry-after': String(throttles.draws.between(1, 9)) })
    return plainReply(200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"limit"}}')
  }

  /** As AvalancheGo: first no socket, then no such path, then methods that are not there yet. */
  #restarting(): HttpReply | undefined {
    const restarts = this.has('node: restarts')
    if (restarts === undefined) return undefined
    const passed = this.passed(restarts)
    if (passed >= 0.8) return undefined
    restarts.took()
    if (passed < 0.3) throw new Fault('node-unreachable', 'a node does not answer: reset')
    if (passed < 0.5) return plainReply(404, '404 page not found\n')
    if (passed < 0.6) return plainReply(503, 'API call rejected because chain is not done\n')
    return undefined
  }

  /** Share of a condition's time that is over. */
  passed({ fromMs, untilMs }: Condition): number {
    return (this.#clock.monotonic() - fromMs) / Math.max(1, untilMs - fromMs)
  }

  /** Replies that arrive in another form than they were meant. */
  #changed(text: string): string {
    const garbles = this.has('node: garbles replies')
    if (garbles?.draws.chance(0.4) === true) {
      garbles.took()
      const cut = garbles.draws.below(text.length)
      return garbles.draws.pick(['', '<html>bad gateway</html>', text.slice(0, cut), '[]', '{}'])
    }
    const mixes = this.has('node: mixes up batches')
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

/** A reply without JSON-RPC around it. */
export function plainReply(
  status: number,
  text: string,
  headers: Record<string, string> = {},
): HttpReply {
  return { status, headers, body: Buffer.from(text, 'utf8') }
}
