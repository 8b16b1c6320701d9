/**
 * JSON-RPC 2.0 over HTTP, single and in batches, with nodes that do not always keep to it.
 *
 * Answers are matched by id, whatever their order; what is missing or refused for its size is
 * requested again in smaller batches, what has arrived is kept. Whether a node takes batches is
 * found by trying, whatever it says of them: what fails in one is sent alone. A node's words never
 * leave `source`: only codes and classes do (`node-words.ts`).
 */

import { Fault } from '../../core/fault.ts'
import { itemAt } from '../../core/item-at.ts'
import { isObject, jsonOf } from '../../core/json.ts'
import type { HttpReply, Transport } from '../../core/world.ts'
import { isThrottle, refusesBatch, rpcCodes, type RpcError } from './node-words.ts'

/** One call. */
export type RpcCall = { readonly method: string; readonly params: readonly unknown[] }

/** Answer of a node to a call. */
export type RpcAnswer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: RpcError }

/** Where, and within which limits, to send requests. */
export type RpcTarget = {
  readonly transport: Transport
  readonly url: string
  readonly timeoutMs: number
  readonly maxReplyBytes: number
  /** Called with the length of each reply to {@link callOne}. */
  readonly replied?: (bytes: number) => void
}

/**
 * Bytes of a batch reply that are best: larger ones save no more round trips, leave the parser
 * idle until they are whole, and are parsed into more than the young heap holds.
 */
const goodReplyBytes = 1_000_000

/** Calls per batch that an endpoint bears; halved on refusal, grown after clean replies. */
export class BatchSize {
  /** Calls in one HTTP request. 1 = single calls, no array. */
  calls: number
  /** Of an average batch reply; 0 before the first. */
  replyBytes = 0
  #clean = 0
  #alone = 0
  #aloneUntil = 200
  readonly #most: number

  /** `most`: the limit of AvalancheGo's VMs is 1,000 (`batch-request-limit`). */
  constructor(first: number, most = 1_000) {
    this.calls = first
    this.#most = most
  }

  /**
   * A batch of `size` calls came back whole with `bytes`. After 20 of them the size grows by a
   * quarter, as long as replies stay below what is best; it shrinks when they are twice that.
   */
  clean(size: number, bytes: number): void {
    this.replyBytes = this.replyBytes === 0 ? bytes : this.replyBytes * 0.8 + bytes * 0.2
    if (this.replyBytes > 2 * goodReplyBytes && size >= this.calls && size > 2) {
      this.calls = Math.max(2, Math.floor((size * goodReplyBytes) / this.replyBytes))
      this.replyBytes = goodReplyBytes
      return
    }
    if (++this.#clean < 20) return
    this.#clean = 0
    if (this.replyBytes >= goodReplyBytes) return
    this.calls = Math.min(this.#most, Math.max(this.calls + 1, Math.floor(this.calls * 1.25)))
  }

  /** A batch of `size` was too much. */
  tooMuch(size: number): void {
    this.#clean = 0
    this.calls = Math.max(1, Math.min(this.calls, Math.floor(size / 2)))
  }

  /** A call was sent alone: now and then a batch is tried again. */
  alone(): void {
    if (this.calls > 1 || ++this.#alone < this.#aloneUntil) return
    this.#alone = 0
    this.#aloneUntil *= 2
    this.calls = 2
  }
}

/**
 * Sends all calls and gives an answer to each, in order.
 *
 * Ends: what is missing is sent in smaller batches, and a call alone has an answer or a fault.
 * One that alone is too much gets the error {@link rpcCodes}.tooLarge. Faults:
 * `node-unreachable`, `node-throttled`, `node-answer`, `node-refused`.
 */
export async function callAll(
  target: RpcTarget,
  calls: readonly RpcCall[],
  size: BatchSize,
  signal: AbortSignal,
): Promise<RpcAnswer[]> {
  const answers: (RpcAnswer | undefined)[] = Array.from({ length: calls.length })
  let waiting = [...calls.keys()]
  while (waiting.length > 0) {
    const chunk = waiting.slice(0, size.calls)
    const rest = waiting.slice(chunk.length)
    const missing = await callChunk({ target, calls, size, answers, signal }, chunk)
    waiting = [...missing, ...rest]
  }
  return answers.map(
    (answer) => answer ?? { kind: 'error', error: { code: rpcCodes.other, message: '' } },
  )
}

/**
 * Sends one call. Same faults as {@link callAll}, but `node-too-large`: that is an answer with the
 * code a node would give itself.
 */
export async function callOne(
  target: RpcTarget,
  call: RpcCall,
  signal: AbortSignal,
): Promise<RpcAnswer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, ...call })
  let reply: HttpReply
  try {
    reply = await exchange(target, body, signal)
    target.replied?.(reply.body.length)
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'node-too-large') throw error
    return { kind: 'error', error: { code: rpcCodes.tooLarge, message: '' } }
  }
  const value = parsedReply(reply)
  const answer = isObject(value) ? answerIn(value) : undefined
  if (answer === undefined || !isObject(value) || (value['id'] !== 0 && value['id'] !== null))
    throw new Fault('node-answer', `a node did not answer the call: ${call.method}`)
  return answer
}

