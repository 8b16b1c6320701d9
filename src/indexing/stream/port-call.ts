/**
 * Calls between threads: a question with an answer over a message port.
 *
 * Values cross by structured clone, buffers named in `transfer` without a copy. Faults keep
 * their code and detail on the way; anything else thrown becomes an error of its name only.
 */

import { Fault, faultOf, faults, type FaultCode, type FaultDetail } from '../../core/fault.ts'

/** The part of a `MessagePort` that is used. */
export type Port = {
  readonly postMessage: (value: unknown, transfer: ArrayBuffer[]) => void
  readonly on: (event: 'message', receive: (value: unknown) => void) => unknown
}

/** Calls the other side. */
export type Call = (name: string, argument: unknown, transfer?: ArrayBuffer[]) => Promise<unknown>

type Request = { readonly id: number; readonly name: string; readonly argument: unknown }

type Reply =
  | { readonly id: number; readonly value: unknown }
  | {
      readonly id: number
      readonly fault: { code: string; message: string; detail: FaultDetail }
    }
  | { readonly id: number; readonly error: string }

/**
 * A function that calls over `port`. Only one may read a port. Once `signal` is aborted no caller
 * waits any more, because the other side may itself wait for a lease. It still does what it was
 * called for.
 */
export function callerOver(port: Port, signal?: AbortSignal): Call {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  port.on('message', (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end is our own serveCalls
    const reply = message as Reply
    const pending = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('value' in reply) pending?.resolve(reply.value)
    else if ('fault' in reply) pending?.reject(faultFrom(reply.fault))
    else pending?.reject(new Error(reply.error))
  })
  signal?.addEventListener('abort', () => {
    for (const pending of waiting.values()) pending.reject(signal.reason)
    waiting.clear()
  })
  return async (name, argument, transfer) => {
    signal?.throwIfAborted()
    const pending = Promise.withResolvers<unknown>()
    const id = ++last
    waiting.set(id, pending)
    port.postMessage({ id, name, argument } satisfies Request, transfer ?? [])
    return pending.promise
  }
}

/** Answers the questions that come over `port`. */
export function serveCalls(
  port: Port,
  handlers: Readonly<Record<string, (argument: unknown) => Promise<unknown>>>,
): void {
  port.on('message', (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end is our own callerOver
    const { id, name, argument } = message as Request
    const answer = async (): Promise<Reply> => {
      try {
        const handler = handlers[name]
        if (handler === undefined) return { id, error: `no such call: ${name}` }
        return { id, value: await handler(argument) }
      } catch (error) {
        const fault = faultOf(error)
        if (fault === undefined)
          return { id, error: error instanceof Error ? (error.stack ?? error.message) : 'unknown' }
        const { code, message: text, detail } = fault
        return { id, fault: { code, message: text, detail } }
      }
    }
    void answer().then((reply) => port.postMessage(reply, []))
  })
}

function faultFrom(given: { code: string; message: string; detail: FaultDetail }): Fault | Error {
  return isCode(given.code)
    ? new Fault(given.code, given.message, { detail: given.detail })
    : new Error(given.message)
}

function isCode(code: string): code is FaultCode {
  return Object.hasOwn(faults, code)
}
