/** The address of a contract that a transaction creates. */

import { keccak256 } from '../../core/hash.ts'
import { encodeRlp, type Rlp } from './rlp.ts'

/**
 * Returns the 20 bytes of the new contract; `nonce` without zero bytes before it.
 * Source: Ethereum yellow paper, section 7.
 */
export function createdAddress(sender: Rlp, nonce: Rlp): Uint8Array {
  return keccak256(encodeRlp([sender, nonce])).subarray(12)
}