type Batched = {
  readonly target: RpcTarget
  readonly calls: readonly RpcCall[]
  readonly size: BatchSize
  readonly answers: (RpcAnswer | undefined)[]
  readonly signal: AbortSignal
}

/** Sends the calls `chunk` names and files their answers. Returns those still to send. */
async function callChunk(batched: Batched, chunk: readonly number[]): Promise<number[]> {
  const { target, calls, size, answers, signal } = batched
  const only = chunk[0]
  if (chunk.length === 1 && only !== undefined) {
    answers[only] = await callOne(target, calls[only] ?? { method: '', params: [] }, signal)
    size.alone()
    return []
  }
  try {
    const body = JSON.stringify(chunk.map((id) => ({ jsonrpc: '2.0', id, ...calls[id] })))
    const reply = await exchange(target, body, signal)
    const value = parsedReply(reply)
    const found = fileAnswers(value, chunk, answers)
    if (isRefusedInEach(chunk, answers)) return await callFirst(batched, chunk)
    if (found === chunk.length) size.clean(chunk.length, reply.body.length)
    else size.tooMuch(chunk.length)
  } catch (error) {
    if (!mayBeForBatch(error)) throw error
    return callFirst(batched, chunk)
  }
  return chunk.filter((id) => answers[id] === undefined)
}

/**
 * Returns whether a node may have failed because it was called in a batch: it gave an answer, and
 * did not request a pause.
 */
function mayBeForBatch(error: unknown): boolean {
  if (!(error instanceof Fault) || error.code === 'node-throttled') return false
  return error.code !== 'node-unreachable' || error.detail['status'] !== undefined
}

/**
 * Returns whether a batch was answered with one error in each element, which may be about the
 * batch.
 */
function isRefusedInEach(
  chunk: readonly number[],
  answers: readonly (RpcAnswer | undefined)[],
): boolean {
  const codes = chunk.map((id) => {
    const answer = answers[id]
    return answer?.kind === 'error' ? answer.error.code : undefined
  })
  const [code] = codes
  return code !== undefined && code !== rpcCodes.reverted && codes.every((each) => each === code)
}

/**
 * Sends the first call of a batch that failed alone. Where it fails as well, that is no matter of
 * batches:
 * its fault is thrown, and an error in each element is what it seems. Else smaller ones are tried.
 */
async function callFirst(batched: Batched, chunk: readonly number[]): Promise<number[]> {
  const { target, calls, size, answers, signal } = batched
  const first = itemAt(chunk, 0)
  const answer = await callOne(target, itemAt(calls, first), signal)
  const inBatch = answers[first]
  answers[first] = answer
  const isSame = answer.kind === 'error' && inBatch?.kind === 'error'
  if (isSame && answer.error.code === inBatch.error.code)
    return chunk.filter((id) => answers[id] === undefined)
  size.tooMuch(chunk.length)
  for (const id of chunk) if (id !== first && answers[id]?.kind === 'error') answers[id] = undefined
  return chunk.filter((id) => answers[id] === undefined)
}

