/**
 * One question to one node, and what its answer means.
 *
 * Requests for the same message at the same time share the question: the node gets it once.
 *
 * Source: avalanchego network/p2p/error.go, vms/platformvm/network/warp.go.
 */

import {
  decodeSignatureResponse,
  encodeSignatureRequest,
} from '../../codec/warp/signature-request.ts'
import { toHex, isZero } from '../../core/bytes.ts'
import { faultOf } from '../../core/fault.ts'
import { sha256 } from '../../core/hash.ts'
import type { Answer } from '../../peer/session.ts'
import { connectionLost, noAnswer } from './tally.ts'

/** The request that every validator gets. */
export type Question = {
  readonly messageHex: string
  readonly chainId: Uint8Array
  readonly fromPChain: boolean
  readonly appBytes: Uint8Array
  /** Distinguishes questions: message and justification. */
  readonly key: string
}

/**
 * Outcome of a question.
 *
 * - `refused`: the node will say the same again
 * - `failed`: it may sign later
 * - `absent`: it could not be reached
 */
export type Outcome =
  | { readonly kind: 'signature'; readonly signature: Uint8Array; readonly nodeId: string }
  | { readonly kind: 'refused' | 'failed' | 'absent'; readonly why: string }

/** Something that answers requests: a session of the pool. */
export type SigningNode = {
  readonly nodeId: string
  readonly request: (chainId: Uint8Array, appBytes: Uint8Array) => Promise<Answer>
}

/** The question for a message. */
export function questionOf(
  messageHex: string,
  unsigned: Uint8Array,
  chainId: Uint8Array,
  justification: Uint8Array,
): Question {
  return {
    messageHex,
    chainId,
    fromPChain: isZero(chainId),
    appBytes: encodeSignatureRequest({ message: unsigned, justification }),
    key: `${messageHex}:${toHex(sha256(justification))}`,
  }
}

/** Questions under way, by question and node. Each ends with the session's own limit. */
export class RequestBoard {
  readonly #running = new Map<string, Promise<Outcome>>()

  request(question: Question, node: SigningNode): Promise<Outcome> {
    const key = `${question.key}:${node.nodeId}`
    const running = this.#running.get(key)
    if (running !== undefined) return running
    const answer = node.request(question.chainId, question.appBytes).then((reply) => {
      this.#running.delete(key)
      return outcomeOf(reply, node.nodeId, question.fromPChain)
    })
    this.#running.set(key, answer)
    return answer
  }
}

/** Codes of the P-Chain that depend on the message alone, not on how far the node is. */
const finalCodes = new Set([1, 2, 3, 4, 5, 7, 8, 9, 10, 13, 15, 17])
/** Codes of every handler: it knows no signature requests; it serves validators only. */
const finalHandlerCodes = new Set([-2, -3])

function outcomeOf(answer: Answer, nodeId: string, fromPChain: boolean): Outcome {
  switch (answer.kind) {
    case 'silence':
      return { kind: 'failed', why: noAnswer }
    case 'lost':
      return { kind: 'absent', why: connectionLost }
    case 'error': {
      const { code, message } = answer
      const final = finalHandlerCodes.has(code) || (fromPChain && finalCodes.has(code))
      const why = `refused with code ${code}${message === '' ? '' : ` (${printable(message)})`}`
      return { kind: final ? 'refused' : 'failed', why }
    }
    case 'response':
      try {
        const signature = decodeSignatureResponse(answer.appBytes)
        if (signature.length === 0) return { kind: 'failed', why: 'answered without a signature' }
        return { kind: 'signature', signature, nodeId }
      } catch (error) {
        if (faultOf(error) === undefined) throw error
        // Judged like a wrong signature, which no 0 bytes can be.
        return { kind: 'signature', signature: new Uint8Array(), nodeId }
      }
  }
}

/** A peer's words, fit for a message of ours. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 120)
}
