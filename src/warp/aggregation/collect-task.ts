/** The task of one collection of signatures, and the parts that all of them share. */

import type { Clock } from '../../core/world.ts'
import type { PeerPool } from '../../peer/pool.ts'
import type { Bls } from '../bls.ts'
import type { Signer, ValidatorSet } from '../validator-set.ts'
import type { Askable, AskBoard, Question } from './ask.ts'
import type { SignatureCache } from './signature-cache.ts'
import type { Goal } from './tally.ts'

/** Validators that can be asked: connections to them, or what they signed once. */
export type Peers = Pick<
  PeerPool,
  'failures' | 'offence' | 'want' | 'watch' | 'ban' | 'status' | 'close'
> & {
  /** Something of this node that answers now. */
  readonly session: (nodeId: string) => Askable | undefined
}

/** All that collections share. */
export type CollectOptions = {
  readonly clock: Clock
  readonly bls: Bls
  readonly pool: Peers
  readonly board: AskBoard
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
