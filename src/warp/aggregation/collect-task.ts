/** The task of one collection of signatures, and the parts that all of them share. */

import type { Clock } from '../../core/world.ts'
import type { PeerPool } from '../../peer/pool.ts'
import type { Bls } from '../bls/bls.ts'
import type { Signer, ValidatorSet } from '../validator-set.ts'
import type { SigningNode, RequestBoard, Question } from './request-board.ts'
import type { Goal } from './tally.ts'

/** Validators that can be called: connections to them, or what they signed once. */
export type Peers = Pick<
  PeerPool,
  'failures' | 'offence' | 'want' | 'watch' | 'ban' | 'status' | 'close'
> & {
  /** Something of this node that answers now. */
  readonly session: (nodeId: string) => SigningNode | undefined
}

/** All that collections share. */
export type CollectOptions = {
  readonly clock: Clock
  readonly bls: Bls
  readonly pool: Peers
  readonly board: RequestBoard
  readonly cache: SignatureCache
  readonly counters: CollectCounters
}

/** Counts over all collections of a process, for operators. */
export type CollectCounters = {
  asked: number
  signatures: number
  cached: number
  wrong: number
  refused: number
  silent: number
}

/** One collection. */
export type CollectTask = {
  readonly unsigned: Uint8Array
  readonly question: Question
  readonly subnetId: Uint8Array
  readonly set: ValidatorSet
  readonly goal: Goal
  readonly excluded: (signer: Signer) => boolean
  /**
   * True when the set is the present one. Of an earlier one a validator may have another key by
   * now: what it answers does not verify then, and is not its fault.
   */
  readonly present: boolean
  /** Possible reason when no validator answers at all. */
  readonly whenMute: string | undefined
  /** Longest time for everything, milliseconds. */
  readonly timeoutMs: number
}

// Signatures that arrived and were not found wrong, so that no signature is requested twice.

/** 10,000 messages, and 262,144 signatures of some 250 bytes: 64 MiB. */
const maxMessages = 10_000
const maxSignatures = 262_144

/**
 * A signature. One that is not `proven` was verified inside a sum only; it must be proven before it
 * becomes part of another sum.
 */
type KeptSignature = { readonly signature: Uint8Array; readonly proven: boolean }

/**
 * Signatures by message id and key. A message least recently used goes first, with all of its own.
 *
 * The key is the whole compressed key with its flags: two keys may share the rest.
 */
export class SignatureCache {
  readonly #messages = new Map<string, Map<string, KeptSignature>>()
  #size = 0

  get(messageHex: string, keyHex: string): KeptSignature | undefined {
    return this.#messages.get(messageHex)?.get(keyHex)
  }

  /** Forgets a signature that was found wrong. */
  drop(messageHex: string, keyHex: string): void {
    const signatures = this.#messages.get(messageHex)
    if (signatures?.delete(keyHex) === true) this.#size--
    if (signatures?.size === 0) this.#messages.delete(messageHex)
  }

  put(messageHex: string, keyHex: string, kept: KeptSignature): void {
    const signatures = this.#messages.get(messageHex) ?? new Map<string, KeptSignature>()
    this.#messages.delete(messageHex)
    this.#messages.set(messageHex, signatures)
    if (!signatures.has(keyHex)) this.#size++
    signatures.set(keyHex, kept)
    for (const [oldest, dropped] of this.#messages) {
      if (this.#messages.size <= maxMessages && this.#size <= maxSignatures) return
      if (oldest === messageHex) return
      this.#messages.delete(oldest)
      this.#size -= dropped.size
    }
  }
}