/** Files the elements of a batch reply by their ids. Returns how many calls now have an answer. */
function fileAnswers(
  value: unknown,
  chunk: readonly number[],
  answers: (RpcAnswer | undefined)[],
): number {
  if (!Array.isArray(value)) throw refusedBatch(value)
  const open = new Set(chunk)
  let found = 0
  for (const element of value) {
    if (!isObject(element)) continue
    const answer = answerIn(element)
    const id = element['id']
    if (answer === undefined) continue
    if (answer.kind === 'error' && refusesBatch(answer.error)) throw tooLarge()
    if (typeof id !== 'number' || !open.has(id)) continue
    // Of two answers to one call the first counts; the second is no reason to distrust the rest.
    open.delete(id)
    // The rest of a batch whose size or time was over: in smaller ones it has answers of its own.
    if (answer.kind === 'error' && ofWholeBatch.has(answer.error.code)) continue
    answers[id] = answer
    found++
  }
  return found
}

const ofWholeBatch: ReadonlySet<number> = new Set([rpcCodes.tooLarge, rpcCodes.timeout])

/** A node that answers one object to a batch: an error about the batch, or it knows none. */
function refusedBatch(value: unknown): Fault {
  const answer = isObject(value) ? answerIn(value) : undefined
  if (answer?.kind !== 'error')
    return new Fault('node-answer', 'a node answered no list to a batch')
  if (isThrottle(answer.error)) return throttled(undefined)
  if (refusesBatch(answer.error) || answer.error.code === rpcCodes.tooLarge) return tooLarge()
  return new Fault('node-refused', `a node takes no batches: ${answer.error.code}`)
}

function answerIn(element: Readonly<Record<string, unknown>>): RpcAnswer | undefined {
  const error = element['error']
  if (isObject(error)) {
    const code = typeof error['code'] === 'number' ? error['code'] : rpcCodes.other
    const message = typeof error['message'] === 'string' ? error['message'] : ''
    const data = revertData(isObject(error['data']) ? error['data']['data'] : error['data'])
    return { kind: 'error', error: { code, message, ...(data !== undefined && { data }) } }
  }
  if (element['result'] === undefined) return undefined
  return { kind: 'result', result: element['result'] }
}

/** Nethermind has a word before the bytes, Hardhat an object around them. */
function revertData(data: unknown): string | undefined {
  if (typeof data !== 'string') return undefined
  return /^(?:reverted )?(0x(?:[0-9a-f]{2})*)$/i.exec(data)?.[1]
}

async function exchange(target: RpcTarget, body: string, signal: AbortSignal): Promise<HttpReply> {
  const reply = await target.transport.request({
    url: target.url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    timeoutMs: target.timeoutMs,
    maxBytes: target.maxReplyBytes,
    signal,
  })
  const { status } = reply
  if (status === 429) throw throttled(reply.headers['retry-after'])
  if (status === 413) throw tooLarge()
  if (status === 401 || status === 403)
    throw new Fault('node-refused', `a node refuses our requests: ${status}`)
  // A status of error may still carry a JSON-RPC error; without one the node is out of order.
  const isJson = reply.body[0] === 0x7b || reply.body[0] === 0x5b
  if (status >= 400 && !isJson) {
    const wait = reply.headers['retry-after']
    if (status === 503 && wait !== undefined) throw throttled(wait)
    // AvalancheGo has a route for each chain it runs, and for no other.
    if (status === 404 && new URL(target.url).pathname.startsWith('/ext/bc/'))
      throw new Fault(
        'node-unreachable',
        'the node does not run this chain: add its subnet to track-subnets and restart the node',
      )
    throw new Fault('node-unreachable', `a node answers with an error: ${status}`, {
      detail: { status },
    })
  }
  return reply
}

function parsedReply(reply: HttpReply): unknown {
  const value = jsonOf(reply.body)
  if (value !== undefined) return value
  throw new Fault('node-answer', `a node answered no JSON: ${reply.body.length} bytes`)
}

function tooLarge(): Fault {
  return new Fault('node-too-large', 'a node refused a request for its size')
}

/** `retryAfter`: seconds or a date, as the header says. */
function throttled(retryAfter: string | undefined): Fault {
  const seconds = Number(retryAfter)
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined
  return new Fault('node-throttled', 'a node asks us to slow down', { detail: { retryAfterMs } })
}
