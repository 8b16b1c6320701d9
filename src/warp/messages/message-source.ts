/**
 * Facts of the P-Chain's history that aggregating a transaction's message needs (document A,
 * operation 2). The index of the P-Chain implements it; `transaction-message.ts` reads it.
 */

import type { ConversionData } from '../../codec/warp/l1-message.ts'

/**
 * A transaction, as far as it concerns L1 validators.
 *
 * - `conversion`: ConvertSubnetToL1Tx (35); everything its id hashes, validators in the order of
 *   the transaction
 * - `registration`: RegisterL1ValidatorTx (36); `message` is its signed Warp message
 * - `weight`: SetL1ValidatorWeightTx (37); `message` likewise
 * - `none`: any other transaction of any chain; `type` is its upstream name, for the answer, or
 *   empty where it is not known
 */
export type L1Transaction =
  | { readonly kind: 'conversion'; readonly conversion: ConversionData }
  | { readonly kind: 'registration' | 'weight'; readonly message: Uint8Array }
  | { readonly kind: 'none'; readonly type: string }

/**
 * One validation of an L1, past or present.
 *
 * - `origin`: place in the conversion, or the RegisterL1Validator payload (the inner one, whose
 *   sha256 is the validation id)
 * - `removed`: its weight became 0
 * - `minNonce`: 1 + the nonce of its last SetL1ValidatorWeightTx; 0 before the first
 */
export type Validation = {
  readonly subnetId: Uint8Array
  readonly origin:
    | { readonly kind: 'conversion'; readonly index: number }
    | { readonly kind: 'registration'; readonly registerL1Validator: Uint8Array }
  readonly removed: boolean
  readonly weight: bigint
  readonly minNonce: bigint
}

/** The P-Chain's history of L1s. Every method gives `undefined` where it does not know. */
export type MessageSource = {
  /** An accepted transaction by id; X-Chain ones as `none`. */
  readonly transaction: (
    txId: Uint8Array,
    signal: AbortSignal,
  ) => Promise<L1Transaction | undefined>
  readonly validation: (
    validationId: Uint8Array,
    signal: AbortSignal,
  ) => Promise<Validation | undefined>
  /** Chain on which the validator manager of a converted subnet lives. */
  readonly managerChain: (
    subnetId: Uint8Array,
    signal: AbortSignal,
  ) => Promise<Uint8Array | undefined>
}
